// Pools as numbers: how ranges are laid, which pool loses, whom an address belongs to, how much fits, which is
// the lowest free address - each against a plain count over every address of a small pool.

import fc from 'fast-check';
import { PersistentMap, address } from '@herald/net';
import { describe, expect, test } from 'vitest';
import { candidatePools } from '../../src/allocate/candidate-pools.ts';
import { FreeSpaceDraft } from '../../src/allocate/free-space.ts';
import {
  holdsAddress,
  isAvoided,
  layPools,
  poolOwning,
  spanAtOrAfter,
} from '../../src/allocate/pool-layout.ts';
import type { LaidPool, PoolLayout } from '../../src/allocate/pool-layout.ts';
import { EMPTY_SPACES, PoolSpacesDraft } from '../../src/allocate/pool-space.ts';
import { label, namespace, pool, service } from './simulated-cluster.ts';
import type { PoolSpec, ServiceSpec } from './simulated-cluster.ts';

const lay = (specs: Readonly<Record<string, PoolSpec>>): PoolLayout =>
  layPools(PersistentMap.from(Object.entries(specs).map(([name, spec]) => [name, pool(name, spec)])));

function laid(spec: PoolSpec): LaidPool {
  const [found] = lay({ it: spec }).pools;
  if (!found) {
    throw new Error('no pool');
  }
  return found;
}

const BASE = address('192.0.2.0').value;
const spansOf = (of: LaidPool) =>
  of.spans[4].map(({ first, last }) => `${first - BASE}-${last - BASE}`).join(' ');

describe('ranges of a pool', () => {
  const rows: (readonly [string, readonly string[], string])[] = [
    ['one', ['192.0.2.1-192.0.2.3'], '1-3'],
    ['one address', ['192.0.2.7'], '7-7'],
    ['a prefix', ['192.0.2.0/30'], '0-3'],
    ['two apart', ['192.0.2.9', '192.0.2.1-192.0.2.3'], '1-3 9-9'],
    ['two adjacent', ['192.0.2.4-192.0.2.5', '192.0.2.1-192.0.2.3'], '1-5'],
    ['two that overlap', ['192.0.2.1-192.0.2.5', '192.0.2.3-192.0.2.9'], '1-9'],
    ['one inside the other', ['192.0.2.1-192.0.2.9', '192.0.2.3-192.0.2.5'], '1-9'],
    ['the same twice', ['192.0.2.1', '192.0.2.1'], '1-1'],
    ['three that join', ['192.0.2.1', '192.0.2.3', '192.0.2.2'], '1-3'],
    ['none', [], ''],
    ['only IPv6', ['2001:db8::1'], ''],
  ];
  test.each(rows)('%s', (_name, ranges, expected) => {
    expect(spansOf(laid({ ranges: [...ranges] }))).toBe(expected);
  });

  test('of both families are laid apart', () => {
    const of = laid({ ranges: ['192.0.2.1', '2001:db8::1-2001:db8::4'] });
    expect([of.capacity[4], of.capacity[6]]).toEqual([1n, 4n]);
  });
});

const hostText = (number: number) => `192.0.${2 + (number >> 8)}.${number & 255}`;

describe('capacity', () => {
  const rows: (readonly [string, PoolSpec, bigint, bigint])[] = [
    ['of a /24', { ranges: ['192.0.2.0/24'] }, 256n, 0n],
    ['of a /24 without .0 and .255', { ranges: ['192.0.2.0/24'], avoidBuggyIPs: true }, 254n, 0n],
    ['of a /23 without them', { ranges: ['192.0.2.0/23'], avoidBuggyIPs: true }, 508n, 0n],
    ['of .0 alone', { ranges: ['192.0.2.0'], avoidBuggyIPs: true }, 0n, 0n],
    ['of .255 and the next .0', { ranges: ['192.0.2.255-192.0.3.0'], avoidBuggyIPs: true }, 0n, 0n],
    ['of .254 to .1', { ranges: ['192.0.2.254-192.0.3.1'], avoidBuggyIPs: true }, 2n, 0n],
    ['of all of IPv4', { ranges: ['0.0.0.0/0'] }, 1n << 32n, 0n],
    [
      'of all of IPv4 without them',
      { ranges: ['0.0.0.0/0'], avoidBuggyIPs: true },
      (1n << 32n) - (1n << 25n),
      0n,
    ],
    ['of a /64', { ranges: ['2001:db8::/64'] }, 0n, 1n << 64n],
    ['of a /120, which has no buggy ones', { ranges: ['2001:db8::/120'], avoidBuggyIPs: true }, 0n, 256n],
  ];
  test.each(rows)('%s', (_name, spec, v4, v6) => {
    expect(laid(spec).capacity).toEqual({ 4: v4, 6: v6 });
  });

  test('is what a count finds', () => {
    const ends = fc
      .tuple(fc.nat(600), fc.nat(600))
      .map(([a, b]) => [Math.min(a, b), Math.max(a, b)] as const);
    fc.assert(
      fc.property(fc.array(ends, { minLength: 1, maxLength: 3 }), fc.boolean(), (list, avoidBuggyIPs) => {
        const of = laid({ ranges: list.map(([a, b]) => `${hostText(a)}-${hostText(b)}`), avoidBuggyIPs });
        let count = 0n;
        for (let number = 0; number <= 600; number++) {
          const inside = list.some(([a, b]) => a <= number && number <= b);
          expect(holdsAddress(of, address(hostText(number)))).toBe(inside);
          count += inside && !isAvoided(of, 4, BASE + BigInt(number)) ? 1n : 0n;
        }
        expect(of.capacity[4]).toBe(count);
      }),
      { numRuns: 30 },
    );
  });
});

