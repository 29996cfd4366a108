// Nodes that fall silent, alone and many at once, and what their endpoints say meanwhile.

import { describe, expect, test } from 'vitest';
import { decide, emptyMemory, explain } from '../../src/index.ts';
import { retainedFrom, told } from '../routes/small-world.ts';
import { DOUBT, EVERYWHERE, OUTAGE_DOUBT, PREFIX, history, worldAt, type Moment } from './guard-scene.ts';

const MINUTE = 60_000;
const PODS_REPORT = 10_000;

const rows: readonly { what: string; moments: readonly Moment[]; tells: string }[] = [
  {
    what: 'one node has just fallen silent: others may follow, it stays',
    moments: [{}, { silent: 'a' }, { silent: 'a', at: DOUBT - 1 }],
    tells: EVERYWHERE,
  },
  {
    what: 'one node stays silent: it goes',
    moments: [{}, { silent: 'a' }, { silent: 'a', at: DOUBT }],
    tells: 'b c d e',
  },
  {
    what: 'a node says itself that it is not ready: it goes at once',
    moments: [{}, { unwell: 'a' }],
    tells: 'b c d e',
  },
  {
    what: 'a silent node speaks and is not ready: it goes',
    moments: [{}, { silent: 'a' }, { unwell: 'a', at: 1 }],
    tells: 'b c d e',
  },
  {
    what: 'a node that was not ready falls silent: it stays away',
    moments: [{}, { unwell: 'a' }, { silent: 'a', at: 1 }],
    tells: 'b c d e',
  },
  {
    what: 'just as many as may: they go',
    moments: [{ percent: 40 }, { silent: 'a b', percent: 40 }, { silent: 'a b', percent: 40, at: DOUBT }],
    tells: 'c d e',
  },
  { what: 'more than half at once: all stay', moments: [{}, { silent: 'a b c' }], tells: EVERYWHERE },
  { what: 'all of them: all stay', moments: [{}, { silent: EVERYWHERE }], tells: EVERYWHERE },
  {
    what: 'one after the other within a minute: who went comes back',
    moments: [{}, { silent: 'a' }, { silent: 'a b', at: DOUBT }, { silent: 'a b c', at: 3 * DOUBT }],
    tells: EVERYWHERE,
  },
  {
    what: 'the last doubt ends while most are silent: they stay',
    moments: [{}, { silent: 'a b c' }, { silent: 'a b c', at: 3 * MINUTE }],
    tells: EVERYWHERE,
  },
  {
    what: 'who was dead before stays dead',
    moments: [
      {},
      { silent: 'a', at: 1 },
      { silent: 'a', at: 1 + DOUBT },
      { silent: 'a b c', at: 1 + MINUTE },
    ],
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
    what: 'its pod is marked not ready with it: it stays as long as its node',
    moments: [{}, { silent: 'a' }, { silent: 'a', on: 'a:off b c d e', at: 1 }],
    tells: EVERYWHERE,
  },
  {
    what: 'a pod goes from a node that has just fallen silent: it goes',
    moments: [{}, { silent: 'a' }, { silent: 'a', on: 'b c d e', at: 1 }],
    tells: 'b c d e',
  },
  {
    what: 'the API server is back and a kubelet is not: it stays',
    moments: [{}, { silent: 'a', at: 1, regained: 0 }, { silent: 'a', at: OUTAGE_DOUBT, regained: 0 }],
    tells: EVERYWHERE,
  },
  {
    what: 'the API server has been back for long enough: it goes',
    moments: [{}, { silent: 'a', at: 1, regained: 0 }, { silent: 'a', at: 1 + OUTAGE_DOUBT, regained: 0 }],
    tells: 'b c d e',
  },
  {
    what: 'contact is lost: what comes first of what comes late is in doubt',
    moments: [{}, { silent: 'a', regained: Infinity }, { silent: 'a', at: MINUTE, regained: 1 }],
    tells: EVERYWHERE,
  },
  {
    what: 'an outage long ago is none',
    moments: [{}, { silent: 'a', at: MINUTE, regained: 0 }, { silent: 'a', at: MINUTE + DOUBT, regained: 0 }],
    tells: 'b c d e',
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
    what: 'the node is back and has not said yet that its pod is: it stays',
    moments: [{}, { silent: 'a', on: 'a:off b c d e' }, { on: 'a:off b c d e', at: 1 }],
    tells: EVERYWHERE,
  },
  {
    what: 'the node is back for long and its pod is not: endpoint evidence',
    moments: [
      {},
      { silent: 'a', on: 'a:off b c d e' },
      { on: 'a:off b c d e', at: 1 },
      { on: 'a:off b c d e', at: 1 + PODS_REPORT },
    ],
    tells: 'b c d e',
  },
  {
    what: 'node and pod are back and the pod is not any more: endpoint evidence',
    moments: [{}, { silent: 'a', on: 'a:off b c d e' }, { at: 1 }, { on: 'a:off b c d e', at: 2 }],
    tells: 'b c d e',
  },
  {
    what: 'a pod that is gone from a node that is back goes',
    moments: [{}, { silent: 'a', on: 'a:off b c d e' }, { on: 'a:gone b c d e', at: 1 }],
    tells: 'b c d e',
  },
  {
    what: 'a node that had left is back and its pod is not: it stays away',
    moments: [
      {},
      { silent: 'a', on: 'a:off b c d e' },
      { silent: 'a', on: 'a:off b c d e', at: DOUBT },
      { on: 'a:off b c d e', at: DOUBT + 1 },
    ],
    tells: 'b c d e',
  },
  {
    what: 'fewer than half are left: those that are still silent have time to report',
    moments: [{}, { silent: 'a b c' }, { silent: 'a b', at: MINUTE }, { silent: 'a', at: 2 * MINUTE }],
    tells: EVERYWHERE,
  },
  {
    what: 'fewer than half are left: those that stay silent go',
    moments: [{}, { silent: 'a b c' }, { silent: 'a', at: DOUBT }, { silent: 'a', at: DOUBT + OUTAGE_DOUBT }],
    tells: 'b c d e',
  },
  {
    what: 'fewer than half are left: one that reports and is not ready goes',
    moments: [{}, { silent: 'a b c' }, { silent: 'b', unwell: 'a', at: DOUBT }],
    tells: 'b c d e',
  },
  {
    what: 'fewer than half are left: one that was dead before stays away',
    moments: [
      {},
      { silent: 'a' },
      { silent: 'a', at: DOUBT },
      { silent: 'a b c', at: 2 * MINUTE },
      { silent: 'a', at: 2 * MINUTE + 1 },
    ],
    tells: 'b c d e',
  },
];

