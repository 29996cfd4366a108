// Which nodes take part when not all may: equal parts for zones, stable when nodes come and go, even over many
// prefixes. On the choice itself, as properties, and through decisions for a thousand Services.

import fc from 'fast-check';
import { hash32 } from '@herald/net';
import { describe, expect, test } from 'vitest';
import { spread, spreadOf, zonesOf } from '../../src/routes/spread.ts';
import type { Placed } from '../../src/routes/spread.ts';
import { decideScene, nodeName, told } from './small-world.ts';
import type { NodeSpec, Scene } from './small-world.ts';

const placed = (name: string, zone = ''): Placed => ({ name, zone, hash: hash32(name) });

/** 'a b | c' are nodes a and b in zone 0 and c in zone 1. */
function layout(text: string): Placed[] {
  return text
    .split('|')
    .flatMap((zone, i) =>
      zone
        .split(' ')
        .filter(Boolean)
        .map((name) => placed(name, `zone-${i}`)),
    )
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

const many = (count: number, zones = 1) =>
  Array.from({ length: count }, (_, i) => placed(`node-${String(i).padStart(3, '0')}`, `zone-${i % zones}`));

const choose = (key: string, nodes: readonly Placed[], count: number) =>
  new Set(spread(key, zonesOf(nodes), count));

function perZone(nodes: readonly Placed[], chosen: ReadonlySet<string>): number[] {
  const counts = new Map(nodes.map(({ zone }) => [zone, 0]));
  for (const { name, zone } of nodes) {
    counts.set(zone, (counts.get(zone) ?? 0) + (chosen.has(name) ? 1 : 0));
  }
  return [...counts].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, count]) => count);
}

describe('places for zones', () => {
  const rows: (readonly [string, number, readonly number[]])[] = [
    ['a b c d', 2, [2]],
    ['a b | c d', 2, [1, 1]],
    ['a b | c d | e f', 3, [1, 1, 1]],
    ['a b c d | e', 2, [1, 1]],
    ['a b c d | e', 4, [3, 1]],
    ['a b c d | e | f', 5, [3, 1, 1]],
    ['a b c | d e f | g h i', 6, [2, 2, 2]],
    ['a b c | d e f | g', 7, [3, 3, 1]],
    ['a b c | d e f | g', 9, [3, 3, 1]],
    ['a | b | c | d', 4, [1, 1, 1, 1]],
    ['a b c d', 9, [4]],
  ];
  test.each(rows)('%s, room for %d', (text, count, expected) => {
    const nodes = layout(text);
    for (const key of ['203.0.113.1/32', '203.0.113.2/32', '2001:db8::1/128']) {
      expect(perZone(nodes, choose(key, nodes, count))).toEqual(expected);
    }
  });

  test('fewer places than zones: each zone gets its turn over many prefixes', () => {
    const nodes = many(30, 3);
    const totals = [0, 0, 0];
    for (let i = 0; i < 600; i++) {
      perZone(nodes, choose(`10.0.0.${i}/32`, nodes, 2)).forEach((count, zone) => {
        expect(count).toBeLessThanOrEqual(1);
        totals[zone] = (totals[zone] ?? 0) + count;
      });
    }
    expect(Math.min(...totals)).toBeGreaterThan(320);
    expect(Math.max(...totals)).toBeLessThan(480);
  });

  test('a single place ignores zones, so that a small zone is not overrun', () => {
    const nodes = layout('a b c d e f g h i | z');
    let small = 0;
    for (let i = 0; i < 500; i++) {
      small += choose(`p${i}`, nodes, 1).has('z') ? 1 : 0;
    }
    expect(small).toBeGreaterThan(20);
    expect(small).toBeLessThan(90);
  });
});

