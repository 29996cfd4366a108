import { hostPrefix, address, PersistentMap } from '@herald/net';
import type { PrefixRoutes, RouteTable } from '@herald/net';
import { MARKER_PREFIX } from '@herald/frr';
import { describe, expect, test } from 'vitest';

import { Marker, markerCommunity } from '../src/marker.ts';
import { pathsOf } from '../src/table-size.ts';
import { PLAIN_ATTRIBUTES } from './plain-attributes.ts';

function routes(text: string, ...nextHops: string[]): readonly [string, PrefixRoutes] {
  const prefix = hostPrefix(address(text));
  const paths = nextHops.map((hop, i) => ({
    pathId: i + 1,
    nextHop: address(hop),
    attributes: PLAIN_ATTRIBUTES,
  }));
  return [prefix.text, { prefix, paths }];
}

function table(...entries: (readonly [string, PrefixRoutes])[]): RouteTable {
  return PersistentMap.from(entries);
}

const TWO = table(
  routes('203.0.113.1', '10.0.0.1', '10.0.0.2'),
  routes('2001:db8::1', 'fd00::1', 'fd00::2', 'fd00::3'),
);

describe('the marker', () => {
  test('is one more entry; the others are the same objects', () => {
    const marked = new Marker().addTo(TWO, 5);
    expect(marked.size).toBe(TWO.size + 1);
    expect(marked.changedKeys(TWO)).toEqual([MARKER_PREFIX.text]);
  });

  test('leaves the table that it is added to as it is', () => {
    new Marker().addTo(TWO, 5);
    expect(TWO.has(MARKER_PREFIX.text)).toBe(false);
  });

  test('is the same object for the same generation, so that it is not sent again', () => {
    const marker = new Marker();
    const first = marker.addTo(TWO, 5);
    const second = marker.addTo(table(routes('203.0.113.9', '10.0.0.1')), 5);
    expect(second.get(MARKER_PREFIX.text)).toBe(first.get(MARKER_PREFIX.text));
  });

  test('is another one for another generation', () => {
    const marker = new Marker();
    expect(marker.addTo(TWO, 6).changedKeys(marker.addTo(TWO, 5))).toEqual([MARKER_PREFIX.text]);
  });

  test('carries the community by which its generation is looked for, and nothing else', () => {
    const [path, ...rest] = new Marker().addTo(TWO, 5).get(MARKER_PREFIX.text)?.paths ?? [];
    expect(rest).toEqual([]);
    expect(path?.attributes.largeCommunities.map(({ text }) => text)).toEqual([markerCommunity(5)]);
    expect(markerCommunity(5)).toBe('4294967295:2:5');
    expect(markerCommunity(5)).not.toBe(markerCommunity(6));
  });
});

describe('how many paths bgpd must hold', () => {
  const tables = { shared: TWO, views: new Map([['plain-7', table(routes('203.0.113.1', '10.0.0.1'))]]) };
  test.for([
    { instance: 'default', paths: 6 },
    { instance: 'plain-7', paths: 2 },
    { instance: 'plain-8', paths: 1 },
  ])('in $instance: its paths and the marker', ({ instance, paths }) => {
    expect(pathsOf(tables, instance)).toBe(paths);
  });

  test('is what a marked table has', () => {
    const marked = new Marker().addTo(TWO, 1);
    const count = [...marked.values()].reduce((sum, entry) => sum + entry.paths.length, 0);
    expect(pathsOf({ shared: TWO, views: new Map() }, 'default')).toBe(count);
  });
});
