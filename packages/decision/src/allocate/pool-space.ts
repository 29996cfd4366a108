// How much of each pool is in use, and its lowest free address. Opened for one tick over an immutable state,
// told which addresses were taken and freed, and closed into the next state.
//
// Every address counts for one pool, the one that owns it. A pool that lost to an older one is counted, but
// nothing is found in it.

import { addressFromValue } from '@herald/net';
import type { Address, Family } from '@herald/net';
import { FreeSpaceDraft } from './free-space.ts';
import type { FreeSpace } from './free-space.ts';
import { isAvoided, poolOwning } from './pool-layout.ts';
import type { LaidPool, PoolLayout } from './pool-layout.ts';

export interface PoolCount {
  /** Addresses in use, however they came to be. */
  readonly assigned: number;
  /** Of these, the ones that the pool could have given by itself. */
  readonly given: number;
}

/** Both by family and pool. */
export interface PoolSpaces {
  readonly free: ReadonlyMap<string, FreeSpace>;
  readonly counts: ReadonlyMap<string, PoolCount>;
}

export const EMPTY_SPACES: PoolSpaces = { free: new Map(), counts: new Map() };

const UNUSED: PoolCount = { assigned: 0, given: 0 };

export class PoolSpacesDraft {
  readonly #state: PoolSpaces;
  readonly #layout: PoolLayout;
  readonly #free = new Map<string, FreeSpaceDraft>();
  readonly #counts = new Map<string, PoolCount>();

  constructor(state: PoolSpaces, layout: PoolLayout) {
    this.#state = state;
    this.#layout = layout;
  }

  take(address: Address): void {
    this.#count(address, 1);
  }

  release(address: Address): void {
    const owner = this.#count(address, -1);
    if (owner !== undefined) {
      this.#freeIn(owner, address.family).free(address.value);
    }
  }

  #count(address: Address, change: 1 | -1): LaidPool | undefined {
    const owner = poolOwning(this.#layout, address);
    if (owner !== undefined) {
      const { assigned, given } = this.countOf(owner, address.family);
      const avoided = isAvoided(owner, address.family, address.value);
      const count = { assigned: assigned + change, given: avoided ? given : given + change };
      this.#counts.set(spaceKey(owner, address.family), count);
    }
    return owner;
  }

  countOf(laid: LaidPool, family: Family): PoolCount {
    const key = spaceKey(laid, family);
    return this.#counts.get(key) ?? this.#state.counts.get(key) ?? UNUSED;
  }

  lowestFree(laid: LaidPool, family: Family, isUsed: (text: string) => boolean): Address | undefined {
    const value = this.#freeIn(laid, family).lowest((at) => isUsed(addressFromValue(family, at).text));
    return value === undefined ? undefined : addressFromValue(family, value);
  }

  #freeIn(laid: LaidPool, family: Family): FreeSpaceDraft {
    const key = spaceKey(laid, family);
    const known = this.#free.get(key);
    if (known !== undefined) {
      return known;
    }
    const draft = new FreeSpaceDraft(laid, family, this.#state.free.get(key));
    this.#free.set(key, draft);
    return draft;
  }

  commit(): PoolSpaces {
    const free = [...this.#free].map(([key, draft]) => [key, draft.commit()] as const);
    return {
      free: free.length === 0 ? this.#state.free : new Map([...this.#state.free, ...free]),
      counts:
        this.#counts.size === 0 ? this.#state.counts : new Map([...this.#state.counts, ...this.#counts]),
    };
  }
}

function spaceKey(laid: LaidPool, family: Family): string {
  return `${family}|${laid.name}`;
}
