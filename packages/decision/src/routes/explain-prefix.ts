// One prefix, explained for each peer: the paths that go to it with their attributes, and for every node that
// is not among them the first reason that keeps it out.

import type { Reason } from '@herald/api';
import type { PathAttributes } from '@herald/net';
import { whyNotChosen } from './group-route.ts';
import type { RouteRequest } from './group-route.ts';
import { linkBandwidth } from './link-bandwidth.ts';
import type { NodeState } from './node-state.ts';
import { selectsNode } from './node-view.ts';
import { dressed } from './path-class.ts';
import type { PeerGroup } from './peer-group.ts';
import { requestAgain } from './prefix-state.ts';
import type { PrefixContext, PrefixState } from './prefix-state.ts';
import type { RankedRoute } from './rank.ts';
import type { RouteMemory } from './route-memory.ts';
import type { ServiceRoutes } from './service-routes.ts';

export interface ExplainedPeer {
  readonly peer: string;
  /** Why the peer is told nothing of this prefix. */
  readonly reason: Reason | undefined;
  readonly advertisements: readonly string[];
  readonly nextHops: readonly ExplainedNextHop[];
  readonly leftOut: readonly LeftOut[];
}

export interface ExplainedNextHop {
  readonly nextHop: string;
  /** As the peer is told, without the tags that only bgpd sees. */
  readonly attributes: PathAttributes;
}

export interface LeftOut {
  readonly node: string;
  readonly reason: Reason;
}

export function explainPrefix(
  state: PrefixState,
  routes: readonly RankedRoute[],
  memory: RouteMemory,
): ExplainedPeer[] {
  return memory.policy.groups
    .flatMap((group) => {
      const explained = explainGroup(state, group, routes, memory);
      return group.peers.map(({ peer }) => ({ peer: peer.name, ...explained }));
    })
    .sort((a, b) => (a.peer < b.peer ? -1 : 1));
}

function explainGroup(
  state: PrefixState,
  group: PeerGroup,
  routes: readonly RankedRoute[],
  memory: RouteMemory,
): Omit<ExplainedPeer, 'peer'> {
  const route = routes.find((each) => each.group === group);
  const request = requestAgain(state, group, contextOf(memory));
  return {
    reason: route ? undefined : reasonFor(state, group),
    advertisements: request?.set.members.map(({ name }) => name) ?? [],
    nextHops: route ? nextHopsOf(route, memory) : [],
    leftOut: request ? leftOut(state, request, route, memory) : [],
  };
}

function contextOf({ policy, view, infrastructure, interner, prefixes }: RouteMemory): PrefixContext {
  const specificsOf = (aggregate: string) => prefixes.get(aggregate)?.specifics ?? new Map<string, never>();
  return { policy, view, infrastructure, interner, specificsOf };
}

function reasonFor(state: PrefixState, group: PeerGroup): Reason {
  if (!group.carries(state.prefix.family)) {
    return 'FamilyNotNegotiated';
  }
  if (state.routes.some((route) => route.group === group)) {
    return 'MaxRoutes';
  }
  return state.refusals.find((refusal) => refusal.group === group)?.reason ?? 'NoAdvertisement';
}

function nextHopsOf({ hops, rank }: RankedRoute, { policy }: RouteMemory): ExplainedNextHop[] {
  return hops.map((hop) => ({
    nextHop: hop.nextHop.text,
    attributes: dressed(hop.class, {
      rank,
      tags: [],
      linkBandwidth: linkBandwidth(hop.weight, policy.settings.asn),
    }),
  }));
}

function leftOut(
  state: PrefixState,
  request: RouteRequest,
  route: RankedRoute | undefined,
  memory: RouteMemory,
): LeftOut[] {
  const used = new Set(route?.hops.map(({ nextHop }) => nextHop.text));
  const out: LeftOut[] = [];
  for (const node of memory.view.states.values()) {
    const nextHop = node.nextHop(request.rule, request.family);
    if (node.reason !== undefined || !nextHop || !used.has(nextHop.text)) {
      out.push({ node: node.name, reason: node.reason ?? reasonOnPath(node, state, request) });
    }
  }
  return out.sort((a, b) => (a.node < b.node ? -1 : 1));
}

/** Why a node that passes the node checks is no next hop of this prefix for these peers. */
function reasonOnPath(node: NodeState, { reads }: PrefixState, request: RouteRequest): Reason {
  const { set, rule, family, members } = request;
  if (!set.members.some((member) => selectsNode(member, node.node))) {
    return 'NotSelected';
  }
  if (!node.nextHop(rule, family)) {
    return 'NoAddressOfFamily';
  }
  const canServe = (service: ServiceRoutes): boolean =>
    service.serving[family].nodes.some(({ state }) => state.name === node.name);
  const locals = members.filter(({ policy }) => policy === 'Local');
  const offered = reads === 'every-node' || members.some(canServe);
  if (!offered || !locals.every(canServe)) {
    return 'NoEndpointOnNode';
  }
  return whyNotChosen(node.name, request);
}