describe('for every set of nodes', () => {
  const nodes = fc
    .uniqueArray(fc.integer({ min: 0, max: 99 }), { minLength: 1, maxLength: 30 })
    .chain((numbers) =>
      fc
        .array(fc.integer({ min: 0, max: 3 }), { minLength: numbers.length, maxLength: numbers.length })
        .map((zones) =>
          numbers
            .toSorted((a, b) => a - b)
            .map((number, i) => placed(`n${String(number).padStart(2, '0')}`, `zone-${zones[i] ?? 0}`)),
        ),
    );
  const key = fc.string({ maxLength: 12 });
  const count = fc.integer({ min: 1, max: 20 });

  test('just as many are chosen as there is room, each once, all of them nodes', () => {
    fc.assert(
      fc.property(nodes, key, count, (of, on, room) => {
        const list = spread(on, zonesOf(of), room);
        expect(list).toHaveLength(Math.min(room, of.length));
        expect(new Set(list).size).toBe(list.length);
        expect(list.every((name) => of.some((each) => each.name === name))).toBe(true);
      }),
    );
  });

  test('zones differ by at most one place, unless one has no more nodes', () => {
    fc.assert(
      fc.property(nodes, key, fc.integer({ min: 2, max: 20 }), (of, on, room) => {
        const got = perZone(of, choose(on, of, room));
        const size = perZone(of, new Set(of.map(({ name }) => name)));
        const most = Math.max(...got);
        got.forEach((each, zone) => expect(each >= most - 1 || each === size[zone]).toBe(true));
      }),
    );
  });

  test('a node that was not chosen goes without anybody noticing', () => {
    fc.assert(
      fc.property(nodes, key, fc.integer({ min: 2, max: 20 }), (of, on, room) => {
        const before = choose(on, of, room);
        for (const { name, zone } of of.filter((each) => !before.has(each.name))) {
          const rest = of.filter((each) => each.name !== name);
          if (rest.some((each) => each.zone === zone)) {
            expect(choose(on, rest, room)).toEqual(before);
          }
        }
      }),
    );
  });

  test('a chosen node that goes costs the others nothing but its own place', () => {
    fc.assert(
      fc.property(nodes, key, fc.integer({ min: 2, max: 20 }), (of, on, room) => {
        const before = choose(on, of, room);
        for (const name of before) {
          const after = choose(
            on,
            of.filter((each) => each.name !== name),
            room,
          );
          const lost = [...before].filter((each) => each !== name && !after.has(each));
          expect(lost).toEqual([]);
        }
      }),
    );
  });

  test('asked once or with zones prepared: the same', () => {
    fc.assert(
      fc.property(nodes, key, count, (of, on, room) => {
        expect(new Set(spreadOf(on, of, room))).toEqual(choose(on, of, room));
      }),
    );
  });
});

describe('many prefixes', () => {
  const nodes = many(10);

  test.each([1, 2, 3, 5])('%d of 10 nodes each: the busiest has at most 1.5 times the mean', (room) => {
    const uses = new Map<string, number>();
    for (let i = 0; i < 1_000; i++) {
      choose(`203.0.${i >> 8}.${i & 255}/32`, nodes, room).forEach((name) =>
        uses.set(name, (uses.get(name) ?? 0) + 1),
      );
    }
    expect(uses.size).toBe(10);
    expect(Math.max(...uses.values()) / (100 * room)).toBeLessThanOrEqual(1.5);
    expect(Math.min(...uses.values()) / (100 * room)).toBeGreaterThanOrEqual(0.5);
  });

  test('different prefixes are not all given the same nodes', () => {
    const sets = new Set(Array.from({ length: 50 }, (_, i) => [...choose(`p${i}`, nodes, 3)].sort().join()));
    expect(sets.size).toBeGreaterThan(25);
  });
});

describe('a thousand Services over ten nodes for a router without ADD-PATH', () => {
  const names = Array.from({ length: 10 }, (_, i) => nodeName(i + 1));
  const base: Scene = {
    nodes: Object.fromEntries(names.map((name): [string, NodeSpec] => [name, {}])),
    pools: { wide: { ranges: '203.0.112.0/22' } },
    services: Object.fromEntries(
      Array.from({ length: 1_000 }, (_, i) => [
        `s${i}`,
        { on: names.join(' '), on6: '', ips: `203.0.${112 + (i >> 8)}.${i & 255}` },
      ]),
    ),
  };

  const rows: (readonly [string, Scene])[] = [
    ['that does not receive it', { peers: { tor: { offers: { 4: false, 6: false } } } }],
    ['that is not to receive it', { peers: { tor: { addPaths: { mode: 'Disabled', maxPaths: 16 } } } }],
    [
      'in a cluster of two zones of unequal size',
      {
        nodes: Object.fromEntries(
          names.map((name, i): [string, NodeSpec] => [name, { zone: i < 8 ? 'x' : 'y' }]),
        ),
        peers: { tor: { offers: { 4: false, 6: false } } },
      },
    ],
  ];
  test.each(rows)('%s: one next hop each, the busiest node at most 1.5 times the mean', (_name, more) => {
    const routes = told(decideScene({ ...base, ...more }).decision);
    const uses = new Map<string, number>();
    Object.values(routes).forEach((name) => uses.set(name, (uses.get(name) ?? 0) + 1));
    expect(Object.keys(routes)).toHaveLength(1_000);
    expect([...uses.keys()].sort()).toEqual(names);
    expect(Math.max(...uses.values())).toBeLessThanOrEqual(150);
    expect(Math.min(...uses.values())).toBeGreaterThanOrEqual(60);
  });
});
