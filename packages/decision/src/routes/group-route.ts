// The route of one prefix for one group of peers, without rank and tags: candidates, cut to the number of
// paths that advertisement and peer allow, each with its path class and weight.
//
// Contradicting advertisements give no route and the reason, never a guess.

import type { Reason } from '@herald/api';
import type { Prefix } from '@herald/net';
import { candidatesFor, sharedField } from './candidates.ts';
import type { Candidate, CandidateRequest, Candidates } from './candidates.ts';
import type { Hop } from './hop.ts';
import type { Interner } from './interner.ts';
import type { PeerGroup } from './peer-group.ts';
import { admitted } from './join.ts';
import { spread, spreadOf } from './spread.ts';

export interface RouteRequest extends CandidateRequest {
  readonly prefix: Prefix;
  readonly group: PeerGroup;
  readonly interner: Interner;
}

export interface GroupRoute {
  readonly group: PeerGroup;
  /** Sorted by node name, never empty. */
  readonly hops: readonly Hop[];
  /** Nodes there were to choose from. */
  readonly candidates: number;
  /** Changes of any node may change it. */
  readonly reads: 'endpoint-nodes' | 'every-node';
}

export interface GroupRefusal {
  readonly group: PeerGroup;
  readonly reason: Reason;
  /** Names of the advertisements that are to blame. */
  readonly advertisements: readonly string[];
}

export type GroupOutcome =
  | { readonly kind: 'route'; readonly route: GroupRoute }
  | { readonly kind: 'refused'; readonly refusal: GroupRefusal; readonly reads: GroupRoute['reads'] };

/** A constant key, so that every prefix that shares the set of all nodes has the same part of it. */
const SHARED_SET = '';

export function groupRoute(request: RouteRequest): GroupOutcome {
  const { nextHops } = request.set;
  if (nextHops.kind === 'contradiction') {
    return refused(request, 'AdvertisementConflict', 'endpoint-nodes');
  }
  const candidates = candidatesFor(request);
  const limit = Math.min(nextHops.values.max ?? Infinity, maxPaths(request));
  return routeThrough(chosen(request.prefix.text, candidates, limit), candidates, request);
}

/** The route through the set of next hops that Services share when a peer has no room for one each. */
export function sharedRoute(request: RouteRequest): GroupOutcome {
  const field = sharedField(request);
  const candidates: Candidates = {
    kind: 'field',
    field,
    candidate: (name) => {
      const offer = field.offers.get(name);
      return offer && { ...offer, set: request.set, endpoints: 0, join: offer.state.join };
    },
  };
  return routeThrough(chosen(SHARED_SET, candidates, maxPaths(request)), candidates, request);
}

/** The same route with fewer hops. */
export function trimmedHops(prefix: Prefix, hops: readonly Hop[], count: number): readonly Hop[] {
  if (hops.length <= count) {
    return hops;
  }
  const placed = hops.map(({ nextHop, memberHash }) => ({ name: nextHop.text, hash: memberHash, zone: '' }));
  const kept = new Set(spreadOf(prefix.text, placed, count));
  return hops.filter(({ nextHop }) => kept.has(nextHop.text));
}

function maxPaths({ group, family }: RouteRequest): number {
  return group.fields.maxPaths[family];
}

function chosen(key: string, candidates: Candidates, limit: number): readonly Candidate[] {
  if (candidates.kind === 'field') {
    const names = [...spread(key, candidates.field.zones, limit)].sort();
    return names.flatMap((name) => candidates.candidate(name) ?? []);
  }
  const list = admitted(candidates.list, ({ join }) => join);
  if (list.length <= limit) {
    return list;
  }
  const states = list.map(({ state }) => state);
  const names = new Set(spreadOf(key, states, limit));
  return list.filter(({ state }) => names.has(state.name));
}

function routeThrough(
  picked: readonly Candidate[],
  candidates: Candidates,
  request: RouteRequest,
): GroupOutcome {
  const reads = candidates.kind === 'field' || offersEveryNode(request) ? 'every-node' : 'endpoint-nodes';
  if (picked.length === 0) {
    return refused(request, 'NoNextHop', reads);
  }
  const hops = hopsOf(picked, request);
  return hops
    ? { kind: 'route', route: { group: request.group, hops, candidates: sizeOf(candidates), reads } }
    : refused(request, 'AdvertisementConflict', reads);
}

function offersEveryNode({ set }: RouteRequest): boolean {
  return set.members.some(({ nextHops }) => nextHops.from === 'AllNodes');
}

/** Why a node that is selected, has an address and can serve is not in the route. */
export function whyNotChosen(name: string, request: RouteRequest): Reason {
  const candidates = candidatesFor(request);
  if (candidates.kind === 'field') {
    return candidates.field.offers.has(name) ? 'OverNextHopLimit' : 'JoinPending';
  }
  const { list } = candidates;
  const isIt = ({ state }: Candidate): boolean => state.name === name;
  if (!list.some(isIt)) {
    return 'EndpointsTerminating';
  }
  return admitted(list, ({ join }) => join).some(isIt) ? 'OverNextHopLimit' : 'JoinPending';
}

function sizeOf(candidates: Candidates): number {
  return candidates.kind === 'field' ? candidates.field.offers.size : candidates.list.length;
}

/** undefined when the advertisements that offer one of the nodes contradict each other. */
function hopsOf(picked: readonly Candidate[], { group, set, interner }: RouteRequest): Hop[] | undefined {
  const weighted = set.nextHops.kind === 'agreed' && set.nextHops.values.weight === 'Endpoints';
  const hops: Hop[] = [];
  for (const candidate of picked) {
    const pathClass = group.classOf(candidate.set);
    if (!pathClass) {
      return undefined;
    }
    hops.push(interner.hop(candidate.nextHop, pathClass, weighted ? Math.max(candidate.endpoints, 1) : 0));
  }
  return distinct(hops);
}

/** Two nodes with one address are a mistake in the cluster; the first by name stands for both. */
function distinct(hops: Hop[]): Hop[] {
  const texts = new Set<string>();
  hops.forEach(({ nextHop }) => texts.add(nextHop.text));
  return texts.size === hops.length ? hops : hops.filter(({ nextHop }) => texts.delete(nextHop.text));
}

function refused(request: RouteRequest, reason: Reason, reads: GroupRoute['reads']): GroupOutcome {
  const advertisements = request.set.members.map(({ name }) => name);
  return { kind: 'refused', refusal: { group: request.group, reason, advertisements }, reads };
}
