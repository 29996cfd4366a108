// The indexes that say what a change touches: slices by Service, Services by node, Services by prefix. Each is
// kept by changes only, so the property is that keeping it gives the same as building it anew.

import fc from 'fast-check';
import { PersistentMap, prefix } from '@herald/net';
import { describe, expect, test } from 'vitest';
import type { EndpointSlice } from '@herald/api';
import type { ServiceChange } from '../../src/incremental/index-change.ts';
import { indexMembers } from '../../src/incremental/member-index.ts';
import type { MemberIndex } from '../../src/incremental/member-index.ts';
import { indexReaders } from '../../src/incremental/reader-index.ts';
import type { ReaderIndex } from '../../src/incremental/reader-index.ts';
import { indexSlices } from '../../src/incremental/slice-index.ts';
import { AdvertisementSets } from '../../src/routes/advertisement-set.ts';
import type { Membership, ServiceRoutes } from '../../src/routes/service-routes.ts';
import { advertisement } from '../routes/small-world.ts';

const NOBODY = { nodes: [], nameless: false };
const sets = new AdvertisementSets();

function setOf(name: string) {
  const set = sets.of([advertisement(name, {})]);
  if (!set) {
    throw new Error('no set');
  }
  return set;
}

const [ONE, TWO] = [setOf('one'), setOf('two')];

function membership(text: string): Membership {
  // 'net' is a prefix, 'net<whole' one instead of an aggregate, a leading '+' the other advertisement.
  const [of = '', insteadOf] = text.replace('+', '').split('<');
  return { prefix: prefix(of), advertisements: text.startsWith('+') ? TWO : ONE, insteadOf };
}

function routes(key: string, reads: readonly string[], memberships: readonly string[] = []): ServiceRoutes {
  return {
    key,
    createdAt: 0,
    policy: 'Cluster',
    reason: undefined,
    unmet: undefined,
    memberships: memberships.map(membership),
    idleIn: [],
    serving: { 4: NOBODY, 6: NOBODY },
    reads,
  };
}

const change = (key: string, before?: ServiceRoutes, after?: ServiceRoutes): ServiceChange => ({
  key,
  before,
  after,
});
const plain = <V>(map: PersistentMap<V>) => Object.fromEntries([...map].sort(([a], [b]) => (a < b ? -1 : 1)));

describe('readers of a node', () => {
  const start = indexReaders(PersistentMap.empty(), [
    change('s1', undefined, routes('s1', ['a', 'b'])),
    change('s2', undefined, routes('s2', ['b', 'c'])),
  ]);

  test('are the Services that looked at it', () => {
    expect(plain(start)).toEqual({ a: ['s1'], b: ['s1', 's2'], c: ['s2'] });
  });

  const s1 = routes('s1', ['a', 'b']);
  const s2 = routes('s2', ['b', 'c']);
  const rows: (readonly [string, readonly ServiceChange[], Record<string, readonly string[]>])[] = [
    ['nothing changes', [], { a: ['s1'], b: ['s1', 's2'], c: ['s2'] }],
    [
      'the same is read',
      [change('s1', s1, routes('s1', ['b', 'a']))],
      { a: ['s1'], b: ['s1', 's2'], c: ['s2'] },
    ],
    ['a Service goes', [change('s1', s1)], { b: ['s2'], c: ['s2'] }],
    ['all go', [change('s1', s1), change('s2', s2)], {}],
    [
      'a Service comes',
      [change('s3', undefined, routes('s3', ['c']))],
      { a: ['s1'], b: ['s1', 's2'], c: ['s2', 's3'] },
    ],
    ['it looks elsewhere', [change('s1', s1, routes('s1', ['c']))], { b: ['s2'], c: ['s2', 's1'] }],
    ['it looks nowhere', [change('s1', s1, routes('s1', []))], { b: ['s2'], c: ['s2'] }],
    [
      'two swap',
      [change('s1', s1, routes('s1', ['c'])), change('s2', s2, routes('s2', ['a']))],
      { a: ['s2'], c: ['s1'] },
    ],
  ];
  test.each(rows)('%s', (_name, changes, expected) => {
    expect(plain(indexReaders(start, changes))).toEqual(expected);
    expect(plain(start)).toEqual({ a: ['s1'], b: ['s1', 's2'], c: ['s2'] });
  });
});

