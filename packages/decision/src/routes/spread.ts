// Which nodes serve a prefix when there are more than may be announced: places are dealt out to the zones in
// turn, and within a zone to the nodes with the highest rendezvous hash of (prefix, node).
//
// Stable under churn: a node that goes frees its own place only. One single place ignores zones, because a
// zone with few nodes would get as many prefixes as one with many.

import { hashMembers, rendezvousAmong } from '@herald/net';
import type { HashedMembers } from '@herald/net';

export interface Placed {
  readonly name: string;
  /** hash32 of the name. */
  readonly hash: number;
  readonly zone: string;
}

export interface Zones {
  readonly everywhere: HashedMembers;
  readonly byZone: ReadonlyMap<string, HashedMembers>;
}

/** Names are different and always in the same order. */
export function zonesOf(placed: readonly Placed[]): Zones {
  const zones = new Map<string, Placed[]>();
  for (const each of placed) {
    const inZone = zones.get(each.zone);
    if (inZone) {
      inZone.push(each);
    } else {
      zones.set(each.zone, [each]);
    }
  }
  return {
    everywhere: hashed(placed),
    byZone: new Map(Array.from(zones, ([zone, inZone]) => [zone, hashed(inZone)])),
  };
}

function hashed(placed: readonly Placed[]): HashedMembers {
  return { names: placed.map(({ name }) => name), hashes: Uint32Array.from(placed, ({ hash }) => hash) };
}

/** At most `count` names, in no particular order. */
export function spread(key: string, zones: Zones, count: number): readonly string[] {
  if (zones.everywhere.names.length <= count) {
    return zones.everywhere.names;
  }
  return count === 1 || zones.byZone.size === 1
    ? rendezvousAmong(key, zones.everywhere, count)
    : dealt(key, zones.byZone, count);
}

/** The same for a list that is asked about once. */
export function spreadOf(key: string, placed: readonly Placed[], count: number): readonly string[] {
  return count === 1 ? rendezvousAmong(key, hashed(placed), 1) : spread(key, zonesOf(placed), count);
}

function dealt(key: string, byZone: Zones['byZone'], count: number): string[] {
  const order = rendezvousAmong(key, hashMembers([...byZone.keys()]), byZone.size);
  const hands = order.map((zone) => {
    const members = byZone.get(zone);
    return members ? rendezvousAmong(key, members, count) : [];
  });
  const chosen: string[] = [];
  for (let round = 0; chosen.length < count; round++) {
    chosen.push(...hands.flatMap((hand) => hand.slice(round, round + 1)));
  }
  return chosen.slice(0, count);
}
