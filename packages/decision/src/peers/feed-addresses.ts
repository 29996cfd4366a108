// Where the feed of a peer's own view listens: an address in 127.1.0.0/16 derived from the peer's number.
// Every live peer has one whether it is in a view or not, so that a peer that moves into its view never
// moves another one's feed, which would reset that one's session.
//
// A taken address is passed on to the next one, in order of age. 65,534 addresses are far more than there
// are peers that a process can hold sessions with.

import { addressFromBytes } from '@herald/net';
import type { Address } from '@herald/net';
import type { Meta } from '@herald/api';
import type { PeerNumbers } from './peer-numbers.ts';
import { identityOf } from './peer-order.ts';

/** Identity -> address of every live peer. */
export type FeedAddresses = ReadonlyMap<string, Address>;

/** 127.1.0.1 to 127.1.255.254. */
const HOSTS = 65_534;

/** `peers` are ordered by age and numbered; those in `known` keep what they have. */
export function placeFeeds(
  peers: readonly Meta[],
  numbers: PeerNumbers,
  known: FeedAddresses,
): FeedAddresses {
  const identities = peers.map(identityOf);
  if (identities.length === known.size && identities.every((identity) => known.has(identity))) {
    return known;
  }
  const taken = new Set(identities.map((identity) => known.get(identity)?.text));
  const placed = new Map<string, Address>();
  for (const identity of identities) {
    const feed = known.get(identity) ?? freeAddress(numbers.get(identity) ?? 0, taken);
    taken.add(feed.text);
    placed.set(identity, feed);
  }
  return placed;
}

function freeAddress(number: number, taken: ReadonlySet<string | undefined>): Address {
  let host = number % HOSTS;
  while (taken.has(feedAddress(host).text)) {
    host = (host + 1) % HOSTS;
  }
  return feedAddress(host);
}

function feedAddress(host: number): Address {
  const low = host + 1;
  return addressFromBytes(new Uint8Array([127, 1, low >> 8, low & 0xff]));
}
