// Advertisements that meet: what is united, what must agree, and which omissions contradict nothing. Sets are
// interned, so equal sets are one object in whatever order and multiplicity their members came.

import fc from 'fast-check';
import { community } from '@herald/net';
import { describe, expect, test } from 'vitest';
import {
  AdvertisementSets,
  aggregateLength,
  aggregatesUnsafely,
} from '../../src/routes/advertisement-set.ts';
import { advertisement, decideScene, pathsTo } from './small-world.ts';
import type { AdvertisementSpec, Scene } from './small-world.ts';

const ad = advertisement;
const RACK = [{ matchLabels: { rack: '1' }, matchExpressions: [] }];

function merged(...specs: readonly AdvertisementSpec[]) {
  const set = new AdvertisementSets().of(specs.map((spec, i) => ad(`ad${i}`, spec)));
  if (!set) {
    throw new Error('no members');
  }
  return set;
}

describe('single values', () => {
  type Single = 'localPref' | 'med' | 'asPathPrepend';
  const SINGLES: readonly Single[] = ['localPref', 'med', 'asPathPrepend'];
  const UNSET = { localPref: undefined, med: undefined, asPathPrepend: 0 };

  test.each(SINGLES)('%s: alone', (field) => {
    expect(merged({ [field]: 7 }).policy).toMatchObject({ kind: 'agreed', values: { ...UNSET, [field]: 7 } });
  });

  test.each(SINGLES)('%s: equal in both', (field) => {
    expect(merged({ [field]: 7 }, { [field]: 7 }).policy).toMatchObject({ values: { [field]: 7 } });
  });

  test.each(SINGLES)('%s: left out in one, whichever it is', (field) => {
    expect(merged({ [field]: 7 }, {}).policy).toMatchObject({ values: { [field]: 7 } });
    expect(merged({}, { [field]: 7 }).policy).toMatchObject({ values: { [field]: 7 } });
  });

  test.each(SINGLES)('%s: two values contradict, also through a third that has none', (field) => {
    expect(merged({ [field]: 7 }, { [field]: 8 }).policy).toEqual({ kind: 'contradiction' });
    expect(merged({ [field]: 7 }, {}, { [field]: 8 }).policy).toEqual({ kind: 'contradiction' });
  });

  test.each(SINGLES.flatMap((one) => SINGLES.filter((two) => two !== one).map((two) => [one, two] as const)))(
    '%s of one and %s of the other go together',
    (one, two) => {
      expect(merged({ [one]: 7 }, { [two]: 8 }).policy).toMatchObject({
        kind: 'agreed',
        values: { ...UNSET, [one]: 7, [two]: 8 },
      });
    },
  );

  test.each(['localPref', 'med'] as const)('%s: zero is a value', (field) => {
    expect(merged({ [field]: 0 }, { [field]: 1 }).policy.kind).toBe('contradiction');
    expect(merged({ [field]: 0 }, {}).policy).toMatchObject({ values: { [field]: 0 } });
  });

  test('asPathPrepend: zero is what nobody wrote', () => {
    expect(merged({ asPathPrepend: 0 }, { asPathPrepend: 3 }).policy).toMatchObject({
      values: { asPathPrepend: 3 },
    });
  });
});

const unitedTexts = (...lists: readonly string[][]) => {
  const { policy } = merged(...lists.map((list) => ({ communities: list.map(community) })));
  return policy.kind === 'agreed' ? policy.values.communities.map(({ text }) => text).sort() : [];
};

