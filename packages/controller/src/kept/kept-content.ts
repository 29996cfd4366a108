// What is kept of a decision for a start without live data: the tables at the rank of content that nobody has confirmed
// (decision's kept-tables.ts), the sessions without their passwords, and where other replicas can be asked. Types, and
// what is left out of a session.

import type { Decision, PlannedPeer, PlannedSessions, Tables } from '@herald/decision';

export interface KeptContent {
  readonly sessions: PlannedSessions;
  readonly tables: Tables;
  /** URLs of other replicas. */
  readonly others: readonly string[];
}

/** Whose table it is: another pod's, or one of other settings or of another build, is never used. */
export interface KeptOwner {
  readonly uid: string;
  readonly asn: number;
  readonly routerId: string;
  readonly build: string;
}

export interface Kept {
  readonly content: KeptContent;
  /** When it was written, in milliseconds since the epoch. */
  readonly keptAtMs: number;
}

/** A session with a password is left as it runs, and cannot be opened before the password can be read again. */
export function keptSessions(sessions: Decision['sessions']): PlannedSessions {
  const peers = sessions.peers.map(
    (peer: PlannedPeer | Decision['sessions']['peers'][number]): PlannedPeer => ({
      ...peer,
      password: undefined,
      unresolved: peer.password !== undefined || ('unresolved' in peer && peer.unresolved),
    }),
  );
  return { ...sessions, peers };
}
