// One peer as bgpd is to hold it: the line between what a BGPPeer says and what the configuration needs.
// What contradicts itself in bgpd is settled here: a TTL for external peers means nothing for internal ones
// or beside GTSM (RFC 5082), and a local AS number of our own is no override.
//
// `unresolved` marks a peer whose password cannot be read: a session that runs is to be left exactly as it
// is, and none may be opened, because without the password it would be another session.

import type { SessionPlan } from '../decision.ts';
import type { PeerSession } from '../decision.ts';
import type { DecisionSettings } from '../world.ts';
import type { PasswordReading } from './read-password.ts';
import type { ResolvedPeer } from './resolved-peer.ts';

export interface PlannedPeer extends PeerSession {
  readonly unresolved: boolean;
}

export interface PlannedSessions extends SessionPlan {
  readonly peers: readonly PlannedPeer[];
}

export function sessionOfPeer(
  resolved: ResolvedPeer,
  reading: PasswordReading,
  settings: DecisionSettings,
): PlannedPeer {
  const { peer, internal } = resolved;
  return {
    name: peer.name,
    number: resolved.number,
    address: peer.address,
    port: peer.port,
    remoteAs: peer.remoteAs,
    internal,
    localAs: internal || peer.localAs === settings.asn ? undefined : peer.localAs,
    sourceAddress: peer.sourceAddress,
    holdTimeSeconds: peer.holdTimeSeconds,
    keepaliveTimeSeconds: peer.keepaliveTimeSeconds,
    connectTimeSeconds: peer.connectTimeSeconds,
    ebgpMultiHop: internal || peer.ttlSecurityHops !== undefined ? undefined : peer.ebgpMultiHop,
    ttlSecurityHops: peer.ttlSecurityHops,
    password: reading.kind === 'password' ? reading.password : undefined,
    unresolved: reading.kind === 'fault',
    shutdown: peer.shutdown,
    families: resolved.families,
    addPath: resolved.addPath,
    instance: resolved.instance,
    gracefulRestart: peer.gracefulRestart.enabled ? peer.gracefulRestart : undefined,
    maxPaths: peer.addPaths.maxPaths,
  };
}
