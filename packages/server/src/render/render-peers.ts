// Each BGPPeer with what was decided about it, what bgpd says of its session, and what goes to it. That a
// password is set is shown, never the password.

import type { Peer } from '@herald/api';
import type { PeerRoutes, PeerSession, SessionState } from '@herald/decision';
import type { Family } from '@herald/net';
import type { RunningPeer, Views } from '../views.ts';
import { MASK, familyName, renderTime } from './plain.ts';

export interface PeerView {
  readonly name: string;
  readonly address: string;
  readonly port: number;
  readonly remoteAs: string;
  readonly accepted: boolean;
  readonly reason: string;
  readonly message: string;
  readonly shutdown: boolean;
  /** Where bgpd runs it. */
  readonly instance: string;
  readonly plannedInstance: string;
  readonly password: string | null;
  readonly session: SessionView;
  readonly families: readonly FamilyView[];
  readonly routes: RoutesView;
}

export interface SessionView {
  readonly state: string;
  readonly since: string | null;
  readonly localAddress: string | null;
  readonly remoteAs: number | null;
  readonly authenticated: boolean;
  readonly connectionsDropped: number;
  readonly lastError: string;
}

export interface FamilyView {
  readonly family: 'ipv4' | 'ipv6';
  /** The session carries the family. */
  readonly carried: boolean;
  readonly addPath: 'negotiated' | 'not negotiated' | 'unknown';
}

export interface RoutesView {
  readonly prefixes: number;
  readonly paths: number;
  readonly sentPaths: { readonly ipv4: number; readonly ipv6: number };
  readonly nextHopSets: number;
  readonly trimmedPaths: number;
}

const NO_ROUTES: PeerRoutes = { prefixes: 0, paths: 0, nextHopSets: 0, trimmedPaths: 0 };

export function renderPeers(views: Views): PeerView[] {
  const plan = new Map(views.decision.sessions.peers.map((peer) => [peer.name, peer]));
  return [...views.world.peers.values()]
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .map((peer) => renderPeer(views, peer, plan.get(peer.name)));
}

function renderPeer(views: Views, peer: Peer, planned: PeerSession | undefined): PeerView {
  const verdict = views.decision.peers.get(peer.name);
  const session = views.world.sessions.get(peer.name);
  return {
    name: peer.name,
    address: peer.address.text,
    port: peer.port,
    remoteAs: String(peer.remoteAs),
    accepted: verdict?.accepted ?? false,
    reason: verdict?.reason ?? 'Undecided',
    message: verdict?.message ?? '',
    shutdown: peer.shutdown,
    instance: views.running.get(peer.name)?.instance ?? 'none',
    plannedInstance: plannedInstance(planned),
    password: peer.passwordSecret === undefined ? null : MASK,
    session: renderSession(session),
    families: peer.families.map((family) => renderFamily(family, planned, session)),
    routes: renderRouteCounts(views.decision.peerRoutes.get(peer.name), views.running.get(peer.name)),
  };
}

function plannedInstance(planned: PeerSession | undefined): string {
  if (planned === undefined) {
    return 'none';
  }
  return planned.instance.kind === 'shared' ? 'shared' : planned.instance.name;
}

function renderRouteCounts(desired: PeerRoutes = NO_ROUTES, running: RunningPeer | undefined): RoutesView {
  const sentPaths = { ipv4: running?.pathsSent[4] ?? 0, ipv6: running?.pathsSent[6] ?? 0 };
  return { ...desired, sentPaths };
}

function renderSession(session: SessionState | undefined): SessionView {
  return {
    state: session?.state ?? 'Unknown',
    since: renderTime(session?.sinceMs),
    localAddress: session?.localAddress ?? null,
    remoteAs: session?.remoteAs ?? null,
    authenticated: session?.authenticated ?? false,
    connectionsDropped: session?.connectionsDropped ?? 0,
    lastError: session?.lastError ?? '',
  };
}

function renderFamily(
  family: Family,
  planned: PeerSession | undefined,
  session: SessionState | undefined,
): FamilyView {
  const offered = session?.addPathReceive?.[family];
  return {
    family: familyName(family),
    carried: session?.families.includes(family) ?? false,
    addPath: addPathWord(planned?.addPath[family] ?? false, offered),
  };
}

function addPathWord(configured: boolean, offered: boolean | undefined): FamilyView['addPath'] {
  if (offered === undefined) {
    return 'unknown';
  }
  return configured && offered ? 'negotiated' : 'not negotiated';
}
