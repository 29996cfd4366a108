// Peers that are told exactly the same: in one table, reached by the same advertisements, with the same
// rules for next hops, ranks and numbers of paths. Routes are worked out once for a group. A peer with a
// limit on routes or sets is a group of its own, because what the limit cuts depends on that peer alone.
//
// Resolved peers and advertisements -> groups, sorted by key. Numbers are for tags only, never in a key
// that routes depend on.

import { matchesAny } from '@herald/api';
import type { Advertisement } from '@herald/api';
import type { Asn, Family } from '@herald/net';
import type { ResolvedPeer } from '../peers/resolved-peer.ts';
import type { PerFamily } from '../world.ts';
import type { AdvertisementSet, AdvertisementSets } from './advertisement-set.ts';
import { NextHopRule, ruleKey } from './next-hop-address.ts';
import type { PathClass } from './path-class.ts';
import { pathClass } from './path-class.ts';
import { DEFAULT_MED_BASE, rankRule } from './rank.ts';
import type { RankRule } from './rank.ts';

/** Name of the table that all peers of the default instance share; no view is called so. */
export const SHARED = '';

export interface PeerLimits {
  readonly routes: number | undefined;
  readonly nextHopSets: number | undefined;
}

interface GroupFields {
  readonly key: string;
  readonly table: string;
  readonly families: readonly Family[];
  readonly nextHop: NextHopRule;
  readonly rank: RankRule;
  /** Paths that one prefix may have; 1 in a view whose router takes only one. */
  readonly maxPaths: PerFamily<number>;
  readonly limits: PeerLimits | undefined;
  readonly asn: Asn;
  readonly advertisements: ReadonlySet<Advertisement>;
  /** Nothing about these peers narrows what they get: their paths may carry the tag for everybody. */
  readonly open: 'open' | 'narrowed';
}

export class PeerGroup {
  readonly fields: GroupFields;
  readonly peers: readonly ResolvedPeer[];
  /** Sorted. */
  readonly numbers: readonly number[];
  readonly #sets: AdvertisementSets;
  readonly #narrowed = new Map<AdvertisementSet, AdvertisementSet | undefined>();
  readonly #classes = new Map<AdvertisementSet, PathClass | undefined>();

  constructor(fields: GroupFields, peers: readonly ResolvedPeer[], sets: AdvertisementSets) {
    this.fields = fields;
    this.peers = peers;
    this.numbers = peers.map(({ number }) => number).sort((a, b) => a - b);
    this.#sets = sets;
  }

  get key(): string {
    return this.fields.key;
  }

  carries(family: Family): boolean {
    return this.fields.families.includes(family);
  }

  /** The advertisements of a set that reach these peers. */
  narrow(set: AdvertisementSet): AdvertisementSet | undefined {
    if (!this.#narrowed.has(set)) {
      this.#narrowed.set(
        set,
        this.#sets.narrow(set, (member) => this.fields.advertisements.has(member)),
      );
    }
    return this.#narrowed.get(set);
  }

  /** undefined when the advertisements of the set contradict each other. */
  classOf(set: AdvertisementSet): PathClass | undefined {
    if (!this.#classes.has(set)) {
      this.#classes.set(set, pathClass(set, this.fields.rank, this.fields.asn));
    }
    return this.#classes.get(set);
  }
}

export function peerGroups(
  peers: readonly ResolvedPeer[],
  advertisements: readonly Advertisement[],
  sets: AdvertisementSets,
  asn: Asn,
): PeerGroup[] {
  const rules = new Map<string, NextHopRule>();
  const grouped = new Map<string, { fields: GroupFields; peers: ResolvedPeer[] }>();
  for (const resolved of peers) {
    const fields = groupFields(resolved, advertisements, rules, asn);
    const group = grouped.get(fields.key) ?? { fields, peers: [] };
    group.peers.push(resolved);
    grouped.set(fields.key, group);
  }
  return [...grouped.values()]
    .sort((a, b) => (a.fields.key < b.fields.key ? -1 : 1))
    .map((group) => new PeerGroup(group.fields, group.peers, sets));
}

function groupFields(
  resolved: ResolvedPeer,
  advertisements: readonly Advertisement[],
  rules: Map<string, NextHopRule>,
  settingsAsn: Asn,
): GroupFields {
  const { peer, instance } = resolved;
  // A peer that is told nothing still counts in its table: no path is for everybody then.
  const reaching = resolved.told === 'routes' ? advertisements.filter((each) => reaches(each, resolved)) : [];
  const fields = {
    table: instance.kind === 'shared' ? SHARED : instance.name,
    families: resolved.families,
    nextHop: shared(rules, peer.nextHop),
    rank: rankRule(peer.rank),
    maxPaths: { 4: maxPaths(resolved, 4), 6: maxPaths(resolved, 6) },
    limits: limitsOf(resolved),
    asn: peer.localAs ?? settingsAsn,
    open: isOpen(resolved) ? ('open' as const) : ('narrowed' as const),
  };
  return { ...fields, key: groupKey(fields, reaching, resolved), advertisements: new Set(reaching) };
}

function groupKey(
  fields: Omit<GroupFields, 'key' | 'advertisements'>,
  reaching: readonly Advertisement[],
  resolved: ResolvedPeer,
): string {
  return JSON.stringify([
    fields.table,
    fields.families,
    fields.nextHop.key,
    fields.rank,
    fields.maxPaths,
    fields.asn,
    fields.open,
    reaching.map(({ name }) => name),
    fields.limits ? resolved.peer.name : '',
  ]);
}

export function reaches(advertisement: Advertisement, { peer }: ResolvedPeer): boolean {
  return (
    !restrictsPeers(advertisement) ||
    advertisement.peers.includes(peer.name) ||
    (advertisement.peerSelectors.length > 0 && matchesAny(advertisement.peerSelectors, peer.labels))
  );
}

export function restrictsPeers(advertisement: Advertisement): boolean {
  return advertisement.peers.length + advertisement.peerSelectors.length > 0;
}

function shared(rules: Map<string, NextHopRule>, spec: ResolvedPeer['peer']['nextHop']): NextHopRule {
  const key = ruleKey(spec);
  const rule = rules.get(key) ?? new NextHopRule(spec, rules.size);
  rules.set(key, rule);
  return rule;
}

function maxPaths({ peer, instance, addPath }: ResolvedPeer, family: Family): number {
  return instance.kind === 'view' && !addPath[family] ? 1 : peer.addPaths.maxPaths;
}

function limitsOf({ peer }: ResolvedPeer): PeerLimits | undefined {
  return peer.maxRoutes === undefined && peer.maxNextHopSets === undefined
    ? undefined
    : { routes: peer.maxRoutes, nextHopSets: peer.maxNextHopSets };
}

function isOpen({ peer }: ResolvedPeer): boolean {
  const { type, cidrs } = peer.nextHop;
  const usualRank = peer.rank.mode === 'MED' && (peer.rank.base ?? DEFAULT_MED_BASE) === DEFAULT_MED_BASE;
  return type === 'InternalIP' && cidrs.length === 0 && usualRank && peer.localAs === undefined;
}