describe('the span at a number or after it', () => {
  const spans = [
    { first: 3n, last: 5n },
    { first: 8n, last: 8n },
    { first: 10n, last: 20n },
  ];
  test.each([
    [0n, 3n],
    [3n, 3n],
    [5n, 3n],
    [6n, 8n],
    [8n, 8n],
    [9n, 10n],
    [20n, 10n],
    [21n, undefined],
  ])('%d', (value, first) => {
    expect(spanAtOrAfter(spans, value)?.first).toBe(first);
  });

  test('of none there is none', () => {
    expect(spanAtOrAfter([], 1n)).toBeUndefined();
  });
});

describe('pools that overlap', () => {
  const A: PoolSpec = { ranges: ['192.0.2.1-192.0.2.9'], age: 1 };
  const rows: (readonly [string, Record<string, PoolSpec>, Record<string, string | undefined>])[] = [
    ['not at all', { a: A, b: { ranges: ['192.0.2.10-192.0.2.19'] } }, { a: undefined, b: undefined }],
    ['the younger loses', { a: A, b: { ranges: ['192.0.2.9'], age: 2 } }, { a: undefined, b: 'a' }],
    ['though it is the larger', { a: A, b: { ranges: ['192.0.0.0/16'], age: 2 } }, { a: undefined, b: 'a' }],
    ['of equal age the later name', { a: A, b: { ranges: ['192.0.2.9'], age: 1 } }, { a: undefined, b: 'a' }],
    [
      'the older wins whatever its name',
      { b: A, a: { ranges: ['192.0.2.9'], age: 2 } },
      { a: 'b', b: undefined },
    ],
    [
      'with a loser only: valid',
      { a: A, b: { ranges: ['192.0.2.9-192.0.2.30'], age: 2 }, c: { ranges: ['192.0.2.30'], age: 3 } },
      { a: undefined, b: 'a', c: undefined },
    ],
    [
      'with two older ones: the oldest is named',
      { a: A, b: { ranges: ['192.0.2.20'], age: 2 }, c: { ranges: ['192.0.2.0/24'], age: 3 } },
      { a: undefined, b: undefined, c: 'a' },
    ],
    [
      'in one family only',
      {
        a: { ranges: ['192.0.2.1', '2001:db8::1'], age: 1 },
        b: { ranges: ['192.0.2.2', '2001:db8::1'], age: 2 },
      },
      { a: undefined, b: 'a' },
    ],
    [
      'numbers of different families do not meet',
      { a: { ranges: ['0.0.0.1'] }, b: { ranges: ['::2-::1:1'] } },
      { a: undefined, b: undefined },
    ],
  ];
  test.each(rows)('%s', (_name, specs, expected) => {
    const { pools } = lay(specs);
    expect(Object.fromEntries(pools.map(({ name, loserTo }) => [name, loserTo]))).toEqual(expected);
  });

  test.each([
    ['192.0.2.9', 'a'],
    ['192.0.2.10', 'b'],
    ['192.0.2.31', 'c'],
    ['192.0.2.99', undefined],
    ['2001:db8::1', undefined],
  ])('%s belongs to %s', (text, owner) => {
    const layout = lay({
      a: A,
      b: { ranges: ['192.0.2.9-192.0.2.30'], age: 2 },
      c: { ranges: ['192.0.2.30-192.0.2.40'], age: 3 },
    });
    expect(poolOwning(layout, address(text))?.name).toBe(owner);
  });
});

