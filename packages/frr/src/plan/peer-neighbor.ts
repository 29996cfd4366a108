// One router: PeerSession -> the lines of its neighbour. The order is the one in which bgpd may be told
// (filters before `activate` would be too late for nobody: they are defined before any neighbour).
//
// The next hop is never touched: eBGP neighbours are told so (`attribute-unchanged`, MED included, which
// carries the rank), iBGP neighbours get what the reflector got. `ebgp-multihop` means nothing for iBGP
// and is refused beside GTSM (RFC 5082), which states the distance more strictly; so GTSM wins.

import type { PeerSession } from '@herald/decision';
import type { AppliedPeer } from './applied-plan.ts';
import type { Family } from '@herald/net';
import { DENY_ALL, exportName } from './policy.ts';
import type { NeighborDraft } from './neighbor-draft.ts';

export const PEER_DESCRIPTION = 'peer ';

const BGP_PORT = 179;
/** bgpd prints the largest TTL without its value and single-hop not at all. */
const LARGEST_TTL = 255;
const SINGLE_HOP = 1;
const MESSAGE_LENGTH = 128;

export function peerNeighbor(peer: AppliedPeer, localAsn: number): NeighborDraft {
  return {
    address: peer.address.text,
    lines: [
      `remote-as ${peer.remoteAs}`,
      ...localAs(peer, localAsn),
      `description ${PEER_DESCRIPTION}${peer.name}`,
      ...when(peer.shutdown, shutdownLine(peer.shutdownMessage)),
      ...when(peer.port !== BGP_PORT, `port ${peer.port}`),
      ...when(peer.password !== undefined, `password ${peer.password}`),
      ...distance(peer),
      ...when(peer.sourceAddress !== undefined, `update-source ${peer.sourceAddress?.text}`),
      `timers ${peer.keepaliveTimeSeconds} ${peer.holdTimeSeconds}`,
      `timers connect ${peer.connectTimeSeconds}`,
      restarts(peer) ? 'graceful-restart' : 'graceful-restart-disable',
    ],
    families: { 4: familyLines(peer, 4, localAsn), 6: familyLines(peer, 6, localAsn) },
  };
}

/** One line of printable ASCII; more octets than RFC 8203 allowed some routers do not take. */
function shutdownLine(message: string | undefined): string {
  const text = (message ?? '')
    .replace(/[^ -~]/g, '')
    .slice(0, MESSAGE_LENGTH)
    .trim();
  return text === '' ? 'shutdown' : `shutdown message ${text}`;
}

export function restarts(peer: PeerSession): boolean {
  return peer.gracefulRestart?.enabled === true;
}

/** The router sees only the other number: neither prepended to nor beside our own. */
function localAs(peer: PeerSession, localAsn: number): string[] {
  const overridden = peer.localAs !== undefined && peer.localAs !== localAsn && !peer.internal;
  return when(overridden, `local-as ${peer.localAs} no-prepend replace-as`);
}

function distance(peer: PeerSession): string[] {
  if (peer.ttlSecurityHops !== undefined) {
    return [`ttl-security hops ${peer.ttlSecurityHops}`];
  }
  const hops = peer.ebgpMultiHop ?? SINGLE_HOP;
  if (peer.internal || hops <= SINGLE_HOP) {
    return [];
  }
  return [hops >= LARGEST_TTL ? 'ebgp-multihop' : `ebgp-multihop ${hops}`];
}

function familyLines(peer: PeerSession, family: Family, localAsn: number): string[] {
  if (!peer.families.includes(family)) {
    return [];
  }
  return [
    'activate',
    ...when(peer.addPath[family], 'addpath-tx-all-paths'),
    `route-map ${DENY_ALL} in`,
    `route-map ${exportName(peer, localAsn)} out`,
    ...when(!peer.internal, 'attribute-unchanged next-hop med'),
  ];
}

function when(wanted: boolean, line: string): string[] {
  return wanted ? [line] : [];
}
