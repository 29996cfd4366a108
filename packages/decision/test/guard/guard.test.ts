// Nodes that fall silent, alone and many at once, and what their endpoints say meanwhile.

import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decide, emptyMemory, explain } from '../../src/index.ts';
import type { Decision, Memory, World } from '../../src/index.ts';
import { sceneWorld, told } from '../routes/small-world.ts';

const PREFIX = '203.0.113.1/32';
const NAMES = ['a', 'b', 'c', 'd', 'e'];
const MINUTE = 60_000;

interface Moment {
  readonly at?: number;
  /** Nodes that are not Ready. */
  readonly silent?: string;
  /** Endpoints, as in small-world. */
  readonly on?: string;
  readonly percent?: number;
}

const EVERYWHERE = 'a b c d e';

function worldAt({ at = 0, silent = '', on = EVERYWHERE, percent = 50 }: Moment): World {
  const nodes = NAMES.map((name) => [name, { ready: silent.includes(name) ? 'Unknown' : 'True' }] as const);
  const scene = { nodes: Object.fromEntries(nodes), services: { web: { on } } };
  const world = sceneWorld({ ...scene, settings: { deadNodesPercent: percent } });
  return { ...world, now: at };
}

function history(moments: readonly Moment[]): { decision: Decision; memory: Memory; world: World } {
  let memory = emptyMemory();
  let last: { decision: Decision; memory: Memory; world: World } | undefined;
  for (const moment of moments) {
    const world = worldAt(moment);
    const decided = decide(world, memory);
    memory = decided.memory;
    last = { ...decided, world };
  }
  if (last === undefined) {
    throw new Error('nothing happened');
  }
  return last;
}

const rows: readonly { what: string; moments: readonly Moment[]; tells: string }[] = [
  { what: 'one node falls silent: it goes', moments: [{}, { silent: 'a' }], tells: 'b c d e' },
  {
    what: 'just as many as may: they go',
    moments: [{ percent: 40 }, { silent: 'a b', percent: 40 }],
    tells: 'c d e',
  },
  { what: 'more than half at once: all stay', moments: [{}, { silent: 'a b c' }], tells: EVERYWHERE },
  { what: 'all of them: all stay', moments: [{}, { silent: EVERYWHERE }], tells: EVERYWHERE },
  {
    what: 'one after the other within a minute: who went comes back',
    moments: [{}, { silent: 'a', at: 1000 }, { silent: 'a b', at: 2000 }, { silent: 'a b c', at: 3000 }],
    tells: EVERYWHERE,
  },
  {
    what: 'who was dead before stays dead',
    moments: [{}, { silent: 'a', at: 1 }, { silent: 'a b c', at: 1 + MINUTE }],
    tells: 'b c d e',
  },
  { what: 'a process that starts believes what it sees', moments: [{ silent: 'a b c' }], tells: 'd e' },
  {
    what: 'their pods are marked not ready: they stay',
    moments: [{}, { silent: 'a b c' }, { silent: 'a b c', on: 'a:off b:off c:off d e' }],
    tells: EVERYWHERE,
  },
  {
    what: 'nodes and pods in one moment: they stay',
    moments: [{}, { silent: 'a b c', on: 'a:off b:off c:off d e' }],
    tells: EVERYWHERE,
  },
  {
    what: 'one node and its pod, then the others: all are back',
    moments: [
      {},
      { silent: 'a', on: 'a:off b c d e', at: 1000 },
      { silent: 'a b c', on: 'a:off b:off c:off d e', at: 2000 },
    ],
    tells: EVERYWHERE,
  },
  {
    what: 'a pod that terminates on a silent node goes',
    moments: [{}, { silent: 'a b c' }, { silent: 'a b c', on: 'a:gone b c d e' }],
    tells: 'b c d e',
  },
  {
    what: 'a pod that is gone from a silent node goes',
    moments: [{}, { silent: 'a b c' }, { silent: 'a b c', on: 'b c d e' }],
    tells: 'b c d e',
  },
  {
    what: 'a pod that is not ready on a Ready node goes',
    moments: [{}, { silent: 'a b c' }, { silent: 'a b c', on: 'a b c d:off e' }],
    tells: 'a b c e',
  },
  {
    what: 'a pod that never was ready does not come',
    moments: [{ on: 'a:off b c d e' }, { silent: 'a b c', on: 'a:off b c d e' }],
    tells: 'b c d e',
  },
  {
    what: 'the node is back and its pod is not: endpoint evidence',
    moments: [{}, { silent: 'a b c', on: 'a:off b c d e' }, { silent: 'b c', on: 'a:off b c d e' }],
    tells: 'd e',
  },
  {
    what: 'fewer than half are left: those that are still silent go',
    moments: [{}, { silent: 'a b c' }, { silent: 'a' }],
    tells: 'b c d e',
  },
];

test.each(rows)('$what', ({ moments, tells }) => {
  expect(told(history(moments).decision)[PREFIX]).toBe(tells);
});

test('the reason is said of the nodes that stay, and of no other', () => {
  const { decision, memory, world } = history([{}, { silent: 'a b c' }]);
  expect([...decision.heldNodes].sort()).toEqual(['a', 'b', 'c']);
  const nodes = explain(world, memory, 'default/web')?.nodes ?? [];
  expect(nodes.map(({ node, reason }) => [node, reason])).toEqual([
    ['a', 'HeldByGuard'],
    ['b', 'HeldByGuard'],
    ['c', 'HeldByGuard'],
    ['d', undefined],
    ['e', undefined],
  ]);
});

test('nothing is written while nothing is withdrawn', () => {
  const before = worldAt({});
  const first = decide(before, emptyMemory());
  const { nodes, endpointSlices } = worldAt({ silent: 'a b c', on: 'a:off b:off c:off d e' });
  const after = decide({ ...before, nodes, endpointSlices }, first.memory);
  expect(after.decision.tables).toBe(first.decision.tables);
});

describe('whatever happens', () => {
  const states = fc.array(
    fc.record({
      step: fc.integer({ min: 0, max: 40_000 }),
      silent: fc.subarray(NAMES),
      states: fc.array(fc.constantFrom('', ':off', ':gone'), { minLength: 5, maxLength: 5 }),
    }),
    { minLength: 1, maxLength: 12 },
  );

  test('endpoint evidence counts, and with too many dead none that was announced goes for it', () => {
    fc.assert(
      fc.property(states, (steps) => {
        let at = 0;
        let memory = emptyMemory();
        let before: readonly string[] = [];
        for (const { step, silent, states: words } of steps) {
          at += step;
          const on = NAMES.map((name, i) => `${name}${words[i]}`).join(' ');
          const decided = decide(worldAt({ at, silent: silent.join(' '), on }), memory);
          memory = decided.memory;
          const now = (told(decided.decision)[PREFIX] ?? '').split(' ').filter((name) => name !== '');
          const isMany = silent.length * 2 > NAMES.length;
          NAMES.forEach((name, i) => {
            const isGone = words[i] === ':gone';
            const isOff = words[i] === ':off';
            const isSilent = silent.includes(name);
            expect(now.includes(name) && (isGone || (isOff && !isSilent))).toBe(false);
            expect(now.includes(name) && isSilent && !isMany).toBe(false);
            expect(before.includes(name) && !now.includes(name) && isMany && isSilent && !isGone).toBe(false);
          });
          before = now;
        }
      }),
      { numRuns: 60 },
    );
  });
});