describe('the lowest free number', () => {
  const POOL = laid({ ranges: ['192.0.2.2-192.0.2.5', '192.0.2.8-192.0.2.9'] });
  const lowest = (used: readonly number[], of = POOL) => {
    const found = new FreeSpaceDraft(of, 4, undefined).lowest((value) => used.includes(Number(value - BASE)));
    return found === undefined ? undefined : Number(found - BASE);
  };

  test.each([
    [[], 2],
    [[2], 3],
    [[3], 2],
    [[2, 3, 4, 5], 8],
    [[2, 3, 4, 5, 8], 9],
    [[2, 3, 4, 5, 8, 9], undefined],
    [[6, 7], 2],
  ])('with %o in use is %s', (used, expected) => {
    expect(lowest(used)).toBe(expected);
  });

  test('leaves out what the pool avoids', () => {
    const avoiding = laid({ ranges: ['192.0.2.254-192.0.3.1'], avoidBuggyIPs: true });
    expect([lowest([], avoiding), lowest([254], avoiding), lowest([254, 257], avoiding)]).toEqual([
      254,
      257,
      undefined,
    ]);
  });

  test('of a pool without addresses of the family there is none', () => {
    expect(new FreeSpaceDraft(POOL, 6, undefined).lowest(() => false)).toBeUndefined();
  });

  test('through any history is what a look at every address finds', () => {
    const numbers = [2, 3, 4, 5, 8, 9];
    const steps = fc.array(
      fc.tuple(fc.constantFrom('take', 'free', 'free', 'close'), fc.constantFrom(...numbers)),
      {
        maxLength: 40,
      },
    );
    fc.assert(
      fc.property(steps, (history) => {
        // All in use and looked at, so that what is given up becomes holes below the frontier.
        const used = new Set(numbers);
        let draft = new FreeSpaceDraft(POOL, 4, undefined);
        draft.lowest((value) => used.has(Number(value - BASE)));
        for (const [what, number] of history) {
          if (what === 'take') {
            used.add(number);
          } else if (what === 'free' && used.delete(number)) {
            draft.free(BASE + BigInt(number));
          } else if (what === 'close') {
            draft = new FreeSpaceDraft(POOL, 4, draft.commit());
          }
          const found = draft.lowest((value) => used.has(Number(value - BASE)));
          expect(found === undefined ? undefined : Number(found - BASE)).toBe(
            numbers.find((each) => !used.has(each)),
          );
        }
      }),
    );
  });
});

describe('counts of a pool', () => {
  const layout = lay({
    a: { ranges: ['192.0.2.0-192.0.2.9'], avoidBuggyIPs: true },
    b: { ranges: ['198.51.100.1', '2001:db8::1'] },
  });
  const counts = (draft: PoolSpacesDraft) =>
    layout.pools.map((of) => [
      draft.countOf(of, 4).assigned,
      draft.countOf(of, 4).given,
      draft.countOf(of, 6).assigned,
    ]);

  test('go up and down, and avoided addresses are not counted as given', () => {
    const draft = new PoolSpacesDraft(EMPTY_SPACES, layout);
    ['192.0.2.0', '192.0.2.1', '2001:db8::1', '203.0.113.9'].forEach((text) => draft.take(address(text)));
    expect(counts(draft)).toEqual([
      [2, 1, 0],
      [0, 0, 1],
    ]);
    draft.release(address('192.0.2.0'));
    expect(counts(new PoolSpacesDraft(draft.commit(), layout))).toEqual([
      [1, 1, 0],
      [0, 0, 1],
    ]);
  });

  test('of which nothing was touched are the same object', () => {
    const draft = new PoolSpacesDraft(EMPTY_SPACES, layout);
    draft.take(address('192.0.2.1'));
    const state = draft.commit();
    const idle = new PoolSpacesDraft(state, layout).commit();
    expect(idle.counts).toBe(state.counts);
    expect(idle.free).toBe(state.free);
  });
});

describe('pools that may give', () => {
  const any = ['192.0.2.1'];
  const specs: Record<string, PoolSpec> = {
    plain: { ranges: ['192.0.2.1'] },
    another: { ranges: ['192.0.2.2'] },
    off: { ranges: ['192.0.2.3'], autoAssign: false },
    loser: { ranges: any, age: 9 },
    byName: { ranges: ['192.0.2.4'], pin: { namespaces: ['web'], priority: 5 } },
    byLabel: { ranges: ['192.0.2.5'], pin: { namespaceSelectors: [label('team', 'blue')], priority: 3 } },
    byService: { ranges: ['192.0.2.6'], pin: { serviceSelectors: [label('tier', 'edge')] } },
    byBoth: {
      ranges: ['192.0.2.7'],
      pin: { namespaces: ['web'], serviceSelectors: [label('tier', 'edge')], priority: 1 },
    },
    pinnedOff: { ranges: ['192.0.2.8'], autoAssign: false, pin: { namespaces: ['web'], priority: 1 } },
  };
  const spaces = PersistentMap.from([['blue', namespace('blue', { team: 'blue' })] as const]);
  const rest = 'another plain';

  const rows: (readonly [string, ServiceSpec, string])[] = [
    ['default/x', {}, rest],
    ['web/x', {}, `byName ${rest}`],
    ['blue/x', {}, `byLabel ${rest}`],
    ['unknown/x', {}, rest],
    ['default/x', { labels: { tier: 'edge' } }, `byService ${rest}`],
    ['web/x', { labels: { tier: 'edge' } }, `byBoth byName byService ${rest}`],
    ['blue/x', { labels: { tier: 'edge' } }, `byLabel byService ${rest}`],
    ['web/x', { labels: { tier: 'core' } }, `byName ${rest}`],
  ];
  test.each(rows)('%s %o: %s', (key, spec, expected) => {
    const found = candidatePools(service(key, spec), lay(specs), spaces);
    expect(found.map(({ name }) => name).join(' ')).toBe(expected);
  });
});
