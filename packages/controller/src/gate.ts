// Which peers may have a session now. A router must never see a part of the table followed by End-of-RIB,
// nor a route that is not for it: so a peer is opened only after its instance of bgpd was seen to hold a
// complete table that was tagged for this peer. A peer that bgpd already runs in its instance stays as it
// is, whatever happens to the feed. Pure: (plan, generation, what bgpd showed) -> names that are open.

import type { PeerSession, SessionPlan } from '@herald/decision';

import { instanceName, peerIdentity, type Generation } from './generation.ts';

export interface BgpdTables {
  /** Instance -> generation of the complete table that bgpd was seen to hold; absent = none. */
  readonly seen: ReadonlyMap<string, number>;
  /** Peer name -> instance in which bgpd runs it. */
  readonly running: ReadonlyMap<string, string>;
  /** Identities of the peers that this process had open last; undefined: none yet, what runs is as it should be. */
  readonly opened: ReadonlySet<string> | undefined;
}

export function openPeers(
  plan: SessionPlan,
  generation: Generation,
  tables: BgpdTables,
): ReadonlySet<string> {
  const open = plan.peers.filter((peer) => {
    const instance = instanceName(peer);
    const needed = generation.since.get(peerIdentity(peer)) ?? generation.number;
    return isRunning(peer, tables) || (tables.seen.get(instance) ?? 0) >= needed;
  });
  return new Set(open.map((peer) => peer.name));
}

/** Not by its name alone: another peer of that name has other tags, and waits for them like any new one. */
function isRunning(peer: PeerSession, { running, opened }: BgpdTables): boolean {
  const isSamePeer = opened === undefined || opened.has(peerIdentity(peer));
  return isSamePeer && running.get(peer.name) === instanceName(peer);
}
