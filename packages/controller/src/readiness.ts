// Ready: synced once, the table counted in bgpd, and every peer established or tried for long enough. Once
// ready, always ready: neither a source nor a router that goes away later may take a replica out of
// service that announces well. What is asked for is given as reasons; none means ready.

import type { SessionPlan, SessionState } from '@herald/decision';
import type { PersistentMap } from '@herald/net';

/** How long a router may keep a replica from becoming ready, in milliseconds. */
const PEER_PATIENCE_MS = 30_000;

export interface ReadinessFacts {
  readonly synced: boolean;
  readonly tableInBgpd: boolean;
  readonly sessions: SessionPlan;
  readonly states: PersistentMap<SessionState>;
}

export interface NotReady {
  readonly reason: 'NotSynced' | 'TableNotInBgpd' | 'SessionDown';
  readonly message: string;
}

export class Readiness {
  #peersTriedSinceMs: number | undefined;
  #wasReady = false;

  check(facts: ReadinessFacts, nowMs: number): readonly NotReady[] {
    const missing = this.#wasReady ? [] : this.#missing(facts, nowMs);
    this.#wasReady ||= missing.length === 0;
    return missing;
  }

  #missing(facts: ReadinessFacts, nowMs: number): NotReady[] {
    if (!facts.synced) {
      return [{ reason: 'NotSynced', message: 'The source has not been read completely yet.' }];
    }
    if (!facts.tableInBgpd) {
      return [{ reason: 'TableNotInBgpd', message: 'bgpd does not hold the complete table yet.' }];
    }
    this.#peersTriedSinceMs ??= nowMs;
    return nowMs - this.#peersTriedSinceMs >= PEER_PATIENCE_MS ? [] : peersMissing(facts);
  }
}

function peersMissing({ sessions, states }: ReadinessFacts): NotReady[] {
  return sessions.peers
    .filter((peer) => !peer.shutdown && states.get(peer.name)?.state !== 'Established')
    .map((peer) => ({
      reason: 'SessionDown',
      message: `The session with BGPPeer ${peer.name} is not established yet.`,
    }));
}
