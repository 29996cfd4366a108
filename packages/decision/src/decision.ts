// The Decision is everything that Herald wants to be true, whole: address writes, route tables, sessions,
// and a verdict with a reason for every object that people look at. Outputs diff inside.
//
// Types only. Maps and entries that did not change are the same references as in the last Decision.

import type { PeerGracefulRestart, Reason } from '@herald/api';
import type { Address, Asn, Family, PersistentMap, RouteTable } from '@herald/net';
import type { Allocation, PoolVerdict } from './allocate/allocation.ts';
import type { Instance, PeerVerdict } from './peers/resolved-peer.ts';
import type { PerFamily } from './world.ts';

export interface Decision {
  readonly allocations: readonly Allocation[];
  readonly tables: Tables;
  readonly sessions: SessionPlan;
  /** By namespace/name. */
  readonly services: PersistentMap<ServiceVerdict>;
  /** By name. */
  readonly peers: PersistentMap<PeerVerdict>;
  readonly pools: PersistentMap<PoolVerdict>;
  readonly advertisements: PersistentMap<AdvertisementVerdict>;
  /** By peer name: how much goes to it. */
  readonly peerRoutes: PersistentMap<PeerRoutes>;
  /** By namespace/name: why a Service lacks (some of) the addresses that it asks for; the leader's only. */
  readonly unmet: PersistentMap<Reason>;
  /** Names of nodes that stay next hops although they are not Ready (HeldByGuard). */
  readonly heldNodes: ReadonlySet<string>;
  /** Nodes that could serve a Service and wait, sorted by Service. One with a port is to be probed. */
  readonly joining: readonly Joining[];
  /** When to decide again though nothing has changed, by the clock of World.now. */
  readonly wakeAtMs: number | undefined;
}

/** A node that may still be new to its kube-proxy; it waits wherever others serve. */
export interface Joining {
  readonly serviceKey: string;
  readonly node: string;
  /** Of the node, for a probe. */
  readonly address: Address;
  /** The health port that says when the node is programmed; undefined where only time can tell. */
  readonly port: number | undefined;
  /** Of the port on the node in one family, as World.programmed is keyed; undefined without a port. */
  readonly probe: string | undefined;
  /** When the wait ends by itself; undefined while the port answers that the node is not programmed. */
  readonly untilMs: number | undefined;
}

export interface Tables {
  /** For the peers that share the default instance; paths carry export tags. */
  readonly shared: RouteTable;
  /** By view name; paths carry no tags. */
  readonly views: ReadonlyMap<string, RouteTable>;
}

export interface ServiceVerdict {
  readonly announced: boolean;
  readonly reason: Reason | 'Advertised';
  /** Texts of the prefixes that carry it, sorted. */
  readonly prefixes: readonly string[];
  /** Distinct next hops over all its prefixes and peers. */
  readonly nextHops: number;
  /** What is not as asked although it is announced (NextHopSetLimit, MaxRoutes, ...), sorted. */
  readonly remarks: readonly Reason[];
}

export interface AdvertisementVerdict {
  readonly accepted: boolean;
  readonly reason: Reason | 'Accepted';
  readonly message: string;
  /** Services of which at least one address is selected. */
  readonly services: number;
  /** Prefixes that some peer is told because of it; not less what a peer's limit of routes keeps back. */
  readonly prefixes: number;
}

export interface PeerRoutes {
  readonly prefixes: number;
  readonly paths: number;
  /** Distinct sets of next hops, the ECMP groups that the router needs. */
  readonly nextHopSets: number;
  /** Paths kept back because of maxRoutes. */
  readonly trimmedPaths: number;
}

export interface SessionPlan {
  readonly asn: Asn;
  readonly routerId: Address;
  /** Sorted by name. */
  readonly peers: readonly PeerSession[];
}

export interface PeerSession {
  readonly name: string;
  readonly number: number;
  readonly address: Address;
  readonly port: number;
  readonly remoteAs: Asn | 'internal' | 'external';
  readonly internal: boolean;
  readonly localAs: Asn | undefined;
  readonly sourceAddress: Address | undefined;
  readonly holdTimeSeconds: number;
  readonly keepaliveTimeSeconds: number;
  readonly connectTimeSeconds: number;
  readonly ebgpMultiHop: number | undefined;
  readonly ttlSecurityHops: number | undefined;
  readonly password: string | undefined;
  readonly shutdown: boolean;
  readonly families: readonly Family[];
  /** addpath-tx-all-paths is configured for the family. */
  readonly addPath: PerFamily<boolean>;
  readonly instance: Instance;
  readonly gracefulRestart: PeerGracefulRestart | undefined;
  readonly maxPaths: number;
}
