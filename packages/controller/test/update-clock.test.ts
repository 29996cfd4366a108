import { afterEach, beforeEach, expect, test, vi } from 'vitest';

import { UpdateClock } from '../src/update-clock.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'], now: 0 });
});

afterEach(() => {
  vi.useRealTimers();
});

type Step = 'happened' | 'taken' | 'held' | 'given' | 'sent';

interface Case {
  readonly what: string;
  /** Milliseconds since the start, and what happens then. */
  readonly steps: readonly (readonly [number, Step])[];
  readonly seconds: readonly number[];
}

const CASES: readonly Case[] = [
  {
    what: 'one change',
    steps: [
      [10, 'happened'],
      [15, 'taken'],
      [40, 'sent'],
    ],
    seconds: [0.03],
  },
  {
    what: 'several changes count from the first',
    steps: [
      [10, 'happened'],
      [20, 'happened'],
      [25, 'taken'],
      [40, 'sent'],
    ],
    seconds: [0.03],
  },
  {
    what: 'a change after the tick began belongs to the next tick',
    steps: [
      [0, 'happened'],
      [5, 'taken'],
      [6, 'happened'],
      [10, 'sent'],
      [20, 'taken'],
      [26, 'sent'],
    ],
    seconds: [0.01, 0.02],
  },
  {
    what: 'two ticks that leave together count from the first change',
    steps: [
      [0, 'happened'],
      [5, 'taken'],
      [10, 'happened'],
      [15, 'taken'],
      [50, 'sent'],
    ],
    seconds: [0.05],
  },
  {
    what: 'a tick without a change measures nothing',
    steps: [
      [5, 'taken'],
      [9, 'sent'],
    ],
    seconds: [],
  },
  {
    what: 'what is sent again is measured once',
    steps: [
      [0, 'happened'],
      [5, 'taken'],
      [10, 'sent'],
      [20, 'sent'],
    ],
    seconds: [0.01],
  },
  {
    what: 'what other feeds send does not count while a table is held back',
    steps: [
      [0, 'happened'],
      [5, 'taken'],
      [5, 'held'],
      [10, 'sent'],
      [200, 'given'],
      [230, 'sent'],
    ],
    seconds: [0.23],
  },
  {
    what: 'a tick whose table replaces the held one counts from the first change',
    steps: [
      [0, 'happened'],
      [5, 'taken'],
      [5, 'held'],
      [20, 'happened'],
      [25, 'taken'],
      [25, 'given'],
      [30, 'sent'],
    ],
    seconds: [0.03],
  },
  {
    what: 'sent before the tick',
    steps: [
      [0, 'happened'],
      [10, 'sent'],
    ],
    seconds: [],
  },
];

test.for(CASES)('$what', ({ steps, seconds }) => {
  const observed: number[] = [];
  const clock = new UpdateClock((value) => observed.push(value));
  let nowMs = 0;
  for (const [atMs, step] of steps) {
    vi.advanceTimersByTime(atMs - nowMs);
    nowMs = atMs;
    clock[step]();
  }
  expect(observed.map((value) => Math.round(value * 1e6) / 1e6)).toEqual(seconds);
});
