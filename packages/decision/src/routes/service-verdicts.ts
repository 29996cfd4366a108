// What people are told of a Service: whether it is announced at all and why not, by which prefixes, through
// how many next hops, and what is not as asked although it is announced.

import type { Reason } from '@herald/api';
import type { PersistentMap } from '@herald/net';
import type { ServiceVerdict } from '../decision.ts';
import type { LimitsByGroup } from './apply-limits.ts';
import { isAggregate } from './prefix-state.ts';
import type { PrefixState } from './prefix-state.ts';
import type { RankedRoute } from './rank.ts';
import type { ServiceRoutes } from './service-routes.ts';

export interface VerdictContext {
  readonly prefixes: PersistentMap<PrefixState>;
  readonly routes: PersistentMap<readonly RankedRoute[]>;
  readonly limits: LimitsByGroup;
}

/** Of several reasons why nothing is announced, the one that an operator can do most about. */
const WORST_FIRST: readonly Reason[] = [
  'CoversInfrastructure',
  'AdvertisementConflict',
  'MaxRoutes',
  'NoNextHop',
];

export function serviceVerdict(service: ServiceRoutes, context: VerdictContext): ServiceVerdict {
  const texts = [...new Set(service.memberships.map(({ prefix }) => prefix.text))].sort();
  const announced = texts.filter((text) => context.routes.has(text));
  const remarks = new Set<Reason>(service.unmet ? [service.unmet] : []);
  for (const text of texts) {
    addRemarks(remarks, text, service.key, context);
  }
  return {
    announced: announced.length > 0,
    reason: announced.length > 0 ? 'Advertised' : (service.reason ?? worst(remarks)),
    prefixes: announced,
    nextHops: countNextHops(announced, context),
    remarks: announced.length > 0 ? [...remarks].sort() : [],
  };
}

function worst(remarks: ReadonlySet<Reason>): Reason {
  return WORST_FIRST.find((reason) => remarks.has(reason)) ?? 'NoPeer';
}

function addRemarks(remarks: Set<Reason>, text: string, key: string, context: VerdictContext): void {
  const state = context.prefixes.get(text);
  for (const { reason } of state?.refusals ?? []) {
    // Where nobody can serve a whole aggregate its members go out alone, and that is what is said.
    if (!(state && isAggregate(state.prefix) && reason === 'NoNextHop')) {
      remarks.add(reason);
    }
  }
  if ([...(state?.specifics.values() ?? [])].some((needed) => needed.has(key))) {
    remarks.add('MoreSpecificNeeded');
  }
  for (const { shared, allowed } of context.limits.values()) {
    if (shared.has(text)) {
      remarks.add('NextHopSetLimit');
    }
    if (allowed.has(text)) {
      remarks.add('MaxRoutes');
    }
  }
}

function countNextHops(texts: readonly string[], { routes }: VerdictContext): number {
  const all = texts.flatMap((text) => routes.get(text) ?? []).sort((a, b) => b.hops.length - a.hops.length);
  const [widest, ...others] = all;
  // Nearly always the other peers are told some of the same next hops: no need to list them all.
  const more = new Set<string>();
  for (const { hops } of others) {
    for (const { nextHop } of hops) {
      if (widest?.hops.some((hop) => hop.nextHop.text === nextHop.text) === false) {
        more.add(nextHop.text);
      }
    }
  }
  return (widest?.hops.length ?? 0) + more.size;
}
