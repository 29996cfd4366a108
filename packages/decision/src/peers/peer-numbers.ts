// The number of a peer: what export tags, route-maps and view names are made of. It is the hash of the
// peer's UID, so every replica and every restart finds the same; a hash that is zero (the tag for "all") or
// taken is hashed again with a counter, in the order in which peers were created.
//
// A number once given stays taken for as long as the process lives, also when its peer is gone: a route
// that still carries the old tag must never match a new peer.

import { hash32 } from '@herald/net';
import type { Meta } from '@herald/api';
import { identityOf } from './peer-order.ts';

/** Identity -> number of every peer that this process has seen. */
export type PeerNumbers = ReadonlyMap<string, number>;

/** `peers` are ordered by age. Same reference out when no peer is new. */
export function numberPeers(peers: readonly Meta[], known: PeerNumbers): PeerNumbers {
  const unknown = peers.map(identityOf).filter((identity) => !known.has(identity));
  if (unknown.length === 0) {
    return known;
  }
  const numbers = new Map(known);
  const taken = new Set<number>([0, ...known.values()]);
  for (const identity of unknown) {
    const number = freeNumber(identity, taken);
    taken.add(number);
    numbers.set(identity, number);
  }
  return numbers;
}

function freeNumber(identity: string, taken: ReadonlySet<number>): number {
  let number = hash32(identity);
  for (let attempt = 1; taken.has(number); attempt++) {
    number = hash32(`${identity}#${attempt}`);
  }
  return number;
}
