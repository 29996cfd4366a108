// The table of a feed beside the table as decided: packed where bgpd must not see an attribute, shared elsewhere.

import {
  PersistentMap,
  address,
  pathAttributes,
  prefix,
  type Path,
  type PrefixRoutes,
  type RouteTable,
} from '@herald/net';
import { expect, test } from 'vitest';

import { FeedTable } from '../src/feed-table.ts';

function path(asPath: readonly number[]): Path {
  const attributes = pathAttributes({
    asPath,
    localPref: 100,
    med: 0,
    communities: [],
    largeCommunities: [],
    linkBandwidth: undefined,
  });
  return { pathId: 1, nextHop: address('192.0.2.1'), attributes };
}

function routes(text: string, ...paths: readonly Path[]): PrefixRoutes {
  return { prefix: prefix(text), paths };
}

function table(...entries: readonly PrefixRoutes[]): RouteTable {
  return PersistentMap.from(entries.map((entry) => [entry.prefix.text, entry] as const));
}

const PLAIN = routes('203.0.113.1/32', path([]));
const OTHER = routes('203.0.113.2/32', path([]));
const PREPENDED = routes('203.0.113.3/32', path([64512, 64512]));

test('a table without anything to pack is sent as it is', () => {
  const feed = new FeedTable();
  const decided = table(PLAIN, OTHER);
  expect(feed.of(decided)).toBe(decided);
  const fewer = decided.delete(OTHER.prefix.text);
  expect(feed.of(fewer)).toBe(fewer);
});

test('only the routes concerned are other objects, and they stay the same from table to table', () => {
  const feed = new FeedTable();
  const first = feed.of(table(PLAIN, PREPENDED));
  expect(first.get(PLAIN.prefix.text)).toBe(PLAIN);
  const packed = first.get(PREPENDED.prefix.text);
  expect(packed?.paths.map(({ attributes }) => attributes.asPath)).toEqual([[]]);
  const second = feed.of(table(PLAIN, PREPENDED).set(OTHER.prefix.text, OTHER));
  expect(second.changedKeys(first)).toEqual([OTHER.prefix.text]);
  expect(second.get(PREPENDED.prefix.text)).toBe(packed);
});

test('routes that share a path share the packed one', () => {
  const shared = path([64512]);
  const sent = new FeedTable().of(table(routes('203.0.113.1/32', shared), routes('203.0.113.2/32', shared)));
  const [one, two] = ['203.0.113.1/32', '203.0.113.2/32'].map((text) => sent.get(text)?.paths[0]);
  expect(one).toBeDefined();
  expect(one).not.toBe(shared);
  expect(one).toBe(two);
});

test('what goes is gone, packed or not', () => {
  const feed = new FeedTable();
  feed.of(table(PLAIN, PREPENDED));
  expect([...feed.of(table(PREPENDED)).keys()]).toEqual([PREPENDED.prefix.text]);
  expect([...feed.of(table(PLAIN)).keys()]).toEqual([PLAIN.prefix.text]);
  expect(feed.of(table()).size).toBe(0);
});