describe('communities', () => {
  test.each([
    ['of one', [['1:1', '1:2']], ['1:1', '1:2']],
    ['of two', [['1:1'], ['1:2']], ['1:1', '1:2']],
    ['of two kinds', [['1:1'], ['1:2:3']], ['1:1', '1:2:3']],
    ['well-known ones', [['no-export'], ['1:1']], ['1:1', 'no-export']],
    ['of three, one without', [['1:1'], [], ['1:3']], ['1:1', '1:3']],
    ['none', [[], []], []],
  ])('%s', (_name, lists, expected) => {
    expect(unitedTexts(...lists)).toEqual(expected);
  });

  test('that both name go out once', () => {
    const both: Scene = {
      services: { web: { on: 'a' } },
      ads: {
        one: { communities: [community('1:1'), community('1:2:3')] },
        two: { communities: [community('1:2:3'), community('1:1')] },
      },
    };
    const path = pathsTo(decideScene(both).decision)['203.0.113.1/32 a'];
    expect(path?.attributes.communities.map(({ text }) => text)).toEqual(['1:1']);
    expect(
      path?.attributes.largeCommunities.map(({ text }) => text).filter((t) => t === '1:2:3'),
    ).toHaveLength(1);
  });

  test('never contradict, and do not heal a contradiction', () => {
    const set = merged(
      { med: 1, communities: [community('1:1')] },
      { med: 2, communities: [community('1:1')] },
    );
    expect(set.policy).toEqual({ kind: 'contradiction' });
  });
});

describe('next hops', () => {
  const rows: (readonly [string, readonly AdvertisementSpec['nextHops'][], unknown])[] = [
    ['no limit', [{}], { max: undefined, weight: 'Equal' }],
    ['one limit', [{ max: 4 }], { max: 4, weight: 'Equal' }],
    ['one limit of two', [{ max: 4 }, {}], { max: 4, weight: 'Equal' }],
    ['equal limits', [{ max: 4 }, { max: 4 }], { max: 4, weight: 'Equal' }],
    ['weights of one', [{ weight: 'Endpoints' }, {}], { max: undefined, weight: 'Endpoints' }],
    ['weights of the other', [{}, { weight: 'Endpoints' }], { max: undefined, weight: 'Endpoints' }],
    [
      'a limit here and weights there',
      [{ max: 2 }, { weight: 'Endpoints' }],
      { max: 2, weight: 'Endpoints' },
    ],
    ['two limits', [{ max: 4 }, { max: 5 }], undefined],
    ['two limits and none', [{ max: 4 }, {}, { max: 5 }], undefined],
  ];
  test.each(rows)('%s', (_name, nextHops, values) => {
    const set = merged(...nextHops.map((each) => (each ? { nextHops: each } : {})));
    expect(set.nextHops).toEqual(values ? { kind: 'agreed', values } : { kind: 'contradiction' });
  });

  test('a contradiction of limits leaves the attributes alone, and the other way round', () => {
    const limits = merged({ nextHops: { max: 4 }, med: 1 }, { nextHops: { max: 5 }, med: 1 });
    expect([limits.policy.kind, limits.nextHops.kind]).toEqual(['agreed', 'contradiction']);
    const meds = merged({ nextHops: { max: 4 }, med: 1 }, { nextHops: { max: 4 }, med: 2 });
    expect([meds.policy.kind, meds.nextHops.kind]).toEqual(['contradiction', 'agreed']);
  });
});

describe('whether each node has to be asked about', () => {
  const rows: (readonly [string, readonly AdvertisementSpec[], 'alike' | 'selected'])[] = [
    ['one without selectors', [{}], 'alike'],
    ['one with a selector', [{ nodeSelectors: RACK }], 'selected'],
    ['two without', [{}, { med: 1 }], 'alike'],
    ['one of two with', [{}, { nodeSelectors: RACK }], 'selected'],
    ['the same selector twice', [{ nodeSelectors: RACK }, { nodeSelectors: RACK }], 'selected'],
    [
      'both from all nodes',
      [{ nextHops: { from: 'AllNodes' } }, { nextHops: { from: 'AllNodes' } }],
      'alike',
    ],
    ['from different nodes', [{ nextHops: { from: 'AllNodes' } }, {}], 'selected'],
  ];
  test.each(rows)('%s', (_name, specs, expected) => {
    expect(merged(...specs).nodes).toBe(expected);
  });
});

