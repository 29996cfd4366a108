// One prefix with everything that is worked out about it before limits and ranks: its members, and for each
// group of peers a route or the reason why there is none. Members, policy, nodes -> PrefixState.
//
// An aggregate also says which members need their host prefix beside it, for each group:
//   - all of them, where the aggregate itself is refused or nobody can serve every member;
//   - a member of externalTrafficPolicy Local that has other nodes than those of the aggregate.
// Under Cluster any node forwards, so the aggregate's next hops do.

import { addressBits } from '@herald/net';
import type { Prefix } from '@herald/net';
import type { AdvertisementSet } from './advertisement-set.ts';
import { candidatesFor } from './candidates.ts';
import { groupRoute } from './group-route.ts';
import type { GroupOutcome, GroupRefusal, GroupRoute, RouteRequest } from './group-route.ts';
import { coversInfrastructure } from './infrastructure.ts';
import type { Infrastructure } from './infrastructure.ts';
import type { Interner } from './interner.ts';
import type { NodeView } from './node-view.ts';
import type { PeerGroup } from './peer-group.ts';
import type { Policy } from './policy.ts';
import type { Membership, ServiceRoutes } from './service-routes.ts';

export interface Member {
  readonly of: ServiceRoutes;
  readonly membership: Membership;
}

/** Keys of the Services whose host prefix a group needs. */
export type Specifics = ReadonlyMap<string, ReadonlySet<string>>;

export interface PrefixState {
  readonly prefix: Prefix;
  /** Sorted by Service key. */
  readonly members: readonly Member[];
  readonly routes: readonly GroupRoute[];
  readonly refusals: readonly GroupRefusal[];
  /** By group key; empty for a host prefix. */
  readonly specifics: Specifics;
  readonly reads: GroupRoute['reads'];
}

export interface PrefixContext {
  readonly policy: Policy;
  readonly view: NodeView;
  readonly infrastructure: Infrastructure;
  readonly interner: Interner;
  readonly specificsOf: (aggregate: string) => Specifics;
}

interface Effective {
  readonly member: Member;
  readonly set: AdvertisementSet;
}

const NO_SPECIFICS: Specifics = new Map();

export function prefixState(prefix: Prefix, members: readonly Member[], context: PrefixContext): PrefixState {
  const covers = coversInfrastructure(context.infrastructure, prefix);
  const routes: GroupRoute[] = [];
  const refusals: GroupRefusal[] = [];
  const specifics = new Map<string, ReadonlySet<string>>();
  let reads: GroupRoute['reads'] = 'endpoint-nodes';
  for (const group of context.policy.groups) {
    const effective = group.carries(prefix.family) ? effectiveMembers(members, group, context) : [];
    const request = requestOf(prefix, effective, group, context);
    if (!request) {
      continue;
    }
    const outcome = covers ? refusedFor(request) : groupRoute(request);
    if (outcome.kind === 'route') {
      routes.push(outcome.route);
    } else {
      refusals.push(outcome.refusal);
    }
    if (readsEveryNode(outcome)) {
      reads = 'every-node';
    }
    if (isAggregate(prefix)) {
      specifics.set(group.key, specificsFor(effective, outcome, request));
    }
  }
  return {
    prefix,
    members,
    routes,
    refusals,
    specifics: specifics.size > 0 ? specifics : NO_SPECIFICS,
    reads,
  };
}

export function isAggregate(prefix: Prefix): boolean {
  return prefix.length < addressBits(prefix.family);
}

function readsEveryNode(outcome: GroupOutcome): boolean {
  return (outcome.kind === 'route' ? outcome.route.reads : outcome.reads) === 'every-node';
}

/** The members that count for a group: advertised to it, and a conditional one only where it is needed. */
function effectiveMembers(
  members: readonly Member[],
  group: PeerGroup,
  context: PrefixContext,
): readonly Effective[] {
  const effective: Effective[] = [];
  for (const member of members) {
    const { advertisements, insteadOf } = member.membership;
    const set = group.narrow(advertisements);
    const needed =
      insteadOf === undefined || context.specificsOf(insteadOf).get(group.key)?.has(member.of.key) === true;
    if (set && needed) {
      effective.push({ member, set });
    }
  }
  return effective;
}

/** undefined when nothing is advertised to the group. */
function requestOf(
  prefix: Prefix,
  effective: readonly Effective[],
  group: PeerGroup,
  { policy, view, interner }: PrefixContext,
): RouteRequest | undefined {
  const [first] = effective;
  const set = effective.length === 1 ? first?.set : policy.sets.union(effective.map((each) => each.set));
  return (
    set && {
      prefix,
      group,
      set,
      view,
      interner,
      members: distinctServices(effective),
      rule: group.fields.nextHop,
      family: prefix.family,
      sets: policy.sets,
    }
  );
}

/** A Service with several addresses in an aggregate, or several advertisements, is one member. */
function distinctServices(effective: readonly Effective[]): ServiceRoutes[] {
  return effective.length === 1
    ? effective.map(({ member }) => member.of)
    : [...new Set(effective.map(({ member }) => member.of))];
}

/** The request that gave a group its part of this state; for routes that are worked out again within limits. */
export function requestAgain(
  state: PrefixState,
  group: PeerGroup,
  context: PrefixContext,
): RouteRequest | undefined {
  return requestOf(state.prefix, effectiveMembers(state.members, group, context), group, context);
}

function refusedFor({ group, set }: RouteRequest): GroupOutcome {
  const advertisements = set.members.map(({ name }) => name);
  return {
    kind: 'refused',
    refusal: { group, reason: 'CoversInfrastructure', advertisements },
    reads: 'endpoint-nodes',
  };
}

function specificsFor(
  effective: readonly Effective[],
  outcome: GroupOutcome,
  request: RouteRequest,
): ReadonlySet<string> {
  const needed = new Set<string>();
  for (const { member, set } of effective) {
    if (outcome.kind === 'refused' || hasOtherNodes(member.of, set, outcome.route, request)) {
      needed.add(member.of.key);
    }
  }
  return needed;
}

/** The aggregate's candidates are among the member's own, so the numbers tell whether they are the same. */
function hasOtherNodes(
  service: ServiceRoutes,
  set: AdvertisementSet,
  route: GroupRoute,
  request: RouteRequest,
): boolean {
  if (service.policy === 'Cluster') {
    return false;
  }
  const own = candidatesFor({ ...request, members: [service], set });
  return own.kind === 'listed' && own.list.length !== route.candidates;
}
