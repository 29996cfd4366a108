// The persistent map against a plain Map: same content after any steps, old maps untouched, exact differences.

import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { PersistentMap } from '../src/index.ts';

type Step =
  | { readonly kind: 'set'; readonly key: string; readonly value: number }
  | { readonly kind: 'delete'; readonly key: string }
  | { readonly kind: 'with'; readonly entries: [string, number][]; readonly removed: string[] };

const keys = fc.oneof(
  fc.constantFrom('a', 'b', 'c', '', '192.0.2.1/32', '2001:db8::1/128', '__proto__'),
  fc.nat({ max: 3000 }).map((n) => `key-${n}`),
);
const values = fc.nat({ max: 2 });

const steps: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ kind: fc.constant('set' as const), key: keys, value: values }),
  fc.record({ kind: fc.constant('delete' as const), key: keys }),
  fc.record({
    kind: fc.constant('with' as const),
    entries: fc.array(fc.tuple(keys, values), { maxLength: 30 }),
    removed: fc.array(keys, { maxLength: 10 }),
  }),
);

function take(map: PersistentMap<number>, step: Step): PersistentMap<number> {
  switch (step.kind) {
    case 'set':
      return map.set(step.key, step.value);
    case 'delete':
      return map.delete(step.key);
    case 'with':
      return map.with(step.entries, step.removed);
  }
}

function model(before: ReadonlyMap<string, number>, step: Step): Map<string, number> {
  const after = new Map(before);
  const removed = step.kind === 'with' ? step.removed : step.kind === 'delete' ? [step.key] : [];
  const entries: [string, number][] =
    step.kind === 'with' ? step.entries : step.kind === 'set' ? [[step.key, step.value]] : [];
  for (const key of removed) {
    after.delete(key);
  }
  for (const [key, value] of entries) {
    after.set(key, value);
  }
  return after;
}

const byNumber = (a: number, b: number): number => a - b;

function sorted(entries: Iterable<[string, number]>): [string, number][] {
  return [...entries].sort(([a], [b]) => (a < b ? -1 : 1));
}

function expectSame(map: PersistentMap<number>, expected: ReadonlyMap<string, number>): void {
  expect(map.size).toBe(expected.size);
  expect(sorted(map)).toEqual(sorted(expected));
  expect([...map.keys()].sort()).toEqual([...expected.keys()].sort());
  expect([...map.values()].sort(byNumber)).toEqual([...expected.values()].sort(byNumber));
  for (const key of [...expected.keys(), 'absent', 'a', '']) {
    expect([map.has(key), map.get(key)]).toEqual([expected.has(key), expected.get(key)]);
  }
}

function difference(a: PersistentMap<number>, b: PersistentMap<number>): string[] {
  const all = new Set([...a.keys(), ...b.keys()]);
  return [...all].filter((key) => a.has(key) !== b.has(key) || a.get(key) !== b.get(key)).sort();
}

describe('against a plain Map', () => {
  it('holds the same after any steps, and so do all maps before', () => {
    fc.assert(
      fc.property(fc.array(steps, { maxLength: 25 }), (path) => {
        const maps = [PersistentMap.empty<number>()];
        const models: ReadonlyMap<string, number>[] = [new Map()];
        for (const step of path) {
          maps.push(take(maps.at(-1) ?? PersistentMap.empty(), step));
          models.push(model(models.at(-1) ?? new Map(), step));
        }
        for (const [index, map] of maps.entries()) {
          expectSame(map, models[index] ?? new Map());
        }
      }),
    );
  });

  it('finds the keys that changed between any two maps', () => {
    fc.assert(
      fc.property(fc.array(steps, { maxLength: 10 }), fc.array(steps, { maxLength: 10 }), (toA, fork) => {
        const a = toA.reduce(take, PersistentMap.empty<number>());
        const b = fork.reduce(take, a);
        const unrelated = fork.reduce(take, PersistentMap.empty<number>());
        expect(b.changedKeys(a).sort()).toEqual(difference(a, b));
        expect(a.changedKeys(b).sort()).toEqual(difference(a, b));
        expect(unrelated.changedKeys(a).sort()).toEqual(difference(a, unrelated));
      }),
    );
  });
});

describe('sameness', () => {
  const base = PersistentMap.from([
    ['a', 1],
    ['b', 2],
  ]);
  const rows: [what: string, result: PersistentMap<number>][] = [
    ['the same value set again', base.set('a', 1)],
    ['an absent key deleted', base.delete('z')],
    ['nothing', base.with([])],
    ['many values set again', base.with([...base], ['z'])],
  ];
  test.each(rows)('%s is the same map', (_, result) => {
    expect(result).toBe(base);
    expect(result.changedKeys(base)).toEqual([]);
  });

  it('goes by reference, not by content', () => {
    const one = { n: 1 };
    const map = PersistentMap.from([['a', one]]);
    expect(map.set('a', one)).toBe(map);
    expect(map.set('a', { n: 1 }).changedKeys(map)).toEqual(['a']);
  });

  it('of the empty map is one for all', () => {
    expect(PersistentMap.empty()).toBe(PersistentMap.empty());
    expect(PersistentMap.from([])).toBe(PersistentMap.empty());
    expect(PersistentMap.empty().size).toBe(0);
  });
});

describe('with', () => {
  const base = PersistentMap.from([
    ['a', 1],
    ['b', 2],
  ]);

  it('removes first, then sets', () => {
    expect(base.with([['a', 9]], ['a', 'b'])).toMatchObject({ size: 1 });
    expect(base.with([['a', 9]], ['a', 'b']).get('a')).toBe(9);
  });

  it('lets the last of equal keys win', () => {
    const entries: [string, number][] = [
      ['c', 1],
      ['c', 2],
    ];
    expect(base.with(entries).get('c')).toBe(2);
    expect(base.with(entries).size).toBe(3);
  });

  it('takes any iterable once', () => {
    const entries = new Map([['c', 3]]).entries();
    expect(base.with(entries, new Set(['a']).values()).size).toBe(2);
  });

  it('tells a missing value from one that is undefined', () => {
    const empty = PersistentMap.empty<number | undefined>();
    const map = empty.set('a', undefined);
    expect([map.has('a'), map.has('b'), map.size]).toEqual([true, false, 1]);
    expect(map.changedKeys(empty)).toEqual(['a']);
    expect(empty.changedKeys(map)).toEqual(['a']);
  });
});

describe('a large map', () => {
  const size = 20_000;
  const base = PersistentMap.from(Array.from({ length: size }, (_, i) => [`key-${i}`, i] as const));

  it('holds every key', () => {
    expect(base.size).toBe(size);
    expect([...base.values()].reduce((sum, each) => sum + each, 0)).toBe((size * (size - 1)) / 2);
  });

  it('shows exactly what one batch changed', () => {
    const next = base.with(
      [
        ['key-7', -7],
        ['new', 0],
      ],
      ['key-19999', 'never'],
    );
    expect(next.changedKeys(base).sort()).toEqual(['key-19999', 'key-7', 'new']);
    expect(next.size).toBe(size);
    expect(base.get('key-7')).toBe(7);
  });

  it('can be emptied', () => {
    const emptied = base.with([], base.keys());
    expect(emptied.size).toBe(0);
    expect([...emptied]).toEqual([]);
    expect(emptied.changedKeys(base)).toHaveLength(size);
  });
});
