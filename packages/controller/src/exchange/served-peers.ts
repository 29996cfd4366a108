// Which routers this replica serves: the session is established, bgpd holds the complete table, and the router was
// sent as many paths as are for it. Sessions and tables as they are known -> addresses of routers.
//
// A router that was served stays so while its session lasts: its number of paths moves with every change. What bgpd
// counts may never reach what is wanted (a path that it refused), so after a while the session alone is enough.

import type { Decision, PeerSession, World } from '@herald/decision';
import type { PeerTraffic } from '@herald/frr';

import { instanceName } from '../generation.ts';

export interface ServingFacts {
  readonly world: Pick<World, 'now' | 'sessions'>;
  readonly decision: Pick<Decision, 'sessions' | 'peers' | 'peerRoutes'>;
  readonly traffic: ReadonlyMap<string, PeerTraffic>;
  /** Whether an instance of bgpd was seen to hold a complete table of this process. */
  holdsTable(instance: string): boolean;
}

/** Reasons of a peer whose router is told nothing, though its session may stand. */
const SILENT: ReadonlySet<string | undefined> = new Set(['StaleReplica', 'StandingBy']);

/** After which an established session counts as served, in milliseconds. */
const PATIENCE_MS = 30_000;

export class ServedPeers {
  /** Sessions that were served. */
  #served: ReadonlySet<string> = new Set();

  /** Sorted. */
  routers(facts: ServingFacts, nowMs: number): readonly string[] {
    const peers = facts.decision.sessions.peers.filter((peer) => this.#isServed(peer, facts, nowMs));
    this.#served = new Set(peers.map((peer) => sessionKey(peer, facts)));
    return peers.map(({ address }) => address.text).sort();
  }

  #isServed(peer: PeerSession, facts: ServingFacts, nowMs: number): boolean {
    return (
      announcesTo(peer, facts) &&
      facts.holdsTable(instanceName(peer)) &&
      (this.#served.has(sessionKey(peer, facts)) || wasSentAll(peer, facts, nowMs))
    );
  }
}

/** Whether the router is told anything: its session stands, and this replica neither stands by nor has withdrawn. */
export function announcesTo(peer: PeerSession, { world, decision }: ServingFacts): boolean {
  const reason = decision.peers.get(peer.name)?.reason;
  return world.sessions.get(peer.name)?.state === 'Established' && !SILENT.has(reason);
}

function wasSentAll(
  { name }: PeerSession,
  { world, decision, traffic }: ServingFacts,
  nowMs: number,
): boolean {
  const sent = traffic.get(name)?.pathsSent ?? { 4: 0, 6: 0 };
  const wanted = decision.peerRoutes.get(name)?.paths ?? 0;
  return sent[4] + sent[6] >= wanted || nowMs - (world.sessions.get(name)?.sinceMs ?? nowMs) >= PATIENCE_MS;
}

function sessionKey(peer: PeerSession, { world }: ServingFacts): string {
  return `${peer.name} ${peer.number} ${world.sessions.get(peer.name)?.connectionsDropped}`;
}
