import { expect, test, vi } from 'vitest';

import { inSlices } from '../src/in-slices.ts';

/** Each step takes `stepMs` of a clock that the test owns. */
function* counting(
  count: number,
  stepMs: number,
  clock: { ms: number },
): Generator<undefined, number, undefined> {
  for (let done = 0; done < count; done++) {
    clock.ms += stepMs;
    yield;
  }
  return count;
}

test.each([
  ['none', 0, 1, 0],
  ['short ones: within one slice', 20, 1, 0],
  ['one more: a second slice', 22, 1, 1],
  ['each longer than a slice: after every one', 5, 50, 5],
])('steps, %s', async (_, count, stepMs, pauses) => {
  const clock = { ms: 0 };
  const now = vi.spyOn(performance, 'now').mockImplementation(() => clock.ms);
  let turns = 0;
  let isRunning = true;
  const turn = (): void => {
    turns += 1;
    if (isRunning) {
      setImmediate(turn);
    }
  };
  setImmediate(turn);
  expect(await inSlices(counting(count, stepMs, clock))).toBe(count);
  expect(turns).toBe(pauses);
  isRunning = false;
  now.mockRestore();
});

function* failing(): Generator<undefined, number, undefined> {
  yield;
  throw new RangeError('no such step');
}

test('what a step throws is thrown', async () => {
  await expect(inSlices(failing())).rejects.toThrow('no such step');
});
