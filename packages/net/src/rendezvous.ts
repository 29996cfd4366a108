// Rendezvous hashing (highest random weight): which `count` of many members serve a key. Every replica
// chooses the same, the choices of many keys spread evenly, and a member that goes takes only its own places
// with it: the others keep theirs and one newcomer takes the free one.
//
// Does not weigh members against each other: all count the same. A caller that asks for many keys hashes the
// members once, because 10,000 keys among 5,000 members are 50 million weights.

import { hash32, mixed32 } from './hash.ts';

export interface HashedMembers {
  /** Without duplicates, in order. */
  readonly names: readonly string[];
  /** One for each name. */
  readonly hashes: Uint32Array;
}

interface Place {
  readonly member: string;
  readonly weight: number;
}

export function hashMembers(members: readonly string[]): HashedMembers {
  const names = [...new Set(members)].sort();
  return { names, hashes: Uint32Array.from(names, hash32) };
}

/** The `count` members with the highest weight for this key, highest first. */
export function rendezvous(key: string, members: readonly string[], count: number): string[] {
  return rendezvousAmong(key, hashMembers(members), count);
}

/** Like `rendezvous`; the weight of a member is the mix of both hashes, and of equal weights the first name wins. */
export function rendezvousAmong(key: string, members: HashedMembers, count: number): string[] {
  const keyHash = hash32(key);
  const places: Place[] = [];
  let least = count > 0 ? -1 : Infinity;
  for (let i = 0; i < members.names.length; i++) {
    const weight = mixed32(keyHash ^ (members.hashes[i] ?? 0));
    if (weight > least) {
      places.splice(indexFor(weight, places), 0, { member: members.names[i] ?? '', weight });
      places.length = Math.min(places.length, count);
      least = places.length < count ? -1 : (places.at(-1)?.weight ?? -1);
    }
  }
  return places.map((place) => place.member);
}

/** Behind every place whose weight is at least as high. */
function indexFor(weight: number, places: readonly Place[]): number {
  let low = 0;
  let high = places.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((places[middle]?.weight ?? -1) >= weight) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}