const memberKeys = (index: MemberIndex) =>
  Object.fromEntries(
    Object.entries(plain(index)).map(([text, members]) => [text, members.map(({ of }) => of.key)]),
  );

describe('members of a prefix', () => {
  const P = '203.0.113.1/32';
  const Q = '203.0.113.0/24';
  const one = routes('s1', [], [P]);
  const two = routes('s2', [], [P, Q]);
  const start = indexMembers(PersistentMap.empty(), [
    change('s2', undefined, two),
    change('s1', undefined, one),
  ]);

  test('are sorted by Service, whatever the order of changes', () => {
    expect(memberKeys(start.index)).toEqual({ [P]: ['s1', 's2'], [Q]: ['s2'] });
    expect([...start.prefixes].sort()).toEqual([Q, P]);
  });

  const rows: (readonly [string, readonly ServiceChange[], Record<string, string[]>, readonly string[]])[] = [
    ['nothing changes', [], { [P]: ['s1', 's2'], [Q]: ['s2'] }, []],
    ['a Service goes', [change('s1', one)], { [P]: ['s2'], [Q]: ['s2'] }, [P]],
    ['the last of a prefix goes', [change('s2', two)], { [P]: ['s1'] }, [Q, P]],
    ['one leaves a prefix', [change('s2', two, routes('s2', [], [P]))], { [P]: ['s1', 's2'] }, [Q, P]],
    [
      'one comes into a prefix',
      [change('s1', one, routes('s1', [], [P, Q]))],
      { [P]: ['s1', 's2'], [Q]: ['s1', 's2'] },
      [Q, P],
    ],
    [
      'one that has none',
      [change('s3', undefined, routes('s3', []))],
      { [P]: ['s1', 's2'], [Q]: ['s2'] },
      [],
    ],
  ];
  test.each(rows)('%s', (_name, changes, expected, touched) => {
    const { index, prefixes } = indexMembers(start.index, changes);
    expect(memberKeys(index)).toEqual(expected);
    expect([...prefixes].sort()).toEqual([...touched].sort());
  });

  test('the one that changed is there anew, the other one is the same object', () => {
    const after = routes('s1', ['x'], [P]);
    const { index } = indexMembers(start.index, [change('s1', one, after)]);
    expect(index.get(P)?.map(({ of }) => of === after)).toEqual([true, false]);
    expect(index.get(P)?.[1]).toBe(start.index.get(P)?.[1]);
    expect(index.get(Q)).toBe(start.index.get(Q));
  });

  test('several memberships of one Service are in one order, however they came', () => {
    const texts = [P, `+${P}`, `${P}<${Q}`, `+${P}<${Q}`];
    const order = (of: readonly string[]) =>
      indexMembers(PersistentMap.empty(), [change('s', undefined, routes('s', [], of))])
        .index.get(P)
        ?.map(({ membership: { insteadOf, advertisements } }) => `${insteadOf ?? ''} ${advertisements.key}`);
    expect(order(texts)).toEqual([' one', ' two', `${Q} one`, `${Q} two`]);
    expect(order(texts.toReversed())).toEqual(order(texts));
  });
});

const sliceOf = (key: string, serviceKey: string): EndpointSlice => ({
  kind: 'EndpointSlice',
  name: key,
  uid: key,
  createdAt: 0,
  labels: {},
  namespace: 'default',
  key,
  serviceKey,
  family: 4,
  endpoints: [],
});

