// Numbers the sets of peers that tables were tagged for. A peer may be opened in bgpd only after bgpd
// holds a table whose tags know that peer; the marker route carries this number (marker.ts), the gate
// compares it (gate.ts). Pure: (previous, plan) -> next, the same object when nothing changed.
//
// Numbers start at the millisecond in which the process started, so that a marker which an earlier process left in
// bgpd is never taken for one of ours: a process cannot count up as fast as the clock, since its ticks lie further apart
// than a millisecond. What fits four octets comes round after 49 days; bgpd is asked for one number exactly, so a lower
// one is as good as a higher.

import type { PeerSession, SessionPlan } from '@herald/decision';

export interface Generation {
  readonly number: number;
  /** Peer identity -> the generation in which it appeared. */
  readonly since: ReadonlyMap<string, number>;
}

/** Four octets, less what one process may count. */
const FIRST_NUMBERS = 2 ** 32 - 2 ** 24;

export function firstGeneration(nowMs: number): Generation {
  return { number: 1 + (nowMs % FIRST_NUMBERS), since: new Map() };
}

/** bgpd's name of the instance that a peer lives in. */
export function instanceName(peer: PeerSession): string {
  return peer.instance.kind === 'shared' ? 'default' : peer.instance.name;
}

/** What must be the same for the tags in the table to be the tags of this peer. */
export function peerIdentity(peer: PeerSession): string {
  return `${peer.name} ${peer.number} ${instanceName(peer)}`;
}

export function nextGeneration(previous: Generation, plan: SessionPlan): Generation {
  const identities = plan.peers.map(peerIdentity);
  const isSame =
    identities.length === previous.since.size && identities.every((id) => previous.since.has(id));
  if (isSame) {
    return previous;
  }
  const number = previous.number + 1;
  return { number, since: new Map(identities.map((id) => [id, previous.since.get(id) ?? number])) };
}
