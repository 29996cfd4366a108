// The lowest free address of one pool and family, found without looking at all that is in use. Below the
// frontier everything is in use except the holes; what is above is looked at when the frontier gets there.
//
// The answer depends on what is in use and on nothing else: frontier and holes only save the looking. A hole
// may be stale (in use again): it is dropped when it is met.

import type { Family } from '@herald/net';
import { isAvoided, spanAtOrAfter } from './pool-layout.ts';
import type { LaidPool } from './pool-layout.ts';

export interface FreeSpace {
  readonly frontier: bigint;
  /** Ascending. */
  readonly holes: readonly bigint[];
}

export class FreeSpaceDraft {
  #frontier: bigint;
  #holes: readonly bigint[];
  /** How many of the first holes have been dropped. */
  #dropped = 0;
  #freed = new Set<bigint>();
  readonly #laid: LaidPool;
  readonly #family: Family;

  constructor(laid: LaidPool, family: Family, space: FreeSpace | undefined) {
    this.#laid = laid;
    this.#family = family;
    this.#frontier = space?.frontier ?? laid.spans[family][0]?.first ?? 0n;
    this.#holes = space?.holes ?? [];
  }

  free(value: bigint): void {
    if (value < this.#frontier) {
      this.#freed.add(value);
    }
  }

  /** Finds it but does not take it: asked again it answers the same until `isUsed` says otherwise. */
  lowest(isUsed: (value: bigint) => boolean): bigint | undefined {
    this.#mergeFreed();
    const unusable = (value: bigint): boolean => isAvoided(this.#laid, this.#family, value) || isUsed(value);
    for (; this.#dropped < this.#holes.length; this.#dropped++) {
      const hole = this.#holes[this.#dropped];
      if (hole !== undefined && !unusable(hole)) {
        return hole;
      }
    }
    return this.#advance(unusable);
  }

  #advance(unusable: (value: bigint) => boolean): bigint | undefined {
    for (;;) {
      const span = spanAtOrAfter(this.#laid.spans[this.#family], this.#frontier);
      if (span === undefined) {
        return undefined;
      }
      if (this.#frontier < span.first) {
        this.#frontier = span.first;
      }
      while (this.#frontier <= span.last && unusable(this.#frontier)) {
        this.#frontier += 1n;
      }
      if (this.#frontier <= span.last) {
        return this.#frontier;
      }
    }
  }

  #mergeFreed(): void {
    if (this.#freed.size > 0) {
      const holes = new Set([...this.#holes.slice(this.#dropped), ...this.#freed]);
      this.#holes = [...holes].sort((a, b) => (a < b ? -1 : 1));
      this.#dropped = 0;
      this.#freed = new Set();
    }
  }

  commit(): FreeSpace {
    this.#mergeFreed();
    return { frontier: this.#frontier, holes: this.#holes.slice(this.#dropped) };
  }
}