test.each(rows)('$what', ({ moments, tells }) => {
  expect(told(history(moments).decision)[PREFIX]).toBe(tells);
});

test('one after the other, as Kubernetes tells them: nothing is withdrawn at any moment', () => {
  const moments = ['', 'a', 'a b', 'a b', 'a b c', 'a b c d'].map((silent, i) => ({ silent, at: 2000 * i }));
  moments.forEach((_, i) => expect(told(history(moments.slice(0, i + 1)).decision)[PREFIX]).toBe(EVERYWHERE));
});

test('it is decided again when the doubt ends, and not before', () => {
  const { decision, memory } = history([{}, { silent: 'a', at: 1000 }]);
  expect(decision.wakeAtMs).toBe(1000 + DOUBT);
  const later = decide(worldAt({ silent: 'a', at: 1000 + DOUBT }), memory).decision;
  expect(later.wakeAtMs).toBeUndefined();
  expect(told(later)[PREFIX]).toBe('b c d e');
});

describe('a process that starts when the API server is back', () => {
  const announced = retainedFrom(history([{ silent: 'd' }]).decision);
  const start = { silent: 'a d', on: 'a:off b c d:off e', regained: 0 };
  const starts: readonly { what: string; moments: readonly Moment[]; tells: string }[] = [
    {
      what: 'doubts that a node is dead that is announced, and that its pods are',
      moments: [{ ...start, retained: announced }],
      tells: 'a b c e',
    },
    {
      what: 'does so for two minutes',
      moments: [
        { ...start, retained: announced },
        { ...start, at: OUTAGE_DOUBT },
      ],
      tells: 'b c e',
    },
    { what: 'believes it where nothing is announced', moments: [start], tells: 'b c e' },
    {
      what: 'believes it without an outage',
      moments: [{ silent: 'a d', on: 'a:off b c d:off e', retained: announced }],
      tells: 'b c e',
    },
  ];

  test.each(starts)('$what', ({ moments, tells }) => {
    expect(told(history(moments).decision)[PREFIX]).toBe(tells);
  });
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
