// Who holds which address: the index that lets one changed Service cost no more than its own addresses. It
// is opened for one tick over an immutable state, written to, and closed into the next state.
//
// It finds addresses to share and free ones, and remembers in which families something became easier to
// get. What a Service should have is not decided here.

import type { Reason } from '@herald/api';
import { PersistentMap } from '@herald/net';
import type { Address, Family } from '@herald/net';
import { MapDraft } from './map-draft.ts';
import { holdsAddress } from './pool-layout.ts';
import type { LaidPool, PoolLayout } from './pool-layout.ts';
import { EMPTY_SPACES, PoolSpacesDraft } from './pool-space.ts';
import type { PoolCount, PoolSpaces } from './pool-space.ts';
import { ShareIndexDraft } from './share-index.ts';
import type { SharedAddresses } from './share-index.ts';
import { losersAmong, sameTerms, sharingProblem } from './sharing.ts';
import type { Holder, SharingTerms } from './sharing.ts';

export interface AddressUse {
  readonly address: Address;
  readonly holders: readonly Holder[];
  /** Keys of the holders that may not keep it; nearly always empty. */
  readonly losers: readonly string[];
}

export interface LedgerState {
  /** By address. */
  readonly uses: PersistentMap<AddressUse>;
  readonly shared: SharedAddresses;
  readonly spaces: PoolSpaces;
}

export const EMPTY_LEDGER: LedgerState = {
  uses: PersistentMap.empty(),
  shared: PersistentMap.empty(),
  spaces: EMPTY_SPACES,
};

const NOBODY: readonly string[] = [];

/** The same uses counted for other pools. */
export function recounted(state: LedgerState, layout: PoolLayout): LedgerState {
  const draft = new PoolSpacesDraft(EMPTY_SPACES, layout);
  for (const { address } of state.uses.values()) {
    draft.take(address);
  }
  return { ...state, spaces: draft.commit() };
}

export class AddressLedger {
  /** Families in which an address was given up or became one to share. */
  readonly eased = new Set<Family>();
  readonly #uses: MapDraft<AddressUse>;
  readonly #shared: ShareIndexDraft;
  readonly #spaces: PoolSpacesDraft;

  /** The state was counted for this layout. */
  constructor(state: LedgerState, layout: PoolLayout) {
    this.#uses = new MapDraft(state.uses);
    this.#shared = new ShareIndexDraft(state.shared);
    this.#spaces = new PoolSpacesDraft(state.spaces, layout);
  }

  useOf(address: Address): AddressUse | undefined {
    return this.#uses.get(address.text);
  }

  get touched(): boolean {
    return this.#uses.touched;
  }

  isLoser(address: Address, serviceKey: string): boolean {
    return this.useOf(address)?.losers.includes(serviceKey) ?? false;
  }

  countOf(laid: LaidPool, family: Family): PoolCount {
    return this.#spaces.countOf(laid, family);
  }

  /** Adds the holder, or replaces what the same Service was known for. */
  hold(address: Address, holder: Holder): void {
    const use = this.useOf(address);
    const known = use?.holders.find(({ serviceKey }) => serviceKey === holder.serviceKey);
    const others = use?.holders.filter((other) => other !== known) ?? [];
    this.#uses.set(address.text, { address, holders: [...others, holder], losers: use?.losers ?? NOBODY });
    if (use === undefined) {
      this.#spaces.take(address);
    }
    if (known !== undefined && !sameTerms(known.terms, holder.terms)) {
      this.#ease(address, holder);
      this.#indexShare(address, known.terms.key);
    }
    this.#indexShare(address, holder.terms.key);
  }

  release(address: Address, serviceKey: string): void {
    const use = this.useOf(address);
    const known = use?.holders.find((holder) => holder.serviceKey === serviceKey);
    if (use === undefined || known === undefined) {
      return;
    }
    const holders = use.holders.filter((other) => other !== known);
    const losers = use.losers.filter((loser) => loser !== serviceKey);
    this.#uses.set(address.text, holders.length === 0 ? undefined : { address, holders, losers });
    this.#ease(address, ...holders);
    if (holders.length === 0) {
      this.#spaces.release(address);
    }
    this.#indexShare(address, known.terms.key);
  }

  /** Somebody else may find room beside those that stay. */
  #ease(address: Address, ...staying: readonly Holder[]): void {
    this.eased.add(address.family);
    staying.forEach(({ terms }) => this.#shared.loosen(terms.key));
  }

  #indexShare(address: Address, key: string): void {
    if (key === '') {
      return;
    }
    const isHeld = this.useOf(address)?.holders.some(({ terms }) => terms.key === key) ?? false;
    if (isHeld !== this.#shared.has(key, address)) {
      this.eased.add(address.family);
      if (isHeld) {
        this.#shared.add(key, address);
      } else {
        this.#shared.remove(key, address);
      }
    }
  }

  /** Why the Service may not have the address beside those that hold it; undefined when it may. */
  problemWith(address: Address, serviceKey: string, terms: SharingTerms): Reason | undefined {
    for (const holder of this.useOf(address)?.holders ?? []) {
      const problem = holder.serviceKey === serviceKey ? undefined : sharingProblem(holder.terms, terms);
      if (problem !== undefined) {
        return problem;
      }
    }
    return undefined;
  }

  /** An address that the Service may share, else the lowest free one, else undefined. */
  find(laid: LaidPool, family: Family, serviceKey: string, terms: SharingTerms): Address | undefined {
    const fits = (address: Address): boolean =>
      address.family === family &&
      holdsAddress(laid, address) &&
      this.problemWith(address, serviceKey, terms) === undefined;
    const wish = `${family} ${laid.name} ${terms.backend} ${terms.ports.join()}`;
    const shared = terms.key === '' ? undefined : this.#shared.find(terms.key, wish, fits);
    return shared ?? this.#spaces.lowestFree(laid, family, (text) => this.#uses.get(text) !== undefined);
  }

  /** Judges the holders of every touched address anew; answers the keys of the Services concerned. */
  judge(): Set<string> {
    const concerned = new Set<string>();
    for (const [text, use] of this.#uses.writes()) {
      if (use !== undefined) {
        const losers = use.holders.length > 1 ? losersAmong(use.holders) : NOBODY;
        this.#uses.set(text, { ...use, losers });
        use.holders.forEach(({ serviceKey }) => concerned.add(serviceKey));
      }
    }
    return concerned;
  }

  commit(): LedgerState {
    return {
      uses: this.#uses.commit(),
      shared: this.#shared.commit(),
      spaces: this.#spaces.commit(),
    };
  }
}
