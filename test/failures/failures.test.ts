// The shorter ones of the failures (`npm run failures` has all of them, and figures).

import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { CAN_RUN } from '../support/shared-cluster.ts';
import { FailureStage } from './failure-stage.ts';
import { ROWS } from './rows.ts';
import { failureLine } from './table.ts';

describe.skipIf(!CAN_RUN)('failures', () => {
  let stage: FailureStage;

  beforeAll(async () => {
    stage = await FailureStage.open();
  });
  afterAll(() => stage?.close());

  test.each(ROWS.filter(({ isShort }) => isShort))('$group: $name', async (row) => {
    const outcome = await stage.run(row);
    process.stderr.write(`${failureLine(outcome)}\n`);
    expect(outcome.sent).toBeGreaterThan(0);
    expect(outcome.misses).toEqual([]);
  });
});
