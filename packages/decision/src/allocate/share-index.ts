// The addresses held under each sharing key, ascending: where a Service looks before it takes a free one.
// Opened for one tick over an immutable state, written to, and closed into the next state.
//
// Many Services with one key and one port find nothing to share, each of them. So it is remembered for one
// tick how far a search has come in vain: an address that does not fit goes on not to, until somebody leaves.

import { compareAddresses } from '@herald/net';
import type { Address, PersistentMap } from '@herald/net';

/** By sharing key: the addresses held under it, ascending, never none. */
export type SharedAddresses = PersistentMap<readonly Address[]>;

interface Listed {
  readonly addresses: Address[];
  /** By what was searched for: how many of the first addresses do not fit. */
  readonly vain: Map<string, number>;
}

export class ShareIndexDraft {
  readonly #base: SharedAddresses;
  readonly #opened = new Map<string, Listed>();
  readonly #changed = new Set<string>();

  constructor(base: SharedAddresses) {
    this.#base = base;
  }

  has(key: string, address: Address): boolean {
    const { addresses } = this.#open(key);
    return addresses[positionOf(addresses, address)]?.text === address.text;
  }

  add(key: string, address: Address): void {
    const listed = this.#open(key);
    const position = positionOf(listed.addresses, address);
    if (position < listed.addresses.length) {
      listed.vain.clear();
    }
    listed.addresses.splice(position, 0, address);
    this.#changed.add(key);
  }

  remove(key: string, address: Address): void {
    const listed = this.#open(key);
    listed.addresses.splice(positionOf(listed.addresses, address), 1);
    listed.vain.clear();
    this.#changed.add(key);
  }

  /** Something under the key has become easier to share. */
  loosen(key: string): void {
    this.#opened.get(key)?.vain.clear();
  }

  /** The first address that fits; `wish` is equal only for searches that the same addresses fit. */
  find(key: string, wish: string, fits: (address: Address) => boolean): Address | undefined {
    const { addresses, vain } = this.#open(key);
    let at = vain.get(wish) ?? 0;
    for (let address = addresses[at]; address && !fits(address); address = addresses[at]) {
      at += 1;
    }
    vain.set(wish, at);
    return addresses[at];
  }

  #open(key: string): Listed {
    let listed = this.#opened.get(key);
    if (!listed) {
      listed = { addresses: [...(this.#base.get(key) ?? [])], vain: new Map() };
      this.#opened.set(key, listed);
    }
    return listed;
  }

  commit(): SharedAddresses {
    const changed = Array.from(this.#changed, (key) => [key, this.#open(key).addresses] as const);
    return this.#base.with(
      changed.filter(([, addresses]) => addresses.length > 0),
      changed.filter(([, addresses]) => addresses.length === 0).map(([key]) => key),
    );
  }
}

/** Where the address is, or would be. */
function positionOf(addresses: readonly Address[], address: Address): number {
  let low = 0;
  let high = addresses.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const there = addresses[middle];
    if (there && compareAddresses(there, address) < 0) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}
