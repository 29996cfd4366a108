// Settings of a BGP instance that are not a neighbour's.
//
// What they are for: the router-id must be given (there is no zebra to ask); no address family is
// activated by itself; set clauses work towards iBGP routers; a new session gets its table at once
// (coalesce-time); stale routes of a feed that died stay as long as its own restart time allows, and are
// marked as still forwarded, because the workers forward whatever happens here (RFC 4724 F bit).
//
// Restart time (RFC 4724) and long-lived stale time (RFC 9494) exist once per instance in FRR: the largest
// that a peer of the instance asks for is used, so that none gets less; it holds from the next session on.

import type { PeerSession } from '@herald/decision';
import type { Address } from '@herald/net';
import { restarts } from './peer-neighbor.ts';

/** The longest time that a restart capability can carry; the feed asks for it. */
const FEED_STALE_SECONDS = 4095;
const DEFAULT_RESTART_SECONDS = 120;

export function instanceSettings(routerId: Address, peers: readonly PeerSession[]): string[] {
  return [
    `bgp router-id ${routerId.text}`,
    'bgp log-neighbor-changes',
    'no bgp default ipv4-unicast',
    'coalesce-time 0',
    ...restartTime(peers),
    `bgp graceful-restart stalepath-time ${FEED_STALE_SECONDS}`,
    'bgp graceful-restart preserve-fw-state',
    ...longLivedStaleTime(peers),
    'bgp route-reflector allow-outbound-policy',
  ];
}

function restartTime(peers: readonly PeerSession[]): string[] {
  const seconds = largest(peers, (peer) => peer.gracefulRestart?.restartTimeSeconds);
  const usual = seconds === 0 || seconds === DEFAULT_RESTART_SECONDS;
  return usual ? [] : [`bgp graceful-restart restart-time ${seconds}`];
}

function longLivedStaleTime(peers: readonly PeerSession[]): string[] {
  const seconds = largest(peers, (peer) => peer.gracefulRestart?.longLivedStaleTimeSeconds);
  return seconds === 0 ? [] : [`bgp long-lived-graceful-restart stale-time ${seconds}`];
}

function largest(peers: readonly PeerSession[], seconds: (peer: PeerSession) => number | undefined): number {
  return Math.max(0, ...peers.filter(restarts).map((peer) => seconds(peer) ?? 0));
}
