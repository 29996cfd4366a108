// What is said of peers while the kept table is announced: sessions, which of them are left to others, and who serves
// those routers -> a verdict each. Of the objects themselves nothing is known then.

import { REASONS } from '@herald/api';
import { staleVerdict, type Freshness, type PeerVerdict, type PlannedPeer } from '@herald/decision';
import { PersistentMap } from '@herald/net';

const KEPT = 'The peer is as it was when its routes were kept.';

export function keptVerdicts(
  peers: readonly PlannedPeer[],
  silent: ReadonlySet<string>,
  covered: Freshness['covered'],
): PersistentMap<PeerVerdict> {
  return PersistentMap.from(
    peers.map((peer) => [
      peer.name,
      silent.has(peer.name) ? silence(peer, covered.get(peer.address.text) ?? '') : verdict(peer),
    ]),
  );
}

function verdict({ unresolved, shutdown, instance: { kind: instance } }: PlannedPeer): PeerVerdict {
  if (unresolved) {
    return {
      accepted: false,
      reason: 'SecretMissing',
      message: 'No password is kept; a session that runs is left as it is.',
      instance,
    };
  }
  return shutdown
    ? { accepted: true, reason: 'PeerShutdown', message: REASONS.PeerShutdown, instance }
    : { accepted: true, reason: 'Accepted', message: KEPT, instance };
}

function silence({ instance: { kind: instance } }: PlannedPeer, by: string): PeerVerdict {
  return staleVerdict({ accepted: true, instance }, by);
}
