// What limits cut, on plain lists of routes: sets fall back from the youngest on, paths are trimmed from the
// youngest on, the same in whatever order the routes are listed.

import fc from 'fast-check';
import { hash32, prefix } from '@herald/net';
import { describe, expect, test } from 'vitest';
import { NO_LIMITS, changedLimits, limitsOf } from '../../src/routes/limits.ts';
import type { LimitedRoute, Limits } from '../../src/routes/limits.ts';

const SHARED = { set: 'all', paths: 4 };

interface Spec {
  readonly set: string;
  readonly paths?: number;
  readonly local?: boolean;
  readonly unshared?: boolean;
  readonly age?: number;
}

function route(number: number, { set, paths = 2, local = false, unshared = false, age }: Spec): LimitedRoute {
  return {
    prefix: prefix(`203.0.113.${number}/32`),
    createdAt: age ?? number,
    policy: local ? 'Local' : 'Cluster',
    set,
    paths,
    shared: () => (unshared ? undefined : SHARED),
  };
}

/** Words are routes, oldest first: the set, '!' for policy Local, ':n' for n paths. */
function routes(text: string): LimitedRoute[] {
  return text
    .split(' ')
    .filter(Boolean)
    .map((word, i) => {
      const [name = '', paths = '2'] = word.split(':');
      return route(i + 1, { set: name.replace('!', ''), local: name.includes('!'), paths: Number(paths) });
    });
}

const numbers = (texts: Iterable<string>) =>
  [...texts].map((text) => Number(text.slice('203.0.113.'.length, -'/32'.length))).sort((a, b) => a - b);

const fallen = (text: string, max: number | undefined) =>
  numbers(limitsOf(routes(text), max, undefined).shared);

/** Paths that each route is left with, in the order in which they were given. */
function widths(of: readonly LimitedRoute[], { shared, allowed }: Limits): number[] {
  return of.map(
    ({ prefix: { text }, paths }) => allowed.get(text) ?? (shared.has(text) ? SHARED.paths : paths),
  );
}

describe('sets', () => {
  const rows: (readonly [string, number | undefined, readonly number[]])[] = [
    ['a b c', undefined, []],
    ['a b c', 3, []],
    ['a a a', 1, []],
    ['a b c', 2, [2, 3]],
    ['a b c', 1, [1, 2, 3]],
    ['a b a', 2, []],
    ['a b a c a', 2, [2, 4]],
    ['a b c a', 2, [2, 3]],
    ['a b c d e', 3, [3, 4, 5]],
    ['a b c d e', 4, [4, 5]],
    ['all b c', 2, [3]],
    ['all b c d', 3, [4]],
    ['a! b c', 2, [2, 3]],
    ['a b! c', 2, [1, 3]],
    ['a b c!', 2, [1, 2]],
    ['a! b! c', 2, [3]],
    ['a! b! c!', 2, []],
    ['a! b! c!', 1, []],
    ['a b c! a', 3, []],
    ['a b c! d', 3, [2, 4]],
    ['', 1, []],
  ];
  test.each(rows)('%s, room for %s', (text, max, expected) => {
    expect(fallen(text, max)).toEqual(expected);
  });

  test('a route that cannot share keeps its set though there is no room', () => {
    const list = [route(1, { set: 'a' }), route(2, { set: 'b', unshared: true }), route(3, { set: 'c' })];
    expect(numbers(limitsOf(list, 2, undefined).shared)).toEqual([3]);
  });

  test('of equal age the prefix decides', () => {
    const list = [3, 1, 2].map((number) => route(number, { set: `s${number}`, age: 0 }));
    expect(numbers(limitsOf(list, 2, undefined).shared)).toEqual([2, 3]);
  });
});

describe('paths', () => {
  const rows: (readonly [string, number | undefined, readonly number[], number])[] = [
    ['a:4 b:4', undefined, [4, 4], 0],
    ['a:4 b:4', 8, [4, 4], 0],
    ['a:4 b:4', 7, [4, 3], 1],
    ['a:4 b:4', 5, [4, 1], 3],
    ['a:4 b:4', 4, [3, 1], 4],
    ['a:4 b:4', 2, [1, 1], 6],
    ['a:4 b:4', 1, [1, 0], 7],
    ['a:4 b:4', 0, [0, 0], 8],
    ['a:1 b:9 c:1', 5, [1, 3, 1], 6],
    ['a:1 b:1 c:9', 5, [1, 1, 3], 6],
    ['a:9 b:1 c:1', 5, [3, 1, 1], 6],
    ['a! b c', 4, [2, 1, 1], 2],
    ['', 0, [], 0],
  ];
  test.each(rows)('%s, room for %s', (text, max, expected, trimmed) => {
    const list = routes(text);
    const limits = limitsOf(list, undefined, max);
    expect(widths(list, limits)).toEqual(expected);
    expect(limits.trimmedPaths).toBe(trimmed);
  });

  test('are counted with the shared set where that is used', () => {
    const list = routes('a:1 b:1 c:1');
    const limits = limitsOf(list, 2, 6);
    expect(numbers(limits.shared)).toEqual([2, 3]);
    expect(widths(list, limits)).toEqual([1, 4, 1]);
    expect(limits.trimmedPaths).toBe(3);
  });
});

