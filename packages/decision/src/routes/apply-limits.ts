// Puts peers' limits on evaluated prefixes: for each group that has limits and whose routes changed, the
// limits anew; -> what each group is told of a prefix in the end, and which prefixes a moved limit touches.

import type { PersistentMap } from '@herald/net';
import { sharedRoute, trimmedHops } from './group-route.ts';
import type { GroupRoute } from './group-route.ts';
import { hopSetKey } from './hop.ts';
import type { Hop } from './hop.ts';
import { NO_LIMITS, changedLimits, limitsOf } from './limits.ts';
import type { LimitedRoute, Limits } from './limits.ts';
import type { PeerGroup } from './peer-group.ts';
import { requestAgain } from './prefix-state.ts';
import type { PrefixContext, PrefixState } from './prefix-state.ts';

export type LimitsByGroup = ReadonlyMap<string, Limits>;

export interface AppliedLimits {
  readonly limits: LimitsByGroup;
  /** Prefixes to finish: touched before, or by a limit that moved. */
  readonly touched: ReadonlySet<string>;
}

export interface FinalRoute {
  readonly group: PeerGroup;
  readonly hops: readonly Hop[];
}

export function applyLimits(
  before: LimitsByGroup,
  prefixes: PersistentMap<PrefixState>,
  touched: ReadonlySet<string>,
  context: PrefixContext,
): AppliedLimits {
  const limited = context.policy.groups.filter(({ fields }) => fields.limits !== undefined);
  if (limited.length === 0 || touched.size === 0) {
    return { limits: before, touched };
  }
  const limits = new Map<string, Limits>();
  const all = new Set(touched);
  for (const group of limited) {
    const now = limitsOf(
      routesOf(group, prefixes, context),
      group.fields.limits?.nextHopSets,
      group.fields.limits?.routes,
    );
    limits.set(group.key, now);
    changedLimits(before.get(group.key) ?? NO_LIMITS, now).forEach((text) => all.add(text));
  }
  return { limits, touched: all };
}

function routesOf(
  group: PeerGroup,
  prefixes: PersistentMap<PrefixState>,
  context: PrefixContext,
): LimitedRoute[] {
  const routes: LimitedRoute[] = [];
  for (const state of prefixes.values()) {
    const route = state.routes.find((each) => each.group === group);
    if (route) {
      routes.push(limitedRoute(state, route, context));
    }
  }
  return routes;
}

function limitedRoute(state: PrefixState, route: GroupRoute, context: PrefixContext): LimitedRoute {
  const { prefix, members } = state;
  return {
    prefix,
    createdAt: members.reduce((oldest, { of }) => Math.min(oldest, of.createdAt), Infinity),
    policy: members.some(({ of }) => of.policy === 'Local') ? 'Local' : 'Cluster',
    set: hopSetKey(route.hops),
    paths: route.hops.length,
    shared: () => {
      const hops = sharedHops(state, route.group, context);
      return hops && { set: hopSetKey(hops), paths: hops.length };
    },
  };
}

function sharedHops(
  state: PrefixState,
  group: PeerGroup,
  context: PrefixContext,
): readonly Hop[] | undefined {
  const request = requestAgain(state, group, context);
  const outcome = request && sharedRoute(request);
  return outcome?.kind === 'route' ? outcome.route.hops : undefined;
}

/** None for a prefix that is gone. */
export function finalRoutes(
  state: PrefixState | undefined,
  limits: LimitsByGroup,
  context: PrefixContext,
): readonly FinalRoute[] {
  if (!state) {
    return [];
  }
  return state.routes.every(({ group }) => !limits.has(group.key))
    ? state.routes
    : state.routes.flatMap((route) => withinLimits(state, route, limits.get(route.group.key), context));
}

function withinLimits(
  state: PrefixState,
  { group, hops }: GroupRoute,
  limits: Limits | undefined,
  context: PrefixContext,
): FinalRoute[] {
  const { text } = state.prefix;
  const wanted = (limits?.shared.has(text) ? sharedHops(state, group, context) : undefined) ?? hops;
  const kept = trimmedHops(state.prefix, wanted, limits?.allowed.get(text) ?? wanted.length);
  return kept.length === 0 ? [] : [{ group, hops: kept }];
}
