// Who leads, every replica with what it says of itself in its object, and what it tells the others directly, sorted by
// name. What a replica has not said yet is
// shown as nothing: zero, '' or null.

import type { HeraldReplicaStatus } from '@herald/api';
import type { HeardReplica, Views } from '../views.ts';
import { renderTime } from './plain.ts';

export interface LeaderStatus {
  readonly leading: boolean;
  readonly term: number;
  readonly holder: string | null;
  readonly since: string | null;
}

type PeerStatus = NonNullable<HeraldReplicaStatus['peers']>[number];
type FamilyStatus = NonNullable<PeerStatus['families']>[number];

export function renderLeader({ world, leader }: Views): LeaderStatus {
  const { leading, term } = world.leadership;
  return { leading, term, holder: leader.holder ?? null, since: renderTime(leader.sinceMs) };
}

export function renderReplicas({ replicas }: Views) {
  return [...replicas]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, status]) => renderReplica(name, status));
}

export function renderExchange({ exchange }: Views) {
  const { stale, heard, problems } = exchange;
  return {
    stale,
    heard: heard.toSorted((a, b) => (a.report.replica < b.report.replica ? -1 : 1)).map(renderHeard),
    problems: Array.from(problems, ([subject, problem]) => ({ subject, problem })),
  };
}

function renderHeard({ report, heardAtMs }: HeardReplica) {
  const { replica: name, stale, ageMs, leading, term, leaving, serves } = report;
  const heardAt = renderTime(heardAtMs);
  return { name, heardAt, stale, ageSeconds: ageMs / 1000, leading, term, leaving, serves };
}

function renderReplica(name: string, status: HeraldReplicaStatus) {
  return {
    name,
    role: status.role ?? 'Unknown',
    term: status.term ?? 0,
    node: status.node ?? '',
    version: status.version ?? '',
    sessions: status.sessions ?? '',
    prefixes: status.prefixes ?? 0,
    routes: status.routes ?? 0,
    nextHopSets: status.nextHopSets ?? 0,
    lastContact: status.lastContact ?? null,
    peers: (status.peers ?? []).map(renderPeer),
    conditions: (status.conditions ?? []).map(({ lastTransitionTime, ...condition }) => ({
      ...condition,
      since: lastTransitionTime,
    })),
  };
}

function renderPeer(peer: PeerStatus) {
  return {
    name: peer.name,
    state: peer.state,
    since: peer.since ?? null,
    localAddress: peer.localAddress ?? null,
    authenticated: peer.authenticated === 'MD5',
    fenced: peer.fenced ?? 'Unknown',
    families: (peer.families ?? []).map(renderFamily),
    reason: peer.reason ?? null,
    lastError: peer.lastError ?? '',
    flaps: peer.flaps ?? 0,
  };
}

function renderFamily({ family, addPath, gracefulRestart, pathsDesired, pathsAdvertised }: FamilyStatus) {
  return {
    family: family === 'IPv4' ? 'ipv4' : 'ipv6',
    addPath,
    gracefulRestart,
    pathsDesired: pathsDesired ?? 0,
    pathsAdvertised: pathsAdvertised ?? 0,
  };
}
