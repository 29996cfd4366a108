// Label selectors match as Kubernetes matches.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { matchesAny, matchesSelector, type LabelSelector, type SelectorOperator } from '../src/index.ts';

const labels = { rack: 'a', tier: 'web', empty: '' };

function expression(key: string, operator: SelectorOperator, ...values: readonly string[]): LabelSelector {
  return { matchLabels: {}, matchExpressions: [{ key, operator, values }] };
}

const withLabels = (matchLabels: Record<string, string>): LabelSelector => ({
  matchLabels,
  matchExpressions: [],
});

describe('a label selector', () => {
  it.each<[string, LabelSelector, boolean]>([
    ['nothing', withLabels({}), true],
    ['a label', withLabels({ rack: 'a' }), true],
    ['another value', withLabels({ rack: 'b' }), false],
    ['an absent label', withLabels({ row: 'a' }), false],
    ['all of two labels', withLabels({ rack: 'a', tier: 'web' }), true],
    ['one of two labels', withLabels({ rack: 'a', tier: 'db' }), false],
    ['an empty value', withLabels({ empty: '' }), true],
    ['a name of every object', withLabels({ constructor: 'a' }), false],
    ['In', expression('rack', 'In', 'b', 'a'), true],
    ['In others', expression('rack', 'In', 'b', 'c'), false],
    ['In, absent', expression('row', 'In', 'a'), false],
    ['NotIn', expression('rack', 'NotIn', 'b'), true],
    ['NotIn, in', expression('rack', 'NotIn', 'b', 'a'), false],
    ['NotIn, absent', expression('row', 'NotIn', 'a'), true],
    ['Exists', expression('empty', 'Exists'), true],
    ['Exists, absent', expression('row', 'Exists'), false],
    ['Exists, inherited', expression('toString', 'Exists'), false],
    ['DoesNotExist', expression('row', 'DoesNotExist'), true],
    ['DoesNotExist, present', expression('rack', 'DoesNotExist'), false],
    ['labels and expressions', { ...expression('tier', 'Exists'), matchLabels: { rack: 'b' } }, false],
  ])('with %s', (_, selector, expected) => {
    expect(matchesSelector(selector, labels)).toBe(expected);
  });

  it('among several is enough', () => {
    expect(matchesAny([withLabels({ rack: 'b' }), withLabels({ tier: 'web' })], labels)).toBe(true);
    expect(matchesAny([withLabels({ rack: 'b' })], labels)).toBe(false);
  });

  it('is not needed', () => {
    expect(matchesAny([], {})).toBe(true);
  });

  it('and its opposite never agree', () => {
    const map = fc.dictionary(fc.constantFrom('a', 'b'), fc.constantFrom('x', 'y'));
    fc.assert(
      fc.property(map, fc.subarray(['x', 'y', 'z']), (object, values) => {
        const selects = (operator: SelectorOperator): boolean =>
          matchesSelector(expression('a', operator, ...values), object);
        expect(selects('In')).toBe(!selects('NotIn'));
        expect(selects('Exists')).toBe(!selects('DoesNotExist'));
      }),
    );
  });
});
