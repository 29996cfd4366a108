// One endpoint of one Service moves to another node, at 10,000 Services and 5,000 nodes: decide, and find
// what to send. The bound of 2 ms is an absolute one, since there is nothing to compare with; the ratio
// to a full decision in the same run stands beside it.

import { performance } from 'node:perf_hooks';

import { decide, emptyMemory } from '@herald/decision';

import { figure, percentile } from './figure.ts';
import type { Figure } from './figure.ts';
import { endpointSlice, LARGE, largeWorld, sliceKey } from './large-world.ts';

const CHANGES = 1000;

export function run(): Promise<readonly Figure[]> {
  let world = largeWorld(LARGE);
  const begun = performance.now();
  let { decision, memory } = decide(world, emptyMemory());
  const fullMs = performance.now() - begun;
  const milliseconds: number[] = [];
  for (let change = 0; change < CHANGES; change++) {
    const i = (change * 37) % LARGE.services;
    const slice = endpointSlice(i, LARGE, 1 + change);
    const started = performance.now();
    world = { ...world, endpointSlices: world.endpointSlices.set(sliceKey(i), slice) };
    const next = decide(world, memory);
    const prefixes = next.decision.tables.shared.changedKeys(decision.tables.shared);
    milliseconds.push(performance.now() - started);
    if (prefixes.length !== 1) {
      throw new Error(`one moved endpoint changed ${prefixes.length} prefixes`);
    }
    ({ decision, memory } = next);
  }
  const p50 = percentile(milliseconds, 0.5);
  const shape = { unit: 'ms', n: CHANGES };
  return Promise.resolve([
    figure({ name: 'decide-one-change p50', value: p50, bound: 2, ...shape }),
    figure({ name: 'decide-one-change p99', value: percentile(milliseconds, 0.99), bound: 2, ...shape }),
    figure({
      name: 'decide-one-change share of a full decision',
      value: p50 / fullMs,
      unit: 'ratio',
      n: CHANGES,
      reference: 'one full decision',
    }),
  ]);
}
