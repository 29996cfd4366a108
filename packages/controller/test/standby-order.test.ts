import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import fc from 'fast-check';
import { afterEach, beforeEach, expect, test } from 'vitest';

import { loadOrdinal } from '../src/standby-order.ts';

const EPOCH_MS = Date.UTC(2026, 0, 1);
const FOLDED_AFTER_MS = (190_000_000 / 128) * 16_000;

let base = '';
const pod = (name: string): string => join(base, name);

beforeEach(async () => {
  base = await mkdtemp(join(tmpdir(), 'herald-order-'));
});
afterEach(() => rm(base, { recursive: true, force: true }));

test('stays with the pod, whatever restarts in it and whenever', async () => {
  const first = await loadOrdinal(pod('a'), 'uid-a', EPOCH_MS + 1_000);
  expect(await loadOrdinal(pod('a'), 'uid-a', EPOCH_MS + 999_000)).toBe(first);
  expect(await loadOrdinal(pod('a'), 'uid-a', 0)).toBe(first);
  expect((await stat(join(pod('a'), 'ordinal'))).mode & 0o777).toBe(0o600);
});

test('who comes in a later turn stands behind, until the order is folded', async () => {
  const uid = fc.uuid();
  const startMs = fc.integer({ min: EPOCH_MS, max: EPOCH_MS + FOLDED_AFTER_MS - 60_000 });
  let pods = 0;
  await fc.assert(
    fc.asyncProperty(uid, uid, startMs, fc.integer({ min: 16_000, max: 60_000 }), async (a, b, at, later) => {
      pods += 1;
      const first = await loadOrdinal(pod(`first-${pods}`), a, at);
      const second = await loadOrdinal(pod(`second-${pods}`), b, at + later);
      expect(second).toBeGreaterThan(first);
    }),
  );
});

test('has a rank for every standby, in what MED has room for, at any time', async () => {
  const times = [
    0,
    EPOCH_MS,
    EPOCH_MS + FOLDED_AFTER_MS - 1,
    EPOCH_MS + FOLDED_AFTER_MS,
    Date.UTC(2199, 0, 1),
  ];
  for (const [index, nowMs] of times.entries()) {
    const ordinal = await loadOrdinal(pod(`${index}`), 'uid', nowMs);
    expect(ordinal).toBeGreaterThan(0);
    expect(4_100_000_000 + ordinal).toBeLessThan(2 ** 32);
  }
});

test('of pods that start together mostly differs', async () => {
  const names = Array.from({ length: 64 }, (_, index) => `uid-${index}`);
  const ordinals = await Promise.all(names.map((uid) => loadOrdinal(pod(uid), uid, EPOCH_MS + 5_000)));
  expect(new Set(ordinals).size).toBeGreaterThan(40);
});
