// The arithmetic of ranks at its edges, which content keeps one, and counting routes up and down.

import fc from 'fast-check';
import { addressFromValue, pathAttributes } from '@herald/net';
import { describe, expect, test } from 'vitest';
import { hopSetKey, makeHop, pathIdOf, sameHops } from '../../src/routes/hop.ts';
import type { Hop } from '../../src/routes/hop.ts';
import { linkBandwidth } from '../../src/routes/link-bandwidth.ts';
import type { PathClass } from '../../src/routes/path-class.ts';
import { Policy } from '../../src/routes/policy.ts';
import type { PeerGroup } from '../../src/routes/peer-group.ts';
import {
  currentRank,
  keptRank,
  rankRule,
  rankedLocalPref,
  rankedMed,
  unconfirmedRank,
} from '../../src/routes/rank.ts';
import type { RankedRoute } from '../../src/routes/rank.ts';
import { NO_TALLY, counted } from '../../src/routes/tally.ts';
import { planPeers, emptyPeerMemory } from '../../src/peers/plan-peers.ts';
import { sceneWorld } from './small-world.ts';
import type { Scene } from './small-world.ts';

function groupsOf(scene: Scene): readonly PeerGroup[] {
  const world = sceneWorld(scene);
  const { peers } = planPeers(world, emptyPeerMemory());
  const { settings, pools, advertisements } = world;
  return new Policy({ settings, peers, pools, advertisements }).groups;
}

function groupOf(scene: Scene): PeerGroup {
  const [group] = groupsOf(scene);
  if (!group) {
    throw new Error('no group');
  }
  return group;
}

const pathClass = (name: string, med = 0): PathClass => {
  const attributes = pathAttributes({
    asPath: [],
    localPref: 100,
    med,
    communities: [],
    largeCommunities: [],
    linkBandwidth: undefined,
  });
  return {
    name,
    advertisements: [name],
    rank: { mode: 'MED', base: 4_000_000_000 },
    attributes,
    key: attributes.key,
  };
};

const CLASS = pathClass('c');
const hop = (number: number, weight = 0, of = CLASS): Hop =>
  makeHop(addressFromValue(4, BigInt(0x0a000000 + number)), of, weight);

describe('the rank of content that changes now', () => {
  test.each([
    [true, 1, 0, 3_999_999_999],
    [true, 0, 0, 4_000_000_000],
    [true, 30_000_000, 5, 3_970_000_000],
    [false, 1, 0, 4_100_000_000],
    [false, 30_000_000, 2, 4_100_000_002],
  ])('leading %s in term %d as number %d: %d', (leading, term, ordinal, rank) => {
    expect(currentRank({ leading, term }, { name: 'x', labels: {}, ordinal })).toBe(rank);
  });

  test('a later term is always better, and every standby worse than any term', () => {
    const replica = { name: 'x', labels: {}, ordinal: 0 };
    fc.assert(
      fc.property(fc.nat(2_000_000_000), fc.nat(2_000_000_000), fc.nat(1_000), (a, b, ordinal) => {
        const [one, two] = [a, b].map((term) => currentRank({ leading: true, term }, replica));
        expect(Math.sign((one ?? 0) - (two ?? 0))).toBe(Math.sign(b - a));
        expect(currentRank({ leading: false, term: a }, { ...replica, ordinal })).toBeGreaterThan(one ?? 0);
      }),
    );
  });
});

const rankAs = (leading: boolean, ordinal: number): number =>
  currentRank({ leading, term: 9 }, { name: 'x', labels: {}, ordinal });

