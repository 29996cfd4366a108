// Equality of projected values against the equality of the platform, and one change at every place of a
// projected object.

import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { projectObject, sameProjected } from '../src/index.ts';
import { ALL_CASES } from './cases/all.ts';
import { manifest } from './cases/case.ts';

/** Trees as projection makes them: records with the usual prototype, arrays, primitives. */
const { tree } = fc.letrec((tie) => ({
  tree: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom<unknown>(undefined, null, true, false, 0, 1, 2n, '', 'a', 'toString'),
    fc.array(tie('tree'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom('a', 'b', 'toString', 'length'), tie('tree'), {
      maxKeys: 3,
      noNullPrototype: true,
    }),
  ),
}));

function turned(value: unknown): unknown {
  if (Array.isArray(value)) {
    return value.map(turned);
  }
  return typeof value === 'object' && value !== null
    ? Object.fromEntries(
        Object.entries(value)
          .toReversed()
          .map(([key, child]) => [key, turned(child)]),
      )
    : value;
}

/** Every value that comes from changing one leaf, losing one field or item, or gaining one. */
function neighbours(value: unknown): unknown[] {
  if (Array.isArray(value)) {
    return [
      ...value.flatMap((item, index) => neighbours(item).map((other) => value.with(index, other))),
      ...value.map((_, index) => value.toSpliced(index, 1)),
      [...value, 'more'],
    ];
  }
  if (typeof value !== 'object' || value === null) {
    return [value === 'changed' ? 'other' : 'changed', value === null ? undefined : null];
  }
  const entries = Object.entries(value);
  const without = (name: string): object => Object.fromEntries(entries.filter(([key]) => key !== name));
  return [
    ...entries.flatMap(([key, child]) => neighbours(child).map((other) => ({ ...value, [key]: other }))),
    ...entries.map(([key]) => without(key)),
    { ...value, more: undefined },
  ];
}

describe('two values', () => {
  it('are the same exactly when the platform calls them equal', () => {
    fc.assert(
      fc.property(tree, tree, (a, b) => {
        expect(sameProjected(a, b)).toBe(isDeepStrictEqual(a, b));
      }),
      { numRuns: 2000 },
    );
  });

  it('are the same as their copy, in whatever order its fields were written', () => {
    fc.assert(
      fc.property(tree, (value) => {
        expect(sameProjected(value, structuredClone(value))).toBe(true);
        expect(sameProjected(value, turned(value))).toBe(true);
      }),
    );
  });

  it('are the same in both directions, or in none', () => {
    fc.assert(
      fc.property(tree, tree, (a, b) => {
        expect(sameProjected(a, b)).toBe(sameProjected(b, a));
      }),
    );
  });

  it('are no longer the same after one change anywhere', () => {
    fc.assert(
      fc.property(tree, (value) => {
        for (const other of neighbours(value)) {
          expect(sameProjected(value, other)).toBe(isDeepStrictEqual(value, other));
        }
      }),
    );
  });

  it.each<[string, unknown, unknown, boolean]>([
    ['itself', 'a', 'a', true],
    ['an equal text', 'ab', ['a', 'b'].join(''), true],
    ['a number and a big one', 1, 1n, false],
    ['nothing and nothing', undefined, undefined, true],
    ['null and nothing', null, undefined, false],
    ['null and a record', null, {}, false],
    ['a record and null', {}, null, false],
    ['two empty records', {}, {}, true],
    ['two empty lists', [], [], true],
    ['a list and a record with its indexes', ['x'], { 0: 'x' }, false],
    ['a record and a list with its keys', { 0: 'x' }, ['x'], false],
    ['a list in another order', [1, 2], [2, 1], false],
    ['a record in another order', { a: 1, b: 2 }, { b: 2, a: 1 }, true],
    ['a hole and nothing', { a: undefined }, {}, false],
    ['as many fields, other names', { a: 1, b: undefined }, { a: 1, c: undefined }, false],
    ['deep inside', { a: [{ b: { c: 1 } }] }, { a: [{ b: { c: 1 } }] }, true],
    ['deep inside, one apart', { a: [{ b: { c: 1 } }] }, { a: [{ b: { c: 2 } }] }, false],
  ])('%s', (_, a, b, expected) => {
    expect(sameProjected(a, b)).toBe(expected);
    expect(sameProjected(b, a)).toBe(expected);
  });
});

describe('a projected object', () => {
  const objects = ALL_CASES.flatMap((of) =>
    of.accepted.map((change) => ({ text: `${of.kind} ${JSON.stringify(change)}`, of, change })),
  );

  it.each(objects)('differs from each of its neighbours: $text', ({ of, change }) => {
    const result = projectObject(manifest(of, change), 'manifest');
    const value = result?.ok === true ? result.value : expect.fail('the object is refused');
    const others = neighbours(value);
    expect(others.length).toBeGreaterThan(20);
    expect(others.filter((other) => sameProjected(value, other))).toEqual([]);
  });
});
