import * as fc from 'fast-check';
import { expect, test } from 'vitest';

import {
  desiredPaths,
  EMPTY_TALLY,
  routesIn,
  tallyPaths,
  type Tally,
} from '../../src/status/desired-paths.ts';
import { inView, peer } from '../session-plan.ts';
import { table } from './status-inputs.ts';

const ONE = peer('one', { number: 1 });
const TWO = peer('two', { number: 2 });
const OWN = inView('own', 'v');

const counts = (tally: Tally) =>
  [ONE, TWO, OWN].map((each) => [desiredPaths(each, 4, tally), desiredPaths(each, 6, tally)]);

type Entries = Readonly<Record<string, readonly (readonly number[])[]>>;

const tablesOf = (shared: Entries, view: Entries) => ({
  shared: table(shared),
  views: Object.keys(view).length > 0 ? new Map([['v', table(view)]]) : new Map(),
});

test.for<{ what: string; shared: Entries; view: Entries; expected: number[][]; sizes: [number, number] }>([
  {
    what: 'nothing',
    shared: {},
    view: {},
    expected: [
      [0, 0],
      [0, 0],
      [0, 0],
    ],
    sizes: [0, 0],
  },
  {
    what: 'paths for everybody',
    shared: { '198.51.100.1/32': [[0], [0]] },
    view: {},
    expected: [
      [2, 0],
      [2, 0],
      [0, 0],
    ],
    sizes: [1, 2],
  },
  {
    what: 'paths for some',
    shared: { '198.51.100.1/32': [[1], [2], [1, 2]] },
    view: {},
    expected: [
      [2, 0],
      [2, 0],
      [0, 0],
    ],
    sizes: [1, 3],
  },
  {
    what: 'paths for nobody',
    shared: { '198.51.100.1/32': [[], [9]] },
    view: {},
    expected: [
      [0, 0],
      [0, 0],
      [0, 0],
    ],
    sizes: [1, 2],
  },
  {
    what: 'both families',
    shared: { '198.51.100.1/32': [[0]], '2001:db8::1/128': [[0], [1]] },
    view: {},
    expected: [
      [1, 2],
      [1, 1],
      [0, 0],
    ],
    sizes: [2, 3],
  },
  {
    what: 'a view, where the same prefix counts once',
    shared: { '198.51.100.1/32': [[0]] },
    view: { '198.51.100.1/32': [[]], '2001:db8::1/128': [[]] },
    expected: [
      [1, 0],
      [1, 0],
      [1, 1],
    ],
    sizes: [2, 3],
  },
])('$what', ({ shared, view, expected, sizes }) => {
  const tally = tallyPaths(tablesOf(shared, view), EMPTY_TALLY);
  expect(counts(tally)).toEqual(expected);
  expect([tally.prefixes.size, routesIn(tally)]).toEqual(sizes);
});

test('the same tables are the same tally', () => {
  const tables = tablesOf({ '198.51.100.1/32': [[0]] }, {});
  const tally = tallyPaths(tables, EMPTY_TALLY);
  expect(tallyPaths(tables, tally)).toBe(tally);
});

const PREFIXES = [
  '198.51.100.1/32',
  '198.51.100.2/32',
  '198.51.100.0/24',
  '2001:db8::1/128',
  '2001:db8::2/128',
];
const entries = fc.dictionary(
  fc.constantFrom(...PREFIXES),
  fc.array(fc.subarray([0, 1, 2, 9], { maxLength: 2 }), { minLength: 1, maxLength: 3 }),
);

test('counting up and down ends where counting anew does', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(entries, entries), { minLength: 1, maxLength: 6 }), (states) => {
      let tally = EMPTY_TALLY;
      for (const [shared, view] of states) {
        const tables = tablesOf(shared, view);
        tally = tallyPaths(tables, tally);
        const anew = tallyPaths(tables, EMPTY_TALLY);
        expect([counts(tally), routesIn(tally)]).toEqual([counts(anew), routesIn(anew)]);
        expect(Object.fromEntries(tally.prefixes)).toEqual(Object.fromEntries(anew.prefixes));
      }
    }),
  );
});
