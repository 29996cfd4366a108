// How much goes to each group of peers: prefixes, paths and distinct sets of next hops, counted up and down
// as routes change, so that a count never costs a walk through the table.

import { PersistentMap } from '@herald/net';
import { hopSetKey } from './hop.ts';
import type { RankedRoute } from './rank.ts';

export interface Tally {
  readonly prefixes: number;
  readonly paths: number;
  /** Set name -> prefixes that use it. */
  readonly sets: PersistentMap<number>;
}

/** By group key. */
export type Tallies = ReadonlyMap<string, Tally>;

export interface RouteChange {
  readonly before: readonly RankedRoute[];
  readonly after: readonly RankedRoute[];
}

export const NO_TALLY: Tally = { prefixes: 0, paths: 0, sets: PersistentMap.empty() };

interface Delta {
  prefixes: number;
  paths: number;
  readonly sets: Map<string, number>;
}

export function counted(tallies: Tallies, changes: Iterable<RouteChange>): Tallies {
  const deltas = new Map<string, Delta>();
  for (const { before, after } of changes) {
    before.forEach((route) => count(deltas, route, -1));
    after.forEach((route) => count(deltas, route, 1));
  }
  const next = new Map(tallies);
  for (const [key, delta] of deltas) {
    next.set(key, added(tallies.get(key) ?? NO_TALLY, delta));
  }
  return deltas.size === 0 ? tallies : next;
}

function count(deltas: Map<string, Delta>, { group, hops }: RankedRoute, sign: 1 | -1): void {
  const delta = deltas.get(group.key) ?? { prefixes: 0, paths: 0, sets: new Map<string, number>() };
  deltas.set(group.key, delta);
  delta.prefixes += sign;
  delta.paths += sign * hops.length;
  const set = hopSetKey(hops);
  delta.sets.set(set, (delta.sets.get(set) ?? 0) + sign);
}

function added(tally: Tally, delta: Delta): Tally {
  const uses = Array.from(delta.sets, ([set, change]) => [set, (tally.sets.get(set) ?? 0) + change] as const);
  return {
    prefixes: tally.prefixes + delta.prefixes,
    paths: tally.paths + delta.paths,
    sets: tally.sets.with(
      uses.filter(([, prefixes]) => prefixes > 0),
      uses.filter(([, prefixes]) => prefixes === 0).map(([set]) => set),
    ),
  };
}