describe('rules', () => {
  test.each([
    ['MED', undefined, 4_000_000_000],
    ['MED', 1_000, 1_000],
    ['LocalPref', undefined, 1_000_000_000],
    ['LocalPref', 500, 500],
    ['None', undefined, 0],
    ['None', 700, 0],
  ] as const)('%s with base %s', (mode, base, expected) => {
    expect(rankRule({ mode, base })).toEqual({ mode, base: expected });
  });

  test.each([
    [4_000_000_000, 3_999_999_990, 3_999_999_990],
    [4_000_000_000, 4_100_000_003, 4_100_000_003],
    [5_000, 3_999_999_990, 4_990],
    [5, 3_999_999_990, 0],
    [4_294_967_295, 4_100_000_000, 4_294_967_295],
  ])('MED with base %d and rank %d: %d', (base, rank, med) => {
    expect(rankedMed({ mode: 'MED', base }, rank)).toBe(med);
  });

  test.each([
    [100, 4_000_000_000, 100],
    [100, 3_999_999_990, 110],
    [100, 4_100_000_000, 100],
    [100, 4_100_000_007, 93],
    [3, 4_100_000_007, 0],
    [4_294_967_290, 3_999_999_000, 4_294_967_295],
  ])('LOCAL_PREF with base %d and rank %d: %d', (base, rank, localPref) => {
    expect(rankedLocalPref({ mode: 'LocalPref', base }, rank)).toBe(localPref);
  });

  test.each([
    ['MED', undefined],
    ['MED', 1_000_000_000],
    ['LocalPref', undefined],
    ['LocalPref', 1_000_000_000],
  ] as const)('%s from base %s: no two replicas tie, and kept tables come last', (mode, base) => {
    const ranks = [
      rankAs(true, 1),
      ...[1, 2, 190_000_000].map((ordinal) => rankAs(false, ordinal)),
      ...[0, 1, 4_899_999].map(unconfirmedRank),
    ];
    const rule = rankRule({ mode, base });
    const values = ranks.map((rank) =>
      mode === 'MED' ? rankedMed(rule, rank) : -rankedLocalPref(rule, rank),
    );
    expect(values).toEqual([...new Set(values)].toSorted((one, other) => one - other));
  });
});

describe('content that keeps its rank', () => {
  const group = groupOf({ peers: { tor: {} } });
  const stranger = groupOf({ peers: { other: { uid: 'another' } } });
  const again = groupOf({ peers: { tor: {} }, ads: { renamed: {} } });
  const hops = [hop(1), hop(2)];
  const ranked = (rank: number, of: readonly Hop[] = hops, to = group): RankedRoute => ({
    group: to,
    hops: of,
    rank,
    stoodBySinceMs: undefined,
  });

  const rows: (readonly [string, readonly RankedRoute[], number | undefined])[] = [
    ['nothing before', [], undefined],
    ['the same', [ranked(7)], 7],
    ['equal, but other objects', [ranked(7, [hop(1), hop(2)])], 7],
    ['another hop', [ranked(7, [hop(1), hop(3)])], undefined],
    ['one hop fewer', [ranked(7, [hop(1)])], undefined],
    ['another weight', [ranked(7, [hop(1, 1), hop(2, 1)])], undefined],
    ['another class of another content', [ranked(7, [hop(1, 0, pathClass('c', 5)), hop(2)])], undefined],
    [
      'another name for the same content',
      [ranked(7, [hop(1, 0, pathClass('d')), hop(2, 0, pathClass('d'))])],
      7,
    ],
    ['told to others', [ranked(7, hops, stranger)], undefined],
    ['told to the same peer in another group', [ranked(7, hops, again)], 7],
    [
      'something else told to the same peer in another group',
      [ranked(7), ranked(7, [hop(9)], again)],
      undefined,
    ],
    ['told to the same peers with two ranks: the better', [ranked(7), ranked(5, hops, again)], 5],
  ];
  test.each(rows)('%s', (_name, before, expected) => {
    expect(keptRank(group, hops, before)?.rank).toBe(expected);
  });
});

describe('hops', () => {
  test('are compared by what they say, in order', () => {
    expect(sameHops([hop(1), hop(2)], [hop(1), hop(2)])).toBe(true);
    expect(sameHops([hop(1), hop(2)], [hop(2), hop(1)])).toBe(false);
    expect(sameHops([], [])).toBe(true);
    expect(sameHops([hop(1)], [])).toBe(false);
  });

  test('have path ids of address and class name alone', () => {
    expect(hop(1, 5).pathId).toBe(hop(1, 9).pathId);
    expect(hop(1, 0, pathClass('c', 5)).pathId).toBe(hop(1).pathId);
    expect(hop(2).pathId).not.toBe(hop(1).pathId);
    expect(hop(1, 0, pathClass('d')).pathId).not.toBe(hop(1).pathId);
    expect(hop(1).pathId).toBe(pathIdOf(hop(1).nextHop, 'c'));
  });

  test('make sets whose names know members and weights, not their order or class', () => {
    expect(hopSetKey([hop(1), hop(2)])).toBe(hopSetKey([hop(2), hop(1)]));
    expect(hopSetKey([hop(1), hop(2)])).toBe(hopSetKey([hop(1, 0, pathClass('d')), hop(2)]));
    expect(hopSetKey([hop(1), hop(2)])).not.toBe(hopSetKey([hop(1)]));
    expect(hopSetKey([hop(1), hop(2)])).not.toBe(hopSetKey([hop(1), hop(3)]));
    expect(hopSetKey([hop(1, 1), hop(2, 2)])).not.toBe(hopSetKey([hop(1, 2), hop(2, 1)]));
  });

  test('make no two sets of one name among all pairs of 200', () => {
    const hops = Array.from({ length: 200 }, (_, i) => hop(i));
    const keys = new Set(hops.flatMap((one, i) => hops.slice(i + 1).map((two) => hopSetKey([one, two]))));
    expect(keys.size).toBe((200 * 199) / 2);
  });
});

