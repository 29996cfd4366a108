import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

import type { Replicas } from '@herald/decision';

import { StandbyPlace } from '../src/standby-order.ts';
import { collectedLog } from './collected-log.ts';

const EPOCH_MS = Date.UTC(2026, 0, 1);
const FOLDED_AFTER_MS = (190_000_000 / 128) * 16_000;

let base = '';
let log = collectedLog();
const pod = (name: string): string => join(base, name);
const placeOf = (stateDir: string, uid: string, nowMs: number, name = uid): Promise<StandbyPlace> =>
  StandbyPlace.load({ stateDir, name, uid, logger: log.logger }, nowMs);
const loadOrdinal = async (...of: Parameters<typeof placeOf>): Promise<number> =>
  (await placeOf(...of)).ordinal;

const others = (ordinals: Readonly<Record<string, number>>): Replicas['others'] =>
  new Map(Object.entries(ordinals).map(([name, ordinal]) => [name, { node: `on-${name}`, ordinal }]));

beforeEach(async () => {
  base = await mkdtemp(join(tmpdir(), 'herald-order-'));
  log = collectedLog();
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

describe('two that start together with one place', () => {
  const TIED_MS = EPOCH_MS + 5_000;
  const load = (name: string): Promise<StandbyPlace> => placeOf(pod(name), 'uid', TIED_MS, name);

  test('differ as soon as they see each other: the later name steps aside', async () => {
    const [a, b] = await Promise.all([load('a'), load('b')]);
    expect(a.ordinal).toBe(b.ordinal);
    const before = a.ordinal;
    const seen = others({ a: before, b: before });
    for (const one of [a, b]) one.among(seen);
    expect([a.ordinal, b.ordinal]).toEqual([before, before + 1]);
    expect(log.lines.map(({ event }) => event)).toEqual(['stepped-aside']);
  });

  test('take no place that a third has, and keep it', async () => {
    const b = await load('b');
    const before = b.ordinal;
    b.among(others({ a: before, b: before, c: before + 1 }));
    expect(b.ordinal).toBe(before + 2);
    b.among(others({ a: before, b: before, c: before + 1 }));
    expect(b.ordinal).toBe(before + 2);
    await b.close();
    expect((await load('b')).ordinal).toBe(before + 2);
  });

  test('go on with a place that cannot be kept', async () => {
    const b = await load('b');
    await rm(pod('b'), { recursive: true });
    await writeFile(pod('b'), 'no folder');
    b.among(others({ a: b.ordinal }));
    await b.close();
    expect(log.lines.map(({ event }) => event)).toEqual(['stepped-aside', 'place-not-kept']);
  });

  test('end with a place each, however many they are and in whatever order they look', async () => {
    const names = ['r0', 'r1', 'r2', 'r3', 'r4', 'r5'];
    const everyone = fc.shuffledSubarray(names, { minLength: names.length });
    let runs = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(everyone, { minLength: 8, maxLength: 8 }), async (rounds) => {
        runs += 1;
        const loaded = names.map(async (name) => {
          return [name, await placeOf(pod(`${name}-${runs}`), 'uid', TIED_MS, name)] as const;
        });
        const places = new Map(await Promise.all(loaded));
        const said = new Map([...places].map(([name, { ordinal }]) => [name, ordinal]));
        for (const name of rounds.flat()) {
          const place = places.get(name);
          place?.among(others(Object.fromEntries(said)));
          said.set(name, place?.ordinal ?? 0);
        }
        await Promise.all([...places.values()].map((one) => one.close()));
        expect(new Set([...places.values()].map(({ ordinal }) => ordinal)).size).toBe(names.length);
      }),
      { numRuns: 40 },
    );
  });
});