describe('sets', () => {
  const names = ['a', 'b', 'c', 'd'];
  const all = new Map(names.map((name) => [name, ad(name, {})]));
  const members = (of: readonly string[]) => of.flatMap((name) => all.get(name) ?? []);
  const some = fc.array(fc.constantFrom(...names), { minLength: 1, maxLength: 6 });

  test('of nothing there are none', () => {
    expect(new AdvertisementSets().of([])).toBeUndefined();
    expect(new AdvertisementSets().union([])).toBeUndefined();
  });

  test('are one object exactly when they hold the same', () => {
    const sets = new AdvertisementSets();
    fc.assert(
      fc.property(some, some, (one, two) => {
        const same = [...new Set(one)].sort().join() === [...new Set(two)].sort().join();
        expect(sets.of(members(one)) === sets.of(members(two))).toBe(same);
      }),
    );
  });

  test('list their members once, by name, and are known by them', () => {
    fc.assert(
      fc.property(some, (of) => {
        const set = new AdvertisementSets().of(members(of));
        const expected = [...new Set(of)].sort();
        expect(set?.members.map(({ name }) => name)).toEqual(expected);
        expect(set?.key).toBe(expected.join(' '));
      }),
    );
  });

  test('the union of sets is the set of all members', () => {
    const sets = new AdvertisementSets();
    fc.assert(
      fc.property(fc.array(some, { minLength: 1, maxLength: 4 }), (of) => {
        const parts = of.flatMap((each) => sets.of(members(each)) ?? []);
        expect(sets.union(parts)).toBe(sets.of(members(of.flat())));
      }),
    );
  });

  test('narrowed to nothing are none, narrowed to all are themselves', () => {
    const sets = new AdvertisementSets();
    const set = sets.of(members(names));
    if (!set) {
      throw new Error('no set');
    }
    expect(sets.narrow(set, () => true)).toBe(set);
    expect(sets.narrow(set, () => false)).toBeUndefined();
    expect(sets.narrow(set, ({ name }) => name < 'c')).toBe(sets.of(members(['b', 'a'])));
  });
});

describe('aggregates asked for', () => {
  const word = { unassigned: 'RouterDiscards' as const };
  type Row = readonly [
    string,
    AdvertisementSpec['aggregation'],
    number | undefined,
    number | undefined,
    boolean,
  ];
  const rows: Row[] = [
    ['nothing', {}, undefined, undefined, false],
    ['the word alone', word, undefined, undefined, false],
    ['IPv4', { length: 24, ...word }, 24, undefined, false],
    ['IPv6', { lengthV6: 64, ...word }, undefined, 64, false],
    ['both', { length: 24, lengthV6: 64, ...word }, 24, 64, false],
    ['everything', { length: 0, lengthV6: 0, ...word }, 0, 0, false],
    ['one less than a host', { length: 31, lengthV6: 127, ...word }, 31, 127, false],
    ['hosts', { length: 32, lengthV6: 128, ...word }, undefined, undefined, false],
    ['hosts without the word', { length: 32, lengthV6: 128 }, undefined, undefined, false],
    ['IPv4 without the word', { length: 24 }, undefined, undefined, true],
    ['IPv6 without the word', { lengthV6: 64 }, undefined, undefined, true],
    ['IPv4 without the word beside IPv6 hosts', { length: 24, lengthV6: 128 }, undefined, undefined, true],
  ];
  test.each(rows)('%s', (_name, aggregation, v4, v6, unsafe) => {
    const it = ad('it', aggregation ? { aggregation } : {});
    expect(aggregateLength(it, 4)).toBe(v4);
    expect(aggregateLength(it, 6)).toBe(v6);
    expect(aggregatesUnsafely(it)).toBe(unsafe);
  });
});