describe('the weight that a router is told', () => {
  test.each([
    [0, 64_500, undefined],
    [1, 64_500, { asn: 64_500, bytesPerSecond: 125_000 }],
    [3, 64_500, { asn: 64_500, bytesPerSecond: 375_000 }],
    [1, 65_535, { asn: 65_535, bytesPerSecond: 125_000 }],
    [1, 65_536, { asn: 23_456, bytesPerSecond: 125_000 }],
    [2, 4_200_000_000, { asn: 23_456, bytesPerSecond: 250_000 }],
  ])('%d of AS %d', (weight, asn, expected) => {
    expect(linkBandwidth(weight, asn)).toEqual(expected);
  });
});

const routeThrough = (group: PeerGroup, ...numbers: number[]): RankedRoute => ({
  group,
  hops: numbers.map((number) => hop(number)),
  stoodBySinceMs: undefined,
  rank: 1,
});

const countsOf = (tallies: ReturnType<typeof counted>, group: PeerGroup) => {
  const { prefixes, paths, sets } = tallies.get(group.key) ?? NO_TALLY;
  return [prefixes, paths, sets.size];
};

describe('a tally', () => {
  const [a, b] = [groupOf({ peers: { a: {} } }), groupOf({ peers: { a: { maxRoutes: 9 } } })];

  test('of nothing new is the same object', () => {
    const tallies = counted(new Map(), [{ before: [], after: [routeThrough(a, 1)] }]);
    expect(counted(tallies, [])).toBe(tallies);
    expect(counted(tallies, [{ before: [], after: [] }])).toBe(tallies);
  });

  test('counts prefixes, paths and sets of each group by itself', () => {
    const tallies = counted(new Map(), [
      { before: [], after: [routeThrough(a, 1, 2), routeThrough(b, 1)] },
      { before: [], after: [routeThrough(a, 1, 2)] },
      { before: [], after: [routeThrough(a, 3)] },
    ]);
    expect(countsOf(tallies, a)).toEqual([3, 5, 2]);
    expect(countsOf(tallies, b)).toEqual([1, 1, 1]);
  });

  test('a set is gone with the last prefix that uses it', () => {
    const two = counted(new Map(), [
      { before: [], after: [routeThrough(a, 1, 2)] },
      { before: [], after: [routeThrough(a, 2, 1)] },
    ]);
    const one = counted(two, [{ before: [routeThrough(a, 1, 2)], after: [] }]);
    const none = counted(one, [{ before: [routeThrough(a, 1, 2)], after: [] }]);
    expect([two, one, none].map((tallies) => countsOf(tallies, a))).toEqual([
      [2, 4, 1],
      [1, 2, 1],
      [0, 0, 0],
    ]);
  });

  test('counted up and down in any order ends where it began', () => {
    const routes = fc.array(fc.uniqueArray(fc.integer({ min: 1, max: 4 }), { minLength: 1 }), {
      maxLength: 8,
    });
    fc.assert(
      fc.property(routes, (lists) => {
        const up = lists.map((list) => ({ before: [], after: [routeThrough(a, ...list)] }));
        const full = counted(new Map(), up);
        const stepwise = up.reduce((tallies, change) => counted(tallies, [change]), new Map() as typeof full);
        expect(countsOf(stepwise, a)).toEqual(countsOf(full, a));
        const down = up.map(({ before, after }) => ({ before: after, after: before })).toReversed();
        expect(countsOf(counted(full, down), a)).toEqual([0, 0, 0]);
      }),
    );
  });
});
