// Ready: synced once, the table counted in bgpd, and every peer established where it is to stay or tried for long
// enough. A peer whose router turns out to take several paths moves to the shared table, which resets its session: a
// rolling update that went on before that would take the next replica away while this one is silent. Once ready,
// always ready: neither a source nor a router that goes away later may take a replica out of
// service that announces well. What is asked for is given as reasons; none means ready.

import type { PeerSession, SessionPlan, SessionState } from '@herald/decision';
import type { PersistentMap } from '@herald/net';

import { instanceName } from './generation.ts';

/** How long a router may keep a replica from becoming ready, in milliseconds. */
const PEER_PATIENCE_MS = 30_000;

export interface ReadinessFacts {
  readonly synced: boolean;
  readonly tableInBgpd: boolean;
  readonly sessions: SessionPlan;
  readonly states: PersistentMap<SessionState>;
  /** The states that `sessions` was decided from. */
  readonly decidedFrom: PersistentMap<SessionState>;
  /** Peer name -> bgpd's instance that runs it. */
  readonly running: ReadonlyMap<string, string>;
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

function peersMissing(facts: ReadinessFacts): NotReady[] {
  return facts.sessions.peers
    .filter((peer) => !peer.shutdown && !hasSettled(peer, facts))
    .map((peer) => ({
      reason: 'SessionDown',
      message: `The session with BGPPeer ${peer.name} is not established yet, or about to move to another table.`,
    }));
}

function hasSettled(peer: PeerSession, { states, decidedFrom, running }: ReadinessFacts): boolean {
  const isEstablished = [states, decidedFrom].every((each) => each.get(peer.name)?.state === 'Established');
  return isEstablished && running.get(peer.name) === instanceName(peer);
}
