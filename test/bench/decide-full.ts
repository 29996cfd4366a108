// How long one whole decision takes at 10,000 Services and 5,000 nodes, from nothing and in slices as the loop
// takes it, and for how long the event loop stands still meanwhile: neither keepalives nor answers run then.

import { monitorEventLoopDelay, performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';

import { inSlices } from '@herald/controller';
import { deciding, emptyMemory } from '@herald/decision';

import { figure, percentile } from './figure.ts';
import type { Figure } from './figure.ts';
import { LARGE, largeWorld } from './large-world.ts';

const RUNS = 7;
/** So that the delay is measured, not only the time of the call. */
const REST_MS = 20;
const NANOSECONDS_OF_A_MILLISECOND = 1e6;

export async function run(): Promise<readonly Figure[]> {
  const world = largeWorld(LARGE);
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  const seconds: number[] = [];
  const cpuSeconds: number[] = [];
  const stallsMs: number[] = [];
  for (let count = 0; count < RUNS; count++) {
    delay.reset();
    await sleep(REST_MS); // the first sample behind a reset only says where the second one starts
    const cpuBefore = process.cpuUsage();
    const started = performance.now();
    await inSlices(deciding(world, emptyMemory()));
    seconds.push((performance.now() - started) / 1000);
    cpuSeconds.push(microseconds(process.cpuUsage(cpuBefore)) / 1e6);
    await sleep(REST_MS);
    stallsMs.push(delay.max / NANOSECONDS_OF_A_MILLISECOND);
  }
  delay.disable();
  return figures(seconds, cpuSeconds, stallsMs);
}

function microseconds({ user, system }: NodeJS.CpuUsage): number {
  return user + system;
}

function figures(
  seconds: readonly number[],
  cpuSeconds: readonly number[],
  stallsMs: readonly number[],
): Figure[] {
  const [cold = Number.NaN] = seconds;
  const shape = { unit: 's', n: RUNS };
  return [
    figure({ name: 'decide-full: p50', value: percentile(seconds, 0.5), bound: 1.5, ...shape }),
    figure({ name: 'decide-full: first, code still cold', value: cold, bound: 1.5, ...shape, n: 1 }),
    figure({
      name: 'decide-full: longest event-loop stall',
      value: Math.max(...stallsMs),
      bound: 100,
      unit: 'ms',
      n: RUNS,
    }),
    // Does not depend on who else uses the cores; collecting garbage, on other threads, is part of it.
    figure({ name: 'decide-full: processor time p50', value: percentile(cpuSeconds, 0.5), ...shape }),
  ];
}
