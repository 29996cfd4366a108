// One object for equal content, also after the interner has let go of what no table holds.

import { PersistentMap, addressFromValue, hostPrefix, pathAttributes } from '@herald/net';
import type { PathAttributes, RouteTable } from '@herald/net';
import { describe, expect, test } from 'vitest';
import { Interner } from '../../src/routes/interner.ts';
import type { PathClass } from '../../src/routes/path-class.ts';

const attributes = (med: number): PathAttributes =>
  pathAttributes({
    asPath: [],
    localPref: 100,
    med,
    communities: [],
    largeCommunities: [],
    linkBandwidth: undefined,
  });

const pathClass = (name: string): PathClass => ({
  name,
  advertisements: [name],
  rank: { mode: 'None', base: 0 },
  attributes: attributes(0),
  key: name,
});

const nextHop = (i: number) => addressFromValue(4, BigInt(0x0a000000 + i));
const CLASS = pathClass('c');

function pathOf(interner: Interner, i: number, pathId = i + 1, of = CLASS) {
  return interner.path(
    interner.pathSet(of, 'plain', () => attributes(5)),
    pathId,
    nextHop(i),
  );
}

function tableOf(paths: readonly ReturnType<typeof pathOf>[]): RouteTable {
  return PersistentMap.from(
    paths.map((path) => {
      const prefix = hostPrefix(path.nextHop);
      return [prefix.text, { prefix, paths: [path] }];
    }),
  );
}

describe('an interner', () => {
  test('gives one object for equal hops and paths', () => {
    const interner = new Interner();
    expect(interner.hop(nextHop(1), CLASS, 0)).toBe(interner.hop(nextHop(1), CLASS, 0));
    expect(interner.hop(nextHop(1), CLASS, 3)).toBe(interner.hop(nextHop(1), CLASS, 3));
    expect(pathOf(interner, 1)).toBe(pathOf(interner, 1));
  });

  test('gives different objects for what differs', () => {
    const interner = new Interner();
    const other = pathClass('other');
    expect(interner.hop(nextHop(1), CLASS, 0)).not.toBe(interner.hop(nextHop(1), CLASS, 3));
    expect(interner.hop(nextHop(1), CLASS, 0)).not.toBe(interner.hop(nextHop(1), other, 0));
    expect(pathOf(interner, 1)).not.toBe(pathOf(interner, 2));
  });

  test('keeps apart path ids of one next hop', () => {
    const interner = new Interner();
    const [first, second] = [pathOf(interner, 1, 7), pathOf(interner, 1, 8)];
    expect([first.pathId, second.pathId]).toEqual([7, 8]);
    expect(pathOf(interner, 1, 7)).toBe(first);
    expect(pathOf(interner, 1, 8)).toBe(second);
  });

  test('shares paths between classes that say the same', () => {
    const interner = new Interner();
    expect(pathOf(interner, 1, 2, pathClass('one'))).toBe(pathOf(interner, 1, 2, pathClass('two')));
  });

  test('stays as it is while it is small', () => {
    const interner = new Interner();
    pathOf(interner, 1);
    expect(interner.compacted([])).toBe(interner);
  });

  test('lets go of what no table holds, and knows what one does', () => {
    const interner = new Interner();
    const paths = Array.from({ length: 20_001 }, (_, i) => pathOf(interner, i));
    const clash = pathOf(interner, 3, 99_999);
    const kept = tableOf([clash, ...paths.slice(4, 10)]);
    const fresh = interner.compacted([kept, tableOf([paths[3]!])]);
    expect(fresh).not.toBe(interner);
    expect(pathOf(fresh, 5)).toBe(paths[5]);
    expect(pathOf(fresh, 3)).toBe(paths[3]);
    expect(pathOf(fresh, 3, 99_999)).toBe(clash);
    expect(pathOf(fresh, 15)).not.toBe(paths[15]);
    expect(pathOf(interner, 15)).toBe(paths[15]);
  });
});
