// The nodes that can be next hops of one prefix for one group of peers, before any limit on their number.
// Members of the prefix, advertisements, nodes -> candidates, each with the advertisements that offer it.
//
//   1. A node is offered by the nodes of a member that have endpoints, or by an advertisement from AllNodes
//      (and by endpoints that name no node) - but never beyond a member of externalTrafficPolicy Local.
//   2. It must be able to serve every member: under Cluster any node forwards, under Local only its own.
//   3. At least one advertisement selects it, and it has an address that these peers can be given.
//   4. A node of which all endpoints are terminating goes as soon as another candidate that need not wait has a
//      ready one. Its kube-proxy answers until the last of them ends, so nothing is lost on the way; to stay until
//      then would be to leave later than kube-proxy stops (docs/adr/0007).

import type { Family } from '@herald/net';
import type { AdvertisementSet, AdvertisementSets } from './advertisement-set.ts';
import { bothJoins, eitherJoin } from './join.ts';
import type { Join } from './join.ts';
import type { NodeState } from './node-state.ts';
import type { Field, NodeView, Offer } from './node-view.ts';
import { selectsNode } from './node-view.ts';
import type { NextHopRule } from './next-hop-address.ts';
import type { ServiceRoutes } from './service-routes.ts';
import type { ServingNode } from './serving-nodes.ts';

export interface CandidateRequest {
  readonly members: readonly ServiceRoutes[];
  readonly set: AdvertisementSet;
  readonly rule: NextHopRule;
  readonly family: Family;
  readonly view: NodeView;
  readonly sets: AdvertisementSets;
}

export interface Candidate extends Offer {
  readonly set: AdvertisementSet;
  readonly endpoints: number;
  /** A candidate that waits is one all the same: others may not be there. */
  readonly join: Join;
}

export type Candidates =
  | { readonly kind: 'listed'; readonly list: readonly Candidate[] }
  /** Every node of a field; too many to list for each prefix. */
  | {
      readonly kind: 'field';
      readonly field: Field;
      readonly candidate: (name: string) => Candidate | undefined;
    };

export function candidatesFor(request: CandidateRequest): Candidates {
  const serving = servingAll(request);
  const everyNode = everyNodeSet(request);
  if (!everyNode) {
    return { kind: 'listed', list: listed(serving, request) };
  }
  const field = request.view.field(everyNode, request.rule, request.family);
  return everyNode === request.set
    ? { kind: 'field', field, candidate: (name) => fromField(name, field, serving, request) }
    : { kind: 'listed', list: withField(listed(serving, request), field, request) };
}

/** The set of all nodes that the advertisements offer, whatever their endpoints: what many Services can share. */
export function sharedField({ view, set, rule, family }: CandidateRequest): Field {
  return view.field(set, rule, family);
}

/** The advertisements under which nodes without endpoints are offered too; undefined for none. */
function everyNodeSet({ members, set, family, sets }: CandidateRequest): AdvertisementSet | undefined {
  if (members.some(({ policy }) => policy === 'Local')) {
    return undefined;
  }
  const reachesAnywhere = members.some(
    ({ serving }) => serving[family].nameless && serving[family].nodes.length === 0,
  );
  return reachesAnywhere ? set : sets.narrow(set, ({ nextHops }) => nextHops.from === 'AllNodes');
}

/** Nodes with endpoints that can serve every member, by name and with all their endpoints. */
function servingAll({ members, family }: CandidateRequest): readonly ServingNode[] {
  const [only, ...others] = members;
  if (!only || others.length === 0) {
    return only?.serving[family].nodes ?? [];
  }
  const total = new Map<string, ServingNode>();
  for (const { serving } of members) {
    for (const node of serving[family].nodes) {
      const known = total.get(node.state.name);
      total.set(node.state.name, known ? together(known, node) : node);
    }
  }
  const local = members.filter(({ policy }) => policy === 'Local');
  const able =
    local.length > 0
      ? throughAll(
          local.map(({ serving }) => serving[family].nodes),
          total,
        )
      : total;
  return [...able.values()].sort((a, b) => (a.state.node.name < b.state.node.name ? -1 : 1));
}

function together(a: ServingNode, b: ServingNode): ServingNode {
  return {
    state: a.state,
    endpoints: a.endpoints + b.endpoints,
    leaving: a.leaving && b.leaving,
    join: eitherJoin(a.join, b.join),
  };
}

/** Those of `total` that are in every list; a node has to be programmed for each of them, and leaves with any. */
function throughAll(
  lists: readonly (readonly ServingNode[])[],
  total: ReadonlyMap<string, ServingNode>,
): Map<string, ServingNode> {
  const [first = [], ...others] = lists.map((nodes) => new Map(nodes.map((each) => [each.state.name, each])));
  const able = new Map<string, ServingNode>();
  for (const [name, one] of first) {
    const rest = others.flatMap((list) => list.get(name) ?? []);
    const node = total.get(name);
    if (node && rest.length === others.length) {
      const leaving = [one, ...rest].some((each) => each.leaving);
      able.set(name, { ...node, leaving, join: rest.map(({ join }) => join).reduce(bothJoins, one.join) });
    }
  }
  return able;
}

function listed(serving: readonly ServingNode[], request: CandidateRequest): Candidate[] {
  const staying: Candidate[] = [];
  const all: Candidate[] = [];
  for (const { state, endpoints, leaving, join } of serving) {
    const nextHop = state.nextHop(request.rule, request.family);
    const set = nextHop && offering(state, request);
    if (set) {
      const candidate = { state, nextHop, set, endpoints, join };
      all.push(candidate);
      if (!leaving) {
        staying.push(candidate);
      }
    }
  }
  return staying.some(({ join }) => join.settled) ? staying : all;
}

function offering(state: NodeState, { set, sets }: CandidateRequest): AdvertisementSet | undefined {
  return set.nodes === 'alike' ? set : sets.narrow(set, (member) => selectsNode(member, state.node));
}

function fromField(
  name: string,
  field: Field,
  serving: readonly ServingNode[],
  request: CandidateRequest,
): Candidate | undefined {
  const offer = field.offers.get(name);
  const set = offer && offering(offer.state, request);
  const endpoints = serving.find(({ state }) => state === offer?.state)?.endpoints ?? 0;
  return set && { ...offer, set, endpoints, join: offer.state.join };
}

/** Nodes with endpoints, and those of the field that have none and so only some of the advertisements. */
function withField(list: readonly Candidate[], field: Field, request: CandidateRequest): Candidate[] {
  const all = new Map(list.map((candidate) => [candidate.state.node.name, candidate]));
  for (const [name, offer] of field.offers) {
    const set = request.sets.narrow(
      request.set,
      (member) => member.nextHops.from === 'AllNodes' && selectsNode(member, offer.state.node),
    );
    const known = all.get(name);
    // A node that serves without an endpoint anyway does not join when it gets one.
    if (set) {
      const { join } = offer.state;
      all.set(
        name,
        known ? { ...known, join: eitherJoin(known.join, join) } : { ...offer, set, endpoints: 0, join },
      );
    }
  }
  return [...all.values()].sort((a, b) => (a.state.node.name < b.state.node.name ? -1 : 1));
}
