// Which peers a path goes to, and with which AS path. In the shared table a path carries export tags, the numbers of its peers (0:
// all of them); a view's table belongs to the peers that live in that view. A peer that does not carry the
// prefix's family gets nothing of it.

import type { Decision, PeerSession } from '@herald/decision';
import {
  EVERY_PEER,
  exportedTo,
  INTERNAL_ADMINISTRATOR,
  type LargeCommunity,
  type Path,
  type Prefix,
} from '@herald/net';

/** Tags of whatever kind that only bgpd reads. */
export function isInternalTag(community: LargeCommunity): boolean {
  return community.global === INTERNAL_ADMINISTRATOR;
}

/** `table`: `shared` or the name of a view. */
export function peersOfTable(decision: Decision, table: string): PeerSession[] {
  return decision.sessions.peers.filter(({ instance }) =>
    instance.kind === 'shared' ? table === 'shared' : instance.name === table,
  );
}

export function receives(peer: PeerSession, prefix: Prefix, path: Path): boolean {
  return peer.families.includes(prefix.family) && (peer.instance.kind === 'view' || isTagged(peer, path));
}

function isTagged(peer: PeerSession, path: Path): boolean {
  return exportedTo(path.attributes.largeCommunities).some(
    (number) => number === EVERY_PEER || number === peer.number,
  );
}

/** What is put before the path towards the peer: nothing within the AS, and the number that the peer knows us by. */
export function asPathTowards(
  { internal, localAs }: PeerSession,
  asPath: readonly number[],
): readonly number[] {
  if (internal) {
    return [];
  }
  return localAs === undefined ? asPath : asPath.map(() => localAs);
}
