// The status of a BGPPeer: sums over what the replicas say of their sessions with the router. A session that a
// peer's configuration shuts down is not missed. Which replica and which error stand in a message, so that one
// look is enough; everything else about a session is in the HeraldReplica.

import { REASONS, type HeraldReplicaStatus } from '@herald/api';
import type { PeerVerdict } from '@herald/decision';

import { conditions } from './condition.ts';
import type { WantedCondition, WantedPeerStatus } from './wanted-status.ts';

export type PeerState = NonNullable<HeraldReplicaStatus['peers']>[number];

/** What one replica says of its session with the peer. */
export interface Report {
  readonly replica: string;
  readonly isLeader: boolean;
  readonly state: PeerState;
}

export interface PeerSubject {
  readonly verdict: PeerVerdict;
  readonly shutdown: boolean;
  /** In the order of the replicas' names; empty when no replica speaks to the router. */
  readonly reports: readonly Report[];
}

export function peerStatus(subject: PeerSubject): WantedPeerStatus {
  const { verdict, reports } = subject;
  const wanted = reports.filter(({ state }) => state.reason !== 'PeerShutdown');
  const established = wanted.filter(isEstablished);
  const addPath = addPathWord(established);
  const judgements = [validity(verdict), establishment(subject, wanted, established), severalPaths(addPath)];
  return {
    sessions: `${established.length}/${wanted.length}`,
    addPath,
    paths: pathsSent(reports),
    conditions: conditions(judgements),
  };
}

function isEstablished({ state }: Report): boolean {
  return state.state === 'Established';
}

function addPathWord(established: readonly Report[]): 'Yes' | 'No' | 'Partly' | 'Unknown' {
  const answers = established.flatMap(({ state }) => (state.families ?? []).map(({ addPath }) => addPath));
  if (answers.length === 0) {
    return 'Unknown';
  }
  if (answers.every(Boolean)) {
    return 'Yes';
  }
  return answers.some(Boolean) ? 'Partly' : 'No';
}

/** The leader's; where it does not speak to the router, those of the replica that sends most. */
function pathsSent(reports: readonly Report[]): number {
  const leader = reports.find(({ isLeader }) => isLeader);
  const counted = leader === undefined ? reports : [leader];
  return Math.max(0, ...counted.map(({ state }) => sentIn(state)));
}

function sentIn({ families }: PeerState): number {
  return (families ?? []).reduce((sum, { pathsAdvertised }) => sum + (pathsAdvertised ?? 0), 0);
}

function validity({ accepted, reason, message }: PeerVerdict): WantedCondition {
  return accepted
    ? { type: 'Valid', status: 'True', reason: 'Accepted', message: 'The peer is usable.' }
    : { type: 'Valid', status: 'False', reason, message };
}

function establishment(
  { verdict, shutdown }: PeerSubject,
  wanted: readonly Report[],
  established: readonly Report[],
): WantedCondition {
  const type = 'Established';
  const down = wanted.find((report) => !isEstablished(report));
  if (shutdown) {
    return { type, status: 'False', reason: 'PeerShutdown', message: REASONS.PeerShutdown };
  }
  if (down !== undefined) {
    return { type, status: 'False', ...downSentence(down, wanted.length - established.length) };
  }
  if (established.length > 0) {
    const message = 'Every session with the router is established.';
    return { type, status: 'True', reason: 'Established', message };
  }
  return verdict.accepted
    ? { type, status: 'False', reason: 'ReplicaNotSelected', message: 'No replica speaks to the peer.' }
    : { type, status: 'False', reason: verdict.reason, message: verdict.message };
}

function downSentence(
  { replica, state }: Report,
  count: number,
): Pick<WantedCondition, 'reason' | 'message'> {
  const sessions = count === 1 ? '1 session is' : `${count} sessions are`;
  const error = state.lastError === undefined || state.lastError === '' ? '' : `: ${state.lastError}`;
  return {
    reason: state.reason ?? 'SessionDown',
    message: `${sessions} down, among them ${replica}${error}`,
  };
}

function severalPaths(addPath: ReturnType<typeof addPathWord>): WantedCondition {
  const type = 'AddPath';
  if (addPath === 'Unknown') {
    return { type, status: 'Unknown', reason: 'SessionDown', message: REASONS.SessionDown };
  }
  return addPath === 'Yes'
    ? {
        type,
        status: 'True',
        reason: 'Negotiated',
        message: 'The router accepts several paths for one prefix.',
      }
    : { type, status: 'False', reason: 'NoAddPath', message: REASONS.NoAddPath };
}
