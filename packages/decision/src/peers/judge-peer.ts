// What people are told about a peer's configuration: accepted or not, one reason and a sentence. Only what
// the objects and the router's OPEN say; whether the session is up is another question and not asked here.
//
// The first thing that applies is the reason: what makes the object unusable, then what keeps this replica
// from speaking to the router, then what a working peer should know.

import { REASONS } from '@herald/api';
import type { Peer, Reason } from '@herald/api';
import type { Placement } from './place-peer.ts';
import type { PasswordReading } from './read-password.ts';
import type { PeerVerdict } from './resolved-peer.ts';

export const DUPLICATE: PeerVerdict = refusal('DuplicatePeerAddress', REASONS.DuplicatePeerAddress);

export type PeerPart = 'speaks' | 'warm' | 'cold';

/** A valid peer that another replica speaks to. */
export const NOT_SELECTED: PeerVerdict = {
  accepted: true,
  reason: 'ReplicaNotSelected',
  message: REASONS.ReplicaNotSelected,
  instance: 'none',
};

/** `part` is what this replica has to do with the peer: no session while standing by cold. */
export function judgePeer(
  peer: Peer,
  placement: Placement,
  reading: PasswordReading,
  part: PeerPart,
): PeerVerdict {
  const instance = part === 'cold' ? 'none' : placement.instance.kind;
  if (reading.kind === 'fault') {
    return { accepted: false, reason: reading.reason, message: reading.message, instance };
  }
  if (peer.shutdown) {
    return { accepted: true, reason: 'PeerShutdown', message: REASONS.PeerShutdown, instance };
  }
  if (part !== 'speaks') {
    return { accepted: true, reason: 'StandingBy', message: REASONS.StandingBy, instance };
  }
  if (placement.lacking.length > 0) {
    return { accepted: true, reason: 'NoAddPath', message: singlePathSentence(placement), instance };
  }
  return { accepted: true, reason: 'Accepted', message: 'The peer is usable.', instance };
}

function refusal(reason: Reason, message: string): PeerVerdict {
  return { accepted: false, reason, message, instance: 'none' };
}

function singlePathSentence(placement: Placement): string {
  const families = placement.lacking.map((family) => `IPv${family}`).join(' and ');
  return `The router does not accept several paths for one ${families} prefix: it is sent one next hop for each.`;
}
