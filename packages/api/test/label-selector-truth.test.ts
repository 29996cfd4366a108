// Every operator against every state that a label can be in, and every pair of conditions: the truth table
// of Kubernetes, written out.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  matchesAny,
  matchesSelector,
  type LabelExpression,
  type LabelSelector,
  type Labels,
  type SelectorOperator,
} from '../src/index.ts';

const STATES: Readonly<Record<string, Labels>> = {
  absent: {},
  empty: { zone: '' },
  a: { zone: 'a' },
  b: { zone: 'b' },
  'a capital A': { zone: 'A' },
  'another key': { zones: 'a' },
};

type State = keyof typeof STATES;

const condition = (operator: SelectorOperator, ...values: readonly string[]): LabelExpression => ({
  key: 'zone',
  operator,
  values,
});

const selector = (...matchExpressions: readonly LabelExpression[]): LabelSelector => ({
  matchLabels: {},
  matchExpressions,
});

const EVERYWHERE: readonly State[] = ['absent', 'empty', 'a', 'b', 'a capital A', 'another key'];

const CONDITIONS: readonly (readonly [LabelExpression, readonly State[]])[] = [
  [condition('In', 'a'), ['a']],
  [condition('In', 'a', 'b'), ['a', 'b']],
  [condition('In', 'a', 'a'), ['a']],
  [condition('In', ''), ['empty']],
  [condition('In', 'A'), ['a capital A']],
  [condition('In', 'a,b'), []],
  [condition('In', '*'), []],
  [condition('In'), []],
  [condition('NotIn', 'a'), ['absent', 'empty', 'b', 'a capital A', 'another key']],
  [condition('NotIn', 'a', 'b'), ['absent', 'empty', 'a capital A', 'another key']],
  [condition('NotIn', ''), ['absent', 'a', 'b', 'a capital A', 'another key']],
  [condition('NotIn', 'z'), EVERYWHERE],
  [condition('NotIn'), EVERYWHERE],
  [condition('Exists'), ['empty', 'a', 'b', 'a capital A']],
  [condition('Exists', 'z'), ['empty', 'a', 'b', 'a capital A']],
  [condition('DoesNotExist'), ['absent', 'another key']],
  [condition('DoesNotExist', 'a'), ['absent', 'another key']],
];

const described = ({ operator, values }: LabelExpression): string => `${operator} ${JSON.stringify(values)}`;

function matchedStates(of: LabelSelector): State[] {
  return EVERYWHERE.filter((state) => matchesSelector(of, STATES[state] ?? {}));
}

describe('one condition', () => {
  it.each(CONDITIONS.map(([of, states]) => ({ text: described(of), of, states })))(
    '$text holds for $states',
    ({ of, states }) => {
      expect(matchedStates(selector(of))).toEqual(states);
    },
  );
});

describe('two conditions', () => {
  const pairs = CONDITIONS.flatMap(([first, ofFirst], index) =>
    CONDITIONS.slice(index + 1).map(([second, ofSecond]) => ({
      text: `${described(first)} and ${described(second)}`,
      of: selector(first, second),
      turned: selector(second, first),
      both: ofFirst.filter((state) => ofSecond.includes(state)),
    })),
  );

  it.each(pairs)('$text hold where both do, in either order', ({ of, turned, both }) => {
    expect(matchedStates(of)).toEqual(both);
    expect(matchedStates(turned)).toEqual(both);
  });
});

describe('labels and conditions together', () => {
  it.each<[string, Labels, readonly LabelExpression[], readonly State[]]>([
    ['the same label twice', { zone: 'a' }, [condition('In', 'a', 'b')], ['a']],
    ['a contradiction', { zone: 'a' }, [condition('NotIn', 'a')], []],
    ['present and absent', { zone: 'a' }, [condition('DoesNotExist')], []],
    ['an empty value that exists', { zone: '' }, [condition('Exists')], ['empty']],
    ['a label that nothing has', { row: '1' }, [condition('Exists')], []],
    ['only labels', { zone: 'b' }, [], ['b']],
    ['neither', {}, [], EVERYWHERE],
    ['another key as a label', { zones: 'a' }, [condition('DoesNotExist')], ['another key']],
  ])('%s', (_, matchLabels, matchExpressions, states) => {
    expect(matchedStates({ matchLabels, matchExpressions })).toEqual(states);
  });
});

