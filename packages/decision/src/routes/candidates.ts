// The nodes that can be next hops of one prefix for one group of peers, before any limit on their number.
// Members of the prefix, advertisements, nodes -> candidates, each with the advertisements that offer it.
//
//   1. A node is offered by the nodes of a member that have endpoints, or by an advertisement from AllNodes
//      (and by endpoints that name no node) - but never beyond a member of externalTrafficPolicy Local.
//   2. It must be able to serve every member: under Cluster any node forwards, under Local only its own.
//   3. At least one advertisement selects it, and it has an address that these peers can be given.

import type { Family } from '@herald/net';
import type { AdvertisementSet, AdvertisementSets } from './advertisement-set.ts';
import type { NodeState } from './node-state.ts';
import type { Field, NodeView, Offer } from './node-view.ts';
import { selectsNode } from './node-view.ts';
import type { NextHopRule } from './next-hop-address.ts';
import type { ServiceRoutes, ServingNode } from './service-routes.ts';

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
    : { kind: 'listed', list: joined(listed(serving, request), field, request) };
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
    for (const { state, endpoints } of serving[family].nodes) {
      const { name } = state.node;
      total.set(name, { state, endpoints: endpoints + (total.get(name)?.endpoints ?? 0) });
    }
  }
  for (const local of members.filter(({ policy }) => policy === 'Local')) {
    keepOnly(total, local.serving[family].nodes);
  }
  return [...total.values()].sort((a, b) => (a.state.node.name < b.state.node.name ? -1 : 1));
}

function keepOnly(total: Map<string, ServingNode>, nodes: readonly ServingNode[]): void {
  const able = new Set(nodes.map(({ state }) => state.node.name));
  for (const name of total.keys()) {
    if (!able.has(name)) {
      total.delete(name);
    }
  }
}

function listed(serving: readonly ServingNode[], request: CandidateRequest): Candidate[] {
  const list: Candidate[] = [];
  for (const { state, endpoints } of serving) {
    const nextHop = state.nextHop(request.rule, request.family);
    const set = nextHop && offering(state, request);
    if (set) {
      list.push({ state, nextHop, set, endpoints });
    }
  }
  return list;
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
  return set && { ...offer, set, endpoints };
}

/** Nodes with endpoints, and those of the field that have none and so only some of the advertisements. */
function joined(list: readonly Candidate[], field: Field, request: CandidateRequest): Candidate[] {
  const all = new Map(list.map((candidate) => [candidate.state.node.name, candidate]));
  for (const [name, offer] of field.offers) {
    const set = request.sets.narrow(
      request.set,
      (member) => member.nextHops.from === 'AllNodes' && selectsNode(member, offer.state.node),
    );
    if (set && !all.has(name)) {
      all.set(name, { ...offer, set, endpoints: 0 });
    }
  }
  return [...all.values()].sort((a, b) => (a.state.node.name < b.state.node.name ? -1 : 1));
}