const plainLimits = ({ shared, allowed, trimmedPaths }: Limits) => [
  [...shared].sort(),
  [...allowed].map(([text, paths]) => `${text} ${paths}`).sort(),
  trimmedPaths,
];

describe('for all routes', () => {
  const spec = fc.record({
    set: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'all'),
    paths: fc.integer({ min: 1, max: 6 }),
    local: fc.boolean(),
    age: fc.integer({ min: 0, max: 4 }),
  });
  const list = fc.array(spec, { maxLength: 12 }).map((specs) => specs.map((each, i) => route(i + 1, each)));
  const limit = fc.option(fc.integer({ min: 1, max: 12 }), { nil: undefined });

  test('the order in which they are listed does not matter', () => {
    fc.assert(
      fc.property(list, limit, limit, fc.nat(), (of, sets, paths, seed) => {
        const shuffled = of.toSorted(
          (a, b) => hash32(`${a.prefix.text} ${seed}`) - hash32(`${b.prefix.text} ${seed}`),
        );
        expect(plainLimits(limitsOf(shuffled, sets, paths))).toEqual(plainLimits(limitsOf(of, sets, paths)));
      }),
    );
  });

  test('never more paths than the limit, and none is wasted', () => {
    fc.assert(
      fc.property(list, limit, fc.integer({ min: 0, max: 40 }), (of, sets, max) => {
        const limits = limitsOf(of, sets, max);
        const wanted = widths(of, { ...limits, allowed: new Map() }).reduce((sum, each) => sum + each, 0);
        const got = widths(of, limits).reduce((sum, each) => sum + each, 0);
        expect(got).toBe(Math.min(wanted, max));
        expect(limits.trimmedPaths).toBe(wanted - got);
      }),
    );
  });

  test('never more sets than the limit, as far as policy Local leaves room', () => {
    fc.assert(
      fc.property(list, fc.integer({ min: 1, max: 6 }), (of, max) => {
        const { shared } = limitsOf(of, max, undefined);
        const sets = new Set(of.map(({ prefix: { text }, set }) => (shared.has(text) ? SHARED.set : set)));
        const locals = new Set(of.filter(({ policy }) => policy === 'Local').map(({ set }) => set));
        expect(sets.size).toBeLessThanOrEqual(Math.max(max, locals.size + 1));
        of.filter(({ policy }) => policy === 'Local').forEach(({ prefix: { text } }) =>
          expect(shared.has(text)).toBe(false),
        );
      }),
    );
  });

  test('one more young route costs the older ones one path at most', () => {
    fc.assert(
      fc.property(list, fc.integer({ min: 1, max: 40 }), (of, max) => {
        const young = route(200, { set: 'a', paths: 3, age: 99 });
        const before = widths(of, limitsOf(of, undefined, max));
        const after = widths([...of, young], limitsOf([...of, young], undefined, max));
        const lost = before.map((each, i) => each - (after[i] ?? 0)).reduce((sum, each) => sum + each, 0);
        expect(lost).toBeLessThanOrEqual(1);
      }),
    );
  });
});

const limitsWith = (shared: readonly string[], allowed: Readonly<Record<string, number>>): Limits => ({
  shared: new Set(shared),
  allowed: new Map(Object.entries(allowed)),
  trimmedPaths: 0,
});

describe('what changed between two limits', () => {
  const rows: (readonly [string, Limits, Limits, readonly string[]])[] = [
    ['nothing', limitsWith(['p'], { q: 1 }), limitsWith(['p'], { q: 1 }), []],
    ['nothing at all', NO_LIMITS, NO_LIMITS, []],
    ['the number only', { ...NO_LIMITS, trimmedPaths: 4 }, NO_LIMITS, []],
    ['one falls back', NO_LIMITS, limitsWith(['p'], {}), ['p']],
    ['one has its own again', limitsWith(['p'], {}), NO_LIMITS, ['p']],
    ['another one', limitsWith(['p'], {}), limitsWith(['q'], {}), ['p', 'q']],
    ['one is trimmed', NO_LIMITS, limitsWith([], { p: 1 }), ['p']],
    ['one is trimmed more', limitsWith([], { p: 2 }), limitsWith([], { p: 1 }), ['p']],
    ['one is cut off', limitsWith([], { p: 1 }), limitsWith([], { p: 0 }), ['p']],
    ['one is whole again', limitsWith([], { p: 0 }), NO_LIMITS, ['p']],
    ['from trimmed to shared', limitsWith([], { p: 1 }), limitsWith(['p'], {}), ['p']],
  ];
  test.each(rows)('%s', (_name, before, after, expected) => {
    expect(changedLimits(before, after).sort()).toEqual(expected);
  });
});
