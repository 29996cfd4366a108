import { expect, test } from 'vitest';

import { BriefCache } from '../../src/access/brief-cache.ts';

const KEPT_MS = 10_000;

function setUp(entries = 3) {
  const clock = { nowMs: 0 };
  const asked: string[] = [];
  const cache = new BriefCache<string>({ keptMs: KEPT_MS, entries, nowMs: () => clock.nowMs });
  const get = (key: string): Promise<string> =>
    cache.get(key, async () => {
      asked.push(key);
      return `${key}${asked.length}`;
    });
  return { clock, asked, cache, get };
}

test.for([
  { what: 'at once', atMs: 0, asked: 1 },
  { what: 'just before its time', atMs: KEPT_MS - 1, asked: 1 },
  { what: 'at its time', atMs: KEPT_MS, asked: 2 },
  { what: 'long after', atMs: 10 * KEPT_MS, asked: 2 },
  { what: 'on a clock that went back', atMs: -1, asked: 2 },
])('asked again $what: $asked questions', async ({ atMs, asked: expected }) => {
  const { clock, asked, get } = setUp();
  await get('a');
  clock.nowMs = atMs;
  await get('a');
  expect(asked).toHaveLength(expected);
});

test('an answer on its way is shared', async () => {
  const { asked, get } = setUp();
  expect(await Promise.all([get('a'), get('a'), get('b')])).toEqual(['a1', 'a1', 'b2']);
  expect(asked).toEqual(['a', 'b']);
});

const fail = (): Promise<string> => Promise.reject(new Error('away'));

test('a failure is not kept, and reaches all who asked for it', async () => {
  const { cache, get } = setUp();
  const both = [cache.get('a', fail), cache.get('a', fail)];
  for (const outcome of await Promise.allSettled(both)) {
    expect(outcome.status).toBe('rejected');
  }
  expect(cache.size).toBe(0);
  expect(await get('a')).toBe('a1');
});

test('a late failure does not take away a newer answer', async () => {
  const { clock, cache, get } = setUp();
  const late = Promise.withResolvers<string>();
  const first = cache.get('a', () => late.promise);
  clock.nowMs = KEPT_MS;
  await get('a');
  late.reject(new Error('too late'));
  await expect(first).rejects.toThrow('too late');
  expect(await get('a')).toBe('a1');
});

test('it holds no more than it may, and the oldest goes first', async () => {
  const { asked, cache, get } = setUp(3);
  for (const key of ['a', 'b', 'c', 'd']) {
    await get(key);
  }
  expect(cache.size).toBe(3);
  await get('b');
  await get('a');
  expect(asked).toEqual(['a', 'b', 'c', 'd', 'a']);
});
