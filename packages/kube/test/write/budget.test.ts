// Budgets: so many at once, then one each interval, and never more in any stretch of time.

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Budget } from '../../src/write/budget.ts';

it.each<[string, number, number, number[], number]>([
  ['is full at the beginning', 3, 100, [], 0],
  ['is empty after its burst', 3, 100, [0, 0, 0], 100],
  ['fills by one each interval', 3, 100, [0, 0, 0, 100], 200],
  ['keeps parts of an interval', 2, 100, [0, 0, 150], 200],
  ['never holds more than its burst', 2, 100, [0, 10_000, 10_000], 10_100],
])('%s', (_, burst, intervalMs, spent, next) => {
  const budget = new Budget(burst, intervalMs);
  spent.forEach((at) => budget.spend(at));
  expect(budget.nextAt(spent.at(-1) ?? 0)).toBe(next);
});

it('allows no more than burst and rate in any stretch', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(300), { maxLength: 200 }), (gaps) => {
      const budget = new Budget(10, 100);
      const spent: number[] = [];
      let now = 0;
      for (const gap of gaps) {
        now += gap;
        if (budget.nextAt(now) <= now) {
          budget.spend(now);
          spent.push(now);
        }
      }
      for (const [i, from] of spent.entries()) {
        const within = spent.slice(i).filter((at) => at <= from + 1000);
        expect(within.length).toBeLessThanOrEqual(20);
      }
    }),
  );
});
