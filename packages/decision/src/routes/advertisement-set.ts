// The advertisements that meet in one place (an address, a prefix, a peer, a next hop), and what they say
// together: communities are united, single values must agree. A value that is left out (or is the default
// that cannot be told from one left out: no prepending, equal weights) contradicts nothing.
//
// Sets are interned, so that equal sets are one object and what follows from a set is worked out once.

import type { Advertisement } from '@herald/api';
import { addressBits } from '@herald/net';
import type { Community, Family } from '@herald/net';

export interface AdvertisementSet {
  /** Names, sorted, joined: equal exactly when the sets are equal. */
  readonly key: string;
  /** Sorted by name, never empty. */
  readonly members: readonly Advertisement[];
  readonly policy: Merged<MergedPolicy>;
  readonly nextHops: Merged<MergedNextHops>;
  /** Whether the members differ in which nodes they offer, so that each node has to be asked about. */
  readonly nodes: 'alike' | 'selected';
}

export interface MergedPolicy {
  readonly localPref: number | undefined;
  readonly med: number | undefined;
  readonly asPathPrepend: number;
  readonly communities: readonly Community[];
}

export interface MergedNextHops {
  readonly max: number | undefined;
  readonly weight: 'Equal' | 'Endpoints';
}

export type Merged<Values> =
  | { readonly kind: 'agreed'; readonly values: Values }
  | { readonly kind: 'contradiction' };

export class AdvertisementSets {
  readonly #byKey = new Map<string, AdvertisementSet>();

  /** undefined for no members. */
  of(members: readonly Advertisement[]): AdvertisementSet | undefined {
    const [only, ...others] = members;
    if (!only) {
      return undefined;
    }
    const key = others.length === 0 ? only.name : sortedNames(members).join(' ');
    let set = this.#byKey.get(key);
    if (!set) {
      set = advertisementSet(key, distinct(members));
      this.#byKey.set(key, set);
    }
    return set;
  }

  union(sets: Iterable<AdvertisementSet>): AdvertisementSet | undefined {
    const united = [...new Set(sets)];
    return united.length === 1 ? united[0] : this.of(united.flatMap(({ members }) => members));
  }

  narrow(set: AdvertisementSet, keep: (member: Advertisement) => boolean): AdvertisementSet | undefined {
    const kept = set.members.filter(keep);
    return kept.length === set.members.length ? set : this.of(kept);
  }
}

function advertisementSet(key: string, members: readonly Advertisement[]): AdvertisementSet {
  const [first] = members;
  const alike = members.every(
    ({ nodeSelectors, nextHops }) => nodeSelectors.length === 0 && nextHops.from === first?.nextHops.from,
  );
  return {
    key,
    members,
    policy: mergedPolicy(members),
    nextHops: mergedNextHops(members),
    nodes: alike ? 'alike' : 'selected',
  };
}

function sortedNames(members: readonly Advertisement[]): string[] {
  return distinct(members).map(({ name }) => name);
}

function distinct(members: readonly Advertisement[]): Advertisement[] {
  return [...new Set(members)].sort((a, b) => (a.name < b.name ? -1 : 1));
}

function mergedPolicy(members: readonly Advertisement[]): Merged<MergedPolicy> {
  const localPrefs = different(members.map(({ localPref }) => localPref));
  const meds = different(members.map(({ med }) => med));
  const prepends = different(members.map(({ asPathPrepend }) => asPathPrepend || undefined));
  return Math.max(localPrefs.length, meds.length, prepends.length) > 1
    ? { kind: 'contradiction' }
    : {
        kind: 'agreed',
        values: {
          localPref: localPrefs[0],
          med: meds[0],
          asPathPrepend: prepends[0] ?? 0,
          communities: members.flatMap(({ communities }) => communities),
        },
      };
}

function mergedNextHops(members: readonly Advertisement[]): Merged<MergedNextHops> {
  const limits = different(members.map(({ nextHops }) => nextHops.max));
  const weighted = members.some(({ nextHops }) => nextHops.weight === 'Endpoints');
  return limits.length > 1
    ? { kind: 'contradiction' }
    : { kind: 'agreed', values: { max: limits[0], weight: weighted ? 'Endpoints' : 'Equal' } };
}

function different(values: readonly (number | undefined)[]): number[] {
  return [...new Set(values.filter((value) => value !== undefined))];
}

/** The length to which an advertisement shortens prefixes, or undefined when it announces hosts. */
export function aggregateLength({ aggregation }: Advertisement, family: Family): number | undefined {
  const length = asked(aggregation, family);
  const aggregates = length !== undefined && length < addressBits(family);
  // Without the operator's word that the router drops what nobody has, such packets would loop.
  return aggregates && aggregation.unassigned === 'RouterDiscards' ? length : undefined;
}

/** Asks for an aggregate without that word: hosts are announced instead, and it is said. */
export function aggregatesUnsafely(advertisement: Advertisement): boolean {
  return ([4, 6] as const).some((family) => {
    const length = asked(advertisement.aggregation, family);
    return (
      length !== undefined &&
      length < addressBits(family) &&
      advertisement.aggregation.unassigned === undefined
    );
  });
}

function asked(aggregation: Advertisement['aggregation'], family: Family): number | undefined {
  return family === 4 ? aggregation.length : aggregation.lengthV6;
}