describe('names that every object has', () => {
  const keys = ['constructor', 'toString', 'hasOwnProperty', '__proto__', 'valueOf'];

  it.each(keys)('%s is absent until it is a label', (key) => {
    const exists = selector({ key, operator: 'Exists', values: [] });
    const labelled = JSON.parse(`{${JSON.stringify(key)}: "x"}`) as Labels;
    expect(matchesSelector(exists, {})).toBe(false);
    expect(matchesSelector(exists, labelled)).toBe(true);
    expect(matchesSelector({ matchLabels: labelled, matchExpressions: [] }, {})).toBe(false);
    expect(matchesSelector({ matchLabels: labelled, matchExpressions: [] }, labelled)).toBe(true);
  });
});

describe('several selectors', () => {
  it.each<[string, readonly LabelSelector[], readonly State[]]>([
    ['none at all', [], EVERYWHERE],
    ['one', [selector(condition('In', 'a'))], ['a']],
    ['one of two', [selector(condition('In', 'a')), selector(condition('In', 'b'))], ['a', 'b']],
    ['one that is empty', [selector(condition('In', 'a')), selector()], EVERYWHERE],
    ['two that match nothing', [selector(condition('In')), selector(condition('In', 'z'))], []],
    ['opposites', [selector(condition('Exists')), selector(condition('DoesNotExist'))], EVERYWHERE],
  ])('%s', (_, selectors, states) => {
    expect(EVERYWHERE.filter((state) => matchesAny(selectors, STATES[state] ?? {}))).toEqual(states);
  });
});

const KEYS = ['zone', 'row', 'toString'] as const;
const VALUES = ['', 'a', 'b'] as const;

const anyLabels = fc.dictionary(fc.constantFrom(...KEYS), fc.constantFrom(...VALUES), {
  noNullPrototype: true,
});
const anyCondition = fc.record({
  key: fc.constantFrom(...KEYS),
  operator: fc.constantFrom<SelectorOperator>('In', 'NotIn', 'Exists', 'DoesNotExist'),
  values: fc.subarray([...VALUES]),
});
const anySelector = fc.record({
  matchLabels: anyLabels,
  matchExpressions: fc.array(anyCondition, { maxLength: 3 }),
});

/** What the words of the API reference say, with a map in the place of an object. */
function modelMatches(of: LabelSelector, labels: Labels): boolean {
  const held = new Map(Object.entries(labels));
  const required = Object.entries(of.matchLabels).map(([key, value]) => held.get(key) === value);
  const conditions = of.matchExpressions.map(({ key, operator, values }) => {
    const among = held.has(key) && new Set(values).has(held.get(key) ?? '');
    const holds = { In: among, NotIn: !among, Exists: held.has(key), DoesNotExist: !held.has(key) };
    return holds[operator];
  });
  return ![...required, ...conditions].includes(false);
}

describe('any selector', () => {
  it('matches what the model matches', () => {
    fc.assert(
      fc.property(anySelector, anyLabels, (of, labels) => {
        expect(matchesSelector(of, labels)).toBe(modelMatches(of, labels));
      }),
      { numRuns: 500 },
    );
  });

  it('with one condition more never matches more', () => {
    fc.assert(
      fc.property(anySelector, anyCondition, anyLabels, (of, more, labels) => {
        const narrower = { ...of, matchExpressions: [...of.matchExpressions, more] };
        expect(matchesSelector(of, labels) || !matchesSelector(narrower, labels)).toBe(true);
      }),
    );
  });

  it('more in a list that is not empty never matches less', () => {
    fc.assert(
      fc.property(
        fc.array(anySelector, { minLength: 1, maxLength: 3 }),
        anySelector,
        anyLabels,
        (list, more, labels) => {
          expect(matchesAny([...list, more], labels) || !matchesAny(list, labels)).toBe(true);
        },
      ),
    );
  });
});
