// The peers of a plan: what is thought of each and how much goes to it. Sorted by name.

import type { Peer } from '@herald/api';
import type { PeerRoutes, PeerVerdict } from '@herald/decision';

import type { Offline } from './decide-offline.ts';
import { sortedEntries } from './sorted-entries.ts';

export interface PlannedPeer extends PeerRoutes {
  readonly name: string;
  readonly address: string;
  readonly port: number;
  /** A number, or `internal` or `external`. */
  readonly asn: string;
  readonly accepted: boolean;
  readonly reason: PeerVerdict['reason'];
  readonly message: string;
  /** `shared`: in bgpd's default instance; `view`: in one of its own; `none`: not spoken to. */
  readonly instance: PeerVerdict['instance'];
  readonly families: readonly ('ipv4' | 'ipv6')[];
  readonly authenticated: 'md5' | 'no';
}

const NO_ROUTES: PeerRoutes = { prefixes: 0, paths: 0, nextHopSets: 0, trimmedPaths: 0 };

const UNJUDGED: PeerVerdict = { accepted: false, reason: 'Invalid', message: '', instance: 'none' };

export function plannedPeers({ world, decision }: Offline): PlannedPeer[] {
  return sortedEntries(world.peers).map(([name, peer]) =>
    plannedPeer(peer, decision.peers.get(name) ?? UNJUDGED, decision.peerRoutes.get(name) ?? NO_ROUTES),
  );
}

function plannedPeer(peer: Peer, verdict: PeerVerdict, routes: PeerRoutes): PlannedPeer {
  return {
    name: peer.name,
    address: peer.address.text,
    port: peer.port,
    asn: String(peer.remoteAs),
    accepted: verdict.accepted,
    reason: verdict.reason,
    message: verdict.message,
    instance: verdict.instance,
    families: peer.families.map((family) => (family === 4 ? 'ipv4' : 'ipv6')),
    authenticated: peer.passwordSecret === undefined ? 'no' : 'md5',
    prefixes: routes.prefixes,
    paths: routes.paths,
    nextHopSets: routes.nextHopSets,
    trimmedPaths: routes.trimmedPaths,
  };
}
