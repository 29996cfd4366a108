// What a peer's limits cut: more sets of next hops than its hardware has groups (maxNextHopSets), more paths
// than its maximum-prefix allows (maxRoutes). All routes of the peer's group, oldest first -> Limits.
//
//   Sets: Services of policy Local and then the oldest keep their own set while there is room for it and for
//   the shared set; the others fall back to the shared set of all nodes.
//   Routes: first one path for every prefix, then all paths of the oldest ones, as far as the limit reaches.
// So one Service more changes only the youngest routes, and every replica cuts alike.

import type { Prefix } from '@herald/net';

/** One prefix of the peer, as wanted and as it would be with the shared set. */
export interface LimitedRoute {
  readonly prefix: Prefix;
  readonly createdAt: number;
  readonly policy: 'Cluster' | 'Local';
  readonly set: string;
  readonly paths: number;
  readonly shared: () => { readonly set: string; readonly paths: number } | undefined;
}

export interface Limits {
  /** Texts of the prefixes that use the shared set. */
  readonly shared: ReadonlySet<string>;
  /** Prefix text -> paths it may have, only where that is fewer than it wants. */
  readonly allowed: ReadonlyMap<string, number>;
  readonly trimmedPaths: number;
}

export const NO_LIMITS: Limits = { shared: new Set(), allowed: new Map(), trimmedPaths: 0 };

export function limitsOf(
  routes: readonly LimitedRoute[],
  maxSets: number | undefined,
  maxPaths: number | undefined,
): Limits {
  const aged = lazily(() => [...routes].sort(byAge));
  const shared = sharedSets(routes, aged, maxSets ?? Infinity);
  const widths = routes.map((route) => pathsOf(route, shared));
  const total = widths.reduce((sum, paths) => sum + paths, 0);
  const limit = maxPaths ?? Infinity;
  const allowed = total > limit ? allowances(aged(), shared, limit) : NO_LIMITS.allowed;
  return { shared, allowed, trimmedPaths: Math.max(0, total - limit) };
}

function sharedSets(
  routes: readonly LimitedRoute[],
  aged: () => readonly LimitedRoute[],
  maxSets: number,
): ReadonlySet<string> {
  if (new Set(routes.map(({ set }) => set)).size <= maxSets) {
    return NO_LIMITS.shared;
  }
  const fallen = new Set<string>();
  const sets = new Set(routes.filter(({ policy }) => policy === 'Local').map(({ set }) => set));
  for (const route of aged()) {
    const shared = route.policy === 'Local' || sets.has(route.set) ? undefined : route.shared();
    if (shared && sets.size + (sets.has(shared.set) ? 0 : 1) >= maxSets) {
      fallen.add(route.prefix.text);
      sets.add(shared.set);
    } else {
      sets.add(route.set);
    }
  }
  return fallen;
}

function pathsOf(route: LimitedRoute, shared: ReadonlySet<string>): number {
  return (shared.has(route.prefix.text) ? route.shared()?.paths : undefined) ?? route.paths;
}

function allowances(
  aged: readonly LimitedRoute[],
  shared: ReadonlySet<string>,
  limit: number,
): ReadonlyMap<string, number> {
  const allowed = new Map<string, number>();
  let spare = Math.max(0, limit - aged.length);
  aged.forEach((route, position) => {
    const wanted = pathsOf(route, shared);
    const extra = Math.min(wanted - 1, spare);
    spare -= extra;
    const granted = position < limit ? 1 + extra : 0;
    if (granted < wanted) {
      allowed.set(route.prefix.text, granted);
    }
  });
  return allowed;
}

function byAge(a: LimitedRoute, b: LimitedRoute): number {
  return a.createdAt - b.createdAt || (a.prefix.text < b.prefix.text ? -1 : 1);
}

function lazily<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

/** Prefixes on which the limits have another effect than before. */
export function changedLimits(before: Limits, after: Limits): string[] {
  const texts = new Set([
    ...before.shared,
    ...after.shared,
    ...before.allowed.keys(),
    ...after.allowed.keys(),
  ]);
  return [...texts].filter(
    (text) =>
      before.shared.has(text) !== after.shared.has(text) ||
      before.allowed.get(text) !== after.allowed.get(text),
  );
}
