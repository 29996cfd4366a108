// Which table is announced: what bgpd holds, whole, just as it is; otherwise the file's; and to a router that a fresh
// replica serves, nothing.

import type { RetainedPath, RetainedTables, Tables } from '@herald/decision';
import { feedAttributes, MARKER_PREFIX } from '@herald/frr';
import { PersistentMap, type RouteTable } from '@herald/net';
import { describe, expect, test } from 'vitest';

import { foundTables, withoutPeers } from '../../src/kept/kept-routes.ts';
import { routesTo } from '../../../decision/test/routes/small-world.ts';
import { decided, held, heldTables, kept, rows, type Held } from './kept-scene.ts';

const BEFORE = decided().decision;
function without(table: Held, ...prefixes: string[]): Held {
  return new Map([...table].filter(([text]) => !prefixes.includes(text)));
}

/** What leaves for bgpd, where the number that was prepended does not show. */
function sent({ shared, views }: Tables): Record<string, readonly string[]> {
  const each = Array.from(views, ([name, of]) => [name, packed(of)] as const);
  return rows({ shared: packed(shared), views: new Map(each) });
}

function packed(table: RouteTable): RouteTable {
  return PersistentMap.from(
    Array.from(table, ([text, { prefix, paths }]) => [
      text,
      { prefix, paths: paths.map((path) => ({ ...path, attributes: feedAttributes(path.attributes) })) },
    ]),
  );
}

const { shared, views } = BEFORE.tables;
const [viewName = ''] = views.keys();
const WHOLE = heldTables(BEFORE.tables);

test('what bgpd holds is sent again octet for octet, whatever the file says', async () => {
  const { tables, from } = foundTables(await kept(decided({})), WHOLE);
  expect(from).toBe('bgpd');
  expect(sent({ shared: tables.shared, views: new Map() })).toEqual(sent({ shared, views: new Map() }));
});

test('and of every view', async () => {
  const { tables } = foundTables(await kept(), WHOLE);
  expect(sent(tables)).toEqual(sent(BEFORE.tables));
  expect(viewName).not.toBe('');
});

describe('the file is used where bgpd', () => {
  const table = held(shared);
  const [first = '', paths = []] = [...table][0] ?? [];
  const changed = (change: Partial<RetainedPath>): Held =>
    new Map([...table, [first, paths.map((path) => ({ ...path, ...change }))]]);
  const nameless: readonly RetainedPath[] = paths.map(({ nextHop, attributes }) => ({ nextHop, attributes }));
  test.each<[string, RetainedTables]>([
    ['holds nothing', new Map()],
    ['holds an empty table', new Map([['', new Map()]])],
    ['has no marker', new Map([['', without(table, MARKER_PREFIX.text)]])],
    [
      'does not say the path ids',
      new Map([['', new Map<string, readonly RetainedPath[]>([...table, [first, nameless]])]]),
    ],
    ['has a next hop that cannot be read', new Map([['', changed({ nextHop: 'fe80::%eth0' })]])],
    ['has one path id twice', new Map([['', changed({ pathId: 7 })]])],
    ['has a prefix that cannot be read', new Map([['', new Map([...table, ['what', paths]])]])],
  ])('%s', async (_name, retained) => {
    const content = await kept();
    const found = foundTables(content, retained);
    expect(found.from).toBe('file');
    expect(rows(found.tables)).toEqual(rows(content.tables));
  });
});

describe('of peers that are left to others', () => {
  const { peers } = BEFORE.sessions;
  const names = ['tor', 'spine', 'plain'];
  const subsets = [[], ['tor'], ['spine'], ['plain'], ['tor', 'spine'], ['tor', 'plain'], names];
  test.each(subsets.map((silent) => [silent]))('%j hear nothing, the others all that they did', (silent) => {
    const tables = withoutPeers(BEFORE.tables, peers, new Set(silent));
    for (const name of names) {
      const heard = (of: Tables) =>
        routesTo({ ...BEFORE, tables: of }, name).map(({ prefix, paths }) => [
          prefix.text,
          paths.map(({ pathId, nextHop }) => `${pathId} ${nextHop.text}`),
        ]);
      expect(heard(tables)).toEqual(silent.includes(name) ? [] : heard(BEFORE.tables));
    }
  });

  test('none: nothing is made anew', () => {
    const tables = withoutPeers(BEFORE.tables, peers, new Set());
    expect(tables.shared).toBe(BEFORE.tables.shared);
  });
});