describe('slices of a Service', () => {
  const mapOf = (of: Readonly<Record<string, string>>) =>
    PersistentMap.from(Object.entries(of).map(([key, owner]) => [key, sliceOf(key, owner)]));

  const FIRST = mapOf({ x: 'web', y: 'web', z: 'other' });
  const start = indexSlices(PersistentMap.empty(), PersistentMap.empty(), FIRST);
  const shown = (index: typeof start.index) =>
    Object.fromEntries(
      Object.entries(plain(index)).map(([key, list]) => [key, list.map((each) => each.key).join()]),
    );

  test('are those with its label, by their own name', () => {
    expect(shown(start.index)).toEqual({ web: 'x,y', other: 'z' });
    expect([...start.services].sort()).toEqual(['other', 'web']);
  });

  const rows: (readonly [string, typeof FIRST, Record<string, string>, string])[] = [
    ['nothing changes', FIRST, { web: 'x,y', other: 'z' }, ''],
    ['one goes', FIRST.delete('x'), { web: 'y', other: 'z' }, 'web'],
    ['the last one goes', FIRST.delete('z'), { web: 'x,y' }, 'other'],
    ['one comes', FIRST.set('a', sliceOf('a', 'web')), { web: 'a,x,y', other: 'z' }, 'web'],
    ['one moves', FIRST.set('x', sliceOf('x', 'other')), { web: 'y', other: 'x,z' }, 'other,web'],
    [
      'one moves to a new Service',
      FIRST.set('x', sliceOf('x', 'new')),
      { new: 'x', web: 'y', other: 'z' },
      'new,web',
    ],
    ['one loses its label', FIRST.set('x', sliceOf('x', '')), { web: 'y', other: 'z' }, 'web'],
    ['one is nobody’s from the start', FIRST.set('n', sliceOf('n', '')), { web: 'x,y', other: 'z' }, ''],
    ['one is replaced', FIRST.set('x', sliceOf('x', 'web')), { web: 'x,y', other: 'z' }, 'web'],
  ];
  test.each(rows)('%s', (_name, after, expected, services) => {
    const found = indexSlices(start.index, FIRST, after);
    expect(shown(found.index)).toEqual(expected);
    expect([...found.services].sort().join()).toBe(services);
  });

  test('of Services that did not change are the same list', () => {
    const { index } = indexSlices(start.index, FIRST, FIRST.delete('x'));
    expect(index.get('other')).toBe(start.index.get('other'));
  });

  test('kept through any history are those of the last World', () => {
    const worlds = fc.array(
      fc.dictionary(fc.constantFrom('p', 'q', 'r', 's'), fc.constantFrom('web', 'other', '')),
      { minLength: 1, maxLength: 6 },
    );
    fc.assert(
      fc.property(worlds, (history) => {
        let before: typeof FIRST = PersistentMap.empty();
        let { index } = indexSlices(PersistentMap.empty(), before, before);
        for (const of of history) {
          const after = mapOf(of);
          ({ index } = indexSlices(index, before, after));
          before = after;
        }
        expect(shown(index)).toEqual(
          shown(indexSlices(PersistentMap.empty(), PersistentMap.empty(), before).index),
        );
      }),
    );
  });
});

const routesByKey = (of: Record<string, [string[], string[]]>) =>
  new Map(Object.entries(of).map(([key, [reads, texts]]) => [key, routes(key, reads, texts)]));

const changesBetween = (
  before: Map<string, ServiceRoutes>,
  after: Map<string, ServiceRoutes>,
): ServiceChange[] =>
  [...new Set([...before.keys(), ...after.keys()])].map((key) =>
    change(key, before.get(key), after.get(key)),
  );

describe('for every history of Services', () => {
  const state = fc.dictionary(
    fc.constantFrom('s1', 's2', 's3'),
    fc.tuple(
      fc.uniqueArray(fc.constantFrom('a', 'b', 'c')),
      fc.uniqueArray(fc.constantFrom('10.0.0.1/32', '10.0.0.2/32', '10.0.0.0/24')),
    ),
  );

  test('both indexes are what the last state alone gives', () => {
    fc.assert(
      fc.property(fc.array(state, { minLength: 1, maxLength: 6 }), (history) => {
        let before = new Map<string, ServiceRoutes>();
        let readers: ReaderIndex = PersistentMap.empty();
        let members: MemberIndex = PersistentMap.empty();
        for (const each of history) {
          const after = routesByKey(each);
          const changes = changesBetween(before, after);
          readers = indexReaders(readers, changes);
          members = indexMembers(members, changes).index;
          before = after;
        }
        const scratch = changesBetween(new Map(), before);
        const sorted = (index: ReaderIndex) =>
          Object.entries(plain(index)).map(([node, keys]) => [node, [...keys].sort()]);
        expect(sorted(readers)).toEqual(sorted(indexReaders(PersistentMap.empty(), scratch)));
        expect(plain(members)).toEqual(plain(indexMembers(PersistentMap.empty(), scratch).index));
      }),
    );
  });
});
