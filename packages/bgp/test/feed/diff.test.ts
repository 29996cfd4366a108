import { PersistentMap, type Family, type PrefixRoutes, type RouteTable } from '@herald/net';
import { describe, expect, it } from 'vitest';
import { diff } from '../../src/index.ts';
import { forgotten } from '../../src/feed/diff.ts';
import { attributes, path, routes, tableOf } from '../tables.ts';

const A = path(1, '192.0.2.1');
const B = path(2, '192.0.2.2');
const OTHER_A = path(1, '192.0.2.9');
const SIX = path(1, '2001:db8::1');
const P = '198.51.100.7/32';
const EMPTY: RouteTable = PersistentMap.empty<PrefixRoutes>();

interface Row {
  readonly name: string;
  readonly before: RouteTable;
  readonly after: RouteTable;
  readonly addPath?: readonly Family[];
  readonly families?: readonly Family[];
  /** "+id" announced, "-id" withdrawn. */
  readonly expected: string;
}

const both = tableOf(routes(P, A, B));

const ROWS: readonly Row[] = [
  { name: 'a new prefix', before: EMPTY, after: both, expected: '+1 +2' },
  { name: 'a prefix that goes', before: both, after: EMPTY, expected: '-1 -2' },
  { name: 'the same reference', before: both, after: both, expected: '' },
  { name: 'the same paths in a new entry', before: both, after: tableOf(routes(P, A, B)), expected: '' },
  { name: 'a path more', before: tableOf(routes(P, A)), after: both, expected: '+2' },
  { name: 'a path less', before: both, after: tableOf(routes(P, B)), expected: '-1' },
  { name: 'a path that changes', before: both, after: tableOf(routes(P, OTHER_A, B)), expected: '+1' },
  {
    name: 'one goes, one comes',
    before: tableOf(routes(P, A)),
    after: tableOf(routes(P, B)),
    expected: '+2 -1',
  },
  { name: 'single path: the first', before: EMPTY, after: both, addPath: [], expected: '+1' },
  {
    name: 'single path: a second one',
    before: tableOf(routes(P, A)),
    after: both,
    addPath: [],
    expected: '',
  },
  {
    name: 'single path: another first',
    before: both,
    after: tableOf(routes(P, B)),
    addPath: [],
    expected: '+2',
  },
  { name: 'single path: none left', before: both, after: EMPTY, addPath: [], expected: '-0' },
  {
    name: 'single path: none before or after',
    before: tableOf(routes(P)),
    after: EMPTY,
    addPath: [],
    expected: '',
  },
  { name: 'a family that is not carried', before: EMPTY, after: both, families: [6], expected: '' },
  {
    name: 'path ids in one family only',
    before: EMPTY,
    after: tableOf(routes('2001:db8::7/128', SIX, path(2, '2001:db8::2'))),
    addPath: [4],
    expected: '+1',
  },
];

describe('the difference of two tables', () => {
  it.each(ROWS)('$name: $expected', ({ before, after, addPath = [4, 6], families = [4, 6], expected }) => {
    const changes = diff(before, after, after.changedKeys(before), { addPath, families });
    const said = changes.flatMap(({ announced, withdrawn }) =>
      announced.map(({ pathId }) => `+${pathId}`).concat(withdrawn.map((pathId) => `-${pathId}`)),
    );
    expect(said.join(' ')).toBe(expected);
  });

  it('is empty for keys that are in neither table', () => {
    expect(diff(EMPTY, EMPTY, [P], { addPath: [4], families: [4] })).toEqual([]);
  });
});

describe('a prefix has another rank', () => {
  const better = attributes({ med: 9 });
  const weighted = attributes({ linkBandwidth: { asn: 1, bytesPerSecond: 1 } });

  it.each([
    ['when its paths get another MED', [path(1, '192.0.2.1', better), path(2, '192.0.2.2', better)], true],
    ['when its paths get another LOCAL_PREF', [path(1, '192.0.2.1', attributes({ localPref: 99 })), B], true],
    ['when other next hops come with another MED', [path(3, '192.0.2.3', better)], true],
    ['not when other next hops come with the same', [path(3, '192.0.2.3')], false],
    ['not when weights change', [path(1, '192.0.2.1', weighted), B], false],
    ['not when a next hop comes', [A, B, path(3, '192.0.2.3')], false],
    ['not when a next hop goes', [B], false],
  ])('%s', (_, paths, expected) => {
    const after = tableOf(routes(P, ...paths));
    const [change] = diff(both, after, [P], { addPath: [4], families: [4] });
    expect(change?.isReranked).toBe(expected);
  });

  it.each([
    ['is new', EMPTY, both, [4 as const]],
    ['goes', both, EMPTY, [4 as const]],
    ['has one path only', both, tableOf(routes(P, path(1, '192.0.2.1', better))), []],
  ])('not when it %s', (_, before, after, addPath) => {
    const changes = diff(before, after, [P], { addPath, families: [4] });
    expect(changes.map(({ isReranked }) => isReranked)).toEqual([false]);
  });
});

describe('a forgotten family', () => {
  const table = tableOf(routes(P, A), routes('2001:db8::7/128', SIX));

  it('differs in every path of that family and in no other', () => {
    const options = { addPath: [4, 6], families: [4, 6] } as const;
    const old = forgotten(table, 4);
    const changes = diff(old, table, table.changedKeys(old), options);
    expect(changes.map(({ prefix, announced, withdrawn }) => [prefix.text, announced, withdrawn])).toEqual([
      [P, [A], []],
    ]);
  });

  it('still knows what has to be withdrawn', () => {
    const old = forgotten(table, 6);
    const changes = diff(old, EMPTY, EMPTY.changedKeys(old), { addPath: [4, 6], families: [4, 6] });
    expect(changes.flatMap(({ withdrawn }) => withdrawn)).toEqual([1, 1]);
  });
});
