// What route computation keeps from one decision to the next: its inputs, indexes over them and every
// intermediate result, all as persistent values, so that a decision may be taken twice from one memory.
//
// RouteMemory is a cache: without it the outcome is the same. RankMemory is not: which rank a prefix has
// depends on when it last changed, so it is an input like the World.

import type { Advertisement, EndpointSlice, Node, Peer, Pool, Reason, Service } from '@herald/api';
import { PersistentMap } from '@herald/net';
import type { ReaderIndex } from '../incremental/reader-index.ts';
import type { MemberIndex } from '../incremental/member-index.ts';
import type { SliceIndex } from '../incremental/slice-index.ts';
import type { ResolvedPeer } from '../peers/resolved-peer.ts';
import type { AdvertisementVerdict, PeerRoutes, ServiceVerdict, Tables } from '../decision.ts';
import type { World } from '../world.ts';
import type { AdvertisementCounts } from './advertisement-verdicts.ts';
import { NO_INFRASTRUCTURE } from './infrastructure.ts';
import type { Infrastructure } from './infrastructure.ts';
import { Interner } from './interner.ts';
import type { Limits } from './limits.ts';
import { NodeView } from './node-view.ts';
import type { Policy } from './policy.ts';
import type { PrefixState } from './prefix-state.ts';
import type { RankedRoute } from './rank.ts';
import type { ServiceRoutes } from './service-routes.ts';
import type { Tallies } from './tally.ts';

export interface RouteInputs {
  readonly world: World;
  readonly peers: readonly ResolvedPeer[];
  /** Whether any router is told anything; otherwise tables are only kept ready. */
  readonly announces: boolean;
  /** By Service key, from address allocation. */
  readonly refusals: PersistentMap<Reason>;
  /** By Service key: why it lacks (some of) the addresses that it asks for. */
  readonly unmet: PersistentMap<Reason>;
}

/** What was read last time: only what routes read, so that a memory does not hold on to whole Worlds. */
export interface ReadInputs {
  readonly nodes: PersistentMap<Node>;
  readonly services: PersistentMap<Service>;
  readonly endpointSlices: PersistentMap<EndpointSlice>;
  readonly allPeers: PersistentMap<Peer>;
  readonly pools: PersistentMap<Pool>;
  readonly advertisements: PersistentMap<Advertisement>;
  readonly settings: World['settings'];
  readonly peers: readonly ResolvedPeer[];
  readonly refusals: PersistentMap<Reason>;
  readonly unmet: PersistentMap<Reason>;
}

export interface RouteMemory {
  readonly read: ReadInputs;
  readonly policy: Policy;
  readonly slices: SliceIndex;
  readonly view: NodeView;
  readonly readers: ReaderIndex;
  readonly infrastructure: Infrastructure;
  readonly services: PersistentMap<ServiceRoutes>;
  readonly members: MemberIndex;
  /** By prefix text. */
  readonly prefixes: PersistentMap<PrefixState>;
  /** Prefixes that any node's change may change. */
  readonly everyNodeReaders: PersistentMap<true>;
  /** By group key, for groups whose peer has limits. */
  readonly limits: ReadonlyMap<string, Limits>;
  readonly tallies: Tallies;
  readonly counts: AdvertisementCounts;
  readonly interner: Interner;
  /** As worked out; the outcome has them emptied while this replica only stands ready. */
  readonly tables: Tables;
  readonly outcome: RouteOutcome;
}

export interface RouteOutcome {
  readonly tables: Tables;
  readonly services: PersistentMap<ServiceVerdict>;
  readonly advertisements: PersistentMap<AdvertisementVerdict>;
  readonly peerRoutes: PersistentMap<PeerRoutes>;
}

export interface RankMemory {
  /** By prefix text. */
  readonly routes: PersistentMap<readonly RankedRoute[]>;
  /** Whether they were announced; what only stood ready has no rank to keep. */
  readonly announced: boolean;
  readonly leading: boolean;
  /** Of this replica, in the ranks that it has as a standby. */
  readonly ordinal: number;
  /** Freshness.othersFreshUntilMs, as it was taken into account. */
  readonly othersFreshUntilMs: number | undefined;
}

const NOTHING_READ: Omit<ReadInputs, 'settings'> = {
  nodes: PersistentMap.empty(),
  services: PersistentMap.empty(),
  endpointSlices: PersistentMap.empty(),
  allPeers: PersistentMap.empty(),
  pools: PersistentMap.empty(),
  advertisements: PersistentMap.empty(),
  peers: [],
  refusals: PersistentMap.empty(),
  unmet: PersistentMap.empty(),
};

const NO_OUTCOME: RouteOutcome = {
  tables: { shared: PersistentMap.empty(), views: new Map() },
  services: PersistentMap.empty(),
  advertisements: PersistentMap.empty(),
  peerRoutes: PersistentMap.empty(),
};

/** The memory of a replica that has not decided anything under this policy. */
export function emptyRouteMemory(policy: Policy): RouteMemory {
  return {
    read: { ...NOTHING_READ, settings: policy.settings },
    policy,
    slices: PersistentMap.empty(),
    view: new NodeView(PersistentMap.empty()),
    readers: PersistentMap.empty(),
    infrastructure: NO_INFRASTRUCTURE,
    services: PersistentMap.empty(),
    members: PersistentMap.empty(),
    prefixes: PersistentMap.empty(),
    everyNodeReaders: PersistentMap.empty(),
    limits: new Map(),
    tallies: new Map(),
    counts: new Map(),
    interner: new Interner(),
    tables: NO_OUTCOME.tables,
    outcome: NO_OUTCOME,
  };
}

export function readInputs({ world, peers, refusals, unmet }: RouteInputs): ReadInputs {
  const { nodes, services, endpointSlices, pools, advertisements, settings } = world;
  return {
    nodes,
    services,
    endpointSlices,
    allPeers: world.peers,
    pools,
    advertisements,
    settings,
    peers,
    refusals,
    unmet,
  };
}
