import { expect, test } from 'vitest';

import { Pace, type Awaiting } from '../src/pace.ts';

test.for<{ awaiting: Awaiting; afterMs: number; pauseMs: number }>([
  { awaiting: 'nothing', afterMs: 0, pauseMs: 1000 },
  { awaiting: 'nothing', afterMs: 100_000, pauseMs: 1000 },
  { awaiting: 'table', afterMs: 0, pauseMs: 25 },
  { awaiting: 'table', afterMs: 14_999, pauseMs: 25 },
  { awaiting: 'table', afterMs: 15_000, pauseMs: 500 },
  { awaiting: 'session', afterMs: 59_999, pauseMs: 200 },
  { awaiting: 'session', afterMs: 60_000, pauseMs: 1000 },
])('a wait for $awaiting that is $afterMs ms old looks again after $pauseMs ms', (row) => {
  const pace = new Pace();
  pace.pauseMs(row.awaiting, 5000);
  expect(pace.pauseMs(row.awaiting, 5000 + row.afterMs)).toBe(row.pauseMs);
});

test('another wait is a new one, and so is the same after something new was asked for', () => {
  const pace = new Pace();
  pace.pauseMs('table', 0);
  expect(pace.pauseMs('table', 20_000)).toBe(500);
  expect(pace.pauseMs('session', 20_000)).toBe(200);
  expect(pace.pauseMs('table', 20_001)).toBe(25);
  expect(pace.pauseMs('table', 40_000)).toBe(500);
  pace.restart(40_000);
  expect(pace.pauseMs('table', 40_001)).toBe(25);
});
