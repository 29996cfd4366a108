import { afterEach, beforeEach, expect, test, vi } from 'vitest';

import { Signal } from '../src/signal.ts';

const GAP_MS = 10;

/** The fake clock gives an immediate that is set inside a timer one more millisecond. */
const TICK_MS = 1;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setImmediate', 'Date'] });
  vi.setSystemTime(0);
});

afterEach(() => {
  vi.useRealTimers();
});

/** A signal whose runs are noted with the time at which they began. */
function noted(gapMs?: number) {
  const runs: number[] = [];
  const signal = new Signal(() => void runs.push(Date.now()), gapMs);
  return { runs, signal };
}

test('an idle signal runs at once', async () => {
  const { runs, signal } = noted();
  signal.raise();
  await vi.advanceTimersByTimeAsync(0);
  expect(runs).toEqual([0]);
});

test('it does not run inside raise, so that whoever raises it can finish', () => {
  const { runs, signal } = noted();
  signal.raise();
  expect(runs).toEqual([]);
});

test('nothing runs that was not raised', async () => {
  const { runs, signal } = noted();
  signal.raise();
  await vi.advanceTimersByTimeAsync(1000);
  expect(runs).toHaveLength(1);
});

test('raises before the run has begun are that run', async () => {
  const { runs, signal } = noted();
  signal.raise();
  signal.raise();
  signal.raise();
  await vi.advanceTimersByTimeAsync(1000);
  expect(runs).toEqual([0]);
});

test('a burst in the gap is one run, at the end of the gap', async () => {
  const { runs, signal } = noted();
  signal.raise();
  await vi.advanceTimersByTimeAsync(1);
  for (let i = 0; i < 5; i++) {
    signal.raise();
    await vi.advanceTimersByTimeAsync(1);
  }
  await vi.advanceTimersByTimeAsync(1000);
  expect(runs).toEqual([0, GAP_MS + TICK_MS]);
});

test('after the gap the signal is idle again and runs at once', async () => {
  const { runs, signal } = noted();
  signal.raise();
  await vi.advanceTimersByTimeAsync(GAP_MS + 5);
  signal.raise();
  await vi.advanceTimersByTimeAsync(0);
  expect(runs).toEqual([0, GAP_MS + 5]);
});

test('under constant raises, runs are a gap apart', async () => {
  const { runs, signal } = noted(20 - TICK_MS);
  for (let ms = 0; ms < 99; ms++) {
    signal.raise();
    await vi.advanceTimersByTimeAsync(1);
  }
  expect(runs).toEqual([0, 20, 40, 60, 80]);
});

test('a slow run is never joined by another; what was raised meanwhile runs once, a gap after its end', async () => {
  const begun: number[] = [];
  let under = 0;
  let most = 0;
  const signal = new Signal(async () => {
    begun.push(Date.now());
    most = Math.max(most, ++under);
    await new Promise((resolve) => setTimeout(resolve, 50));
    under--;
  });
  signal.raise();
  for (let ms = 0; ms < 50; ms += 5) {
    await vi.advanceTimersByTimeAsync(5);
    signal.raise();
  }
  await vi.advanceTimersByTimeAsync(1000);
  expect(begun).toEqual([0, 50 + GAP_MS + TICK_MS]);
  expect(most).toBe(1);
});

test.for([
  { when: 'before it has begun', raisesFirst: 1, advanceMs: 0, runs: 0 },
  { when: 'in the gap, with a run due', raisesFirst: 1, advanceMs: 1, runs: 1 },
  { when: 'while idle', raisesFirst: 0, advanceMs: 0, runs: 0 },
])('stopped $when, it runs no more', async ({ raisesFirst, advanceMs, runs: expected }) => {
  const { runs, signal } = noted();
  for (let i = 0; i < raisesFirst; i++) {
    signal.raise();
  }
  if (advanceMs > 0) {
    await vi.advanceTimersByTimeAsync(advanceMs);
    signal.raise();
  }
  signal.stop();
  signal.raise();
  await vi.advanceTimersByTimeAsync(1000);
  expect(runs).toHaveLength(expected);
});
