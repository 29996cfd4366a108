// A BGPPeer with its defaults applied and its values parsed: one router, and what it may be told.
// Whether the peer is usable (its Secret, another peer with its address) takes other objects to know.

import type { Address, Asn, Family, Prefix } from '@herald/net';
import type { LabelSelector } from './label-selector.ts';
import type { Meta } from './meta.ts';

export interface PeerBfd {
  readonly receiveIntervalMs: number;
  readonly transmitIntervalMs: number;
  readonly detectMultiplier: number;
  readonly passive: boolean;
  readonly minimumTtl: number;
}

export interface PeerNextHop {
  readonly type: 'InternalIP' | 'ExternalIP' | 'Annotation';
  /** The node annotation that holds the addresses; set exactly when `type` is Annotation. */
  readonly annotation: string | undefined;
  /** Only node addresses inside one of these; empty means any. */
  readonly cidrs: readonly Prefix[];
}

export interface PeerGracefulRestart {
  readonly enabled: boolean;
  readonly restartTimeSeconds: number;
  readonly longLivedStaleTimeSeconds: number | undefined;
}

export interface Peer extends Meta {
  readonly kind: 'BGPPeer';
  readonly address: Address;
  readonly port: number;
  readonly remoteAs: Asn | 'internal' | 'external';
  /** Shown to an external peer instead of Herald's own. */
  readonly localAs: Asn | undefined;
  readonly sourceAddress: Address | undefined;
  /** 0 turns hold and keepalive timers off (RFC 4271 section 4.2). */
  readonly holdTimeSeconds: number;
  readonly keepaliveTimeSeconds: number;
  readonly connectTimeSeconds: number;
  /** TTL of packets towards an external peer; means nothing while ttlSecurityHops is set. */
  readonly ebgpMultiHop: number;
  /** GTSM (RFC 5082): packets from further away than this are dropped. */
  readonly ttlSecurityHops: number | undefined;
  readonly passwordSecret: { readonly name: string; readonly key: string } | undefined;
  readonly families: readonly Family[];
  readonly addPaths: { readonly mode: 'Auto' | 'Disabled'; readonly maxPaths: number };
  readonly maxRoutes: number | undefined;
  readonly maxNextHopSets: number | undefined;
  readonly rank: { readonly mode: 'MED' | 'LocalPref' | 'None'; readonly base: number | undefined };
  readonly gracefulRestart: PeerGracefulRestart;
  readonly bfd: PeerBfd | undefined;
  readonly replicaSelector: LabelSelector | undefined;
  readonly nextHop: PeerNextHop;
  readonly shutdown: boolean;
}
