import { parseSettings } from '@herald/api';
import { ALONE, type Decision, type World } from '@herald/decision';
import { PersistentMap } from '@herald/net';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';

import { Loop, type LoopParts } from '../src/loop.ts';
import { decisionSettings, worldOf } from '../src/observe.ts';

const GAP_MS = 10;

beforeEach(() => {
  vi.useFakeTimers({
    toFake: ['setTimeout', 'clearTimeout', 'setImmediate', 'Date', 'performance'],
    now: 5000,
  });
});

afterEach(() => {
  vi.useRealTimers();
});

function emptyWorld(): World {
  const settings = parseSettings('{asn: 64512, routerId: 192.0.2.10}');
  if (!settings.ok) {
    throw new Error('these settings are valid');
  }
  return worldOf({
    objects: {
      nodes: PersistentMap.empty(),
      services: PersistentMap.empty(),
      endpointSlices: PersistentMap.empty(),
      namespaces: PersistentMap.empty(),
      secrets: PersistentMap.empty(),
      peers: PersistentMap.empty(),
      pools: PersistentMap.empty(),
      advertisements: PersistentMap.empty(),
    },
    settings: decisionSettings(settings.value),
    replica: { name: 'test', labels: {}, ordinal: 0 },
    leadership: { leading: true, term: 1 },
    sessions: PersistentMap.empty(),
    programmed: PersistentMap.empty(),
    retained: new Map(),
    freshness: ALONE,
    replicas: { leader: '', others: new Map() },
    nowMs: 0,
  });
}

function looped(parts: Partial<LoopParts> = {}) {
  const acted: Decision[] = [];
  const failures: unknown[] = [];
  let durations = 0;
  const loop = new Loop({
    observe: emptyWorld,
    act: (_world, decision) => acted.push(decision),
    onTick: () => durations++,
    onFailure: (error) => failures.push(error),
    ...parts,
  });
  const tick = async (): Promise<void> => {
    loop.raise();
    await vi.advanceTimersByTimeAsync(GAP_MS + 1);
  };
  return { loop, acted, failures, tick, durations: () => durations };
}

test('a tick observes, decides, and hands everything to the outputs', async () => {
  const { loop, acted, tick } = looped();
  await tick();
  expect(acted).toHaveLength(1);
  expect(acted[0]?.sessions.peers).toEqual([]);
  expect(loop.memory.ranks).toBeDefined();
});

test('nothing is decided while the world is not complete', async () => {
  const { loop, acted, failures, tick } = looped({ observe: () => undefined });
  await tick();
  expect(acted).toEqual([]);
  expect(failures).toEqual([]);
  expect(loop.view).toMatchObject({ ticks: 1, failedTicks: 0 });
});

test.for(['observe', 'act'] as const)(
  'a tick whose %s throws is contained, and the next one works',
  async (part) => {
    const error = new Error('poisoned');
    let calls = 0;
    const poisoned = (): never => {
      throw error;
    };
    const world = emptyWorld();
    const acts: World[] = [];
    const { loop, failures, tick, durations } = looped({
      observe: () => (part === 'observe' && calls++ === 0 ? poisoned() : world),
      act: (seen) => void (part === 'act' && calls++ === 0 ? poisoned() : acts.push(seen)),
    });
    await tick();
    expect(failures).toEqual([error]);
    expect(loop.view).toMatchObject({ ticks: 1, failedTicks: 1 });
    await tick();
    expect(acts).toEqual([world]);
    expect(failures).toHaveLength(1);
    expect(loop.view).toMatchObject({ ticks: 2, failedTicks: 1 });
    expect(durations()).toBe(2);
  },
);

test('a world that cannot be decided about is contained too', async () => {
  const broken = { ...emptyWorld(), peers: undefined } as unknown as World;
  const { loop, failures, tick } = looped({ observe: () => broken });
  await tick();
  expect(failures).toHaveLength(1);
  expect(loop.view.failedTicks).toBe(1);
});

test('since when a change waits is shown until the tick has taken it in', async () => {
  const { loop } = looped();
  expect(loop.view.pendingSinceMs).toBeUndefined();
  loop.raise();
  vi.advanceTimersByTime(0);
  loop.raise();
  await vi.advanceTimersByTimeAsync(2);
  loop.raise();
  expect(loop.view.pendingSinceMs).toBeGreaterThanOrEqual(5000);
  await vi.advanceTimersByTimeAsync(GAP_MS + 1);
  expect(loop.view.pendingSinceMs).toBeUndefined();
});

test('a tick that does not end is seen to wait, whatever the clock of the machine says', async () => {
  const { loop } = looped({
    observe: () => {
      seen = loop.view.pendingSinceMs;
      return undefined;
    },
  });
  let seen: number | undefined;
  loop.raise();
  await vi.advanceTimersByTimeAsync(0);
  expect(seen).toBe(5000);
  await vi.advanceTimersByTimeAsync(GAP_MS + 1);
  loop.raise();
  vi.setSystemTime(1_000_000);
  expect(loop.view.pendingSinceMs).toBe(1_000_000);
});

test('a tick that failed is tried again though nothing changes', async () => {
  let calls = 0;
  const { acted, tick } = looped({
    observe: () => {
      if (calls++ === 0) {
        throw new Error('only once');
      }
      return emptyWorld();
    },
  });
  await tick();
  expect(acted).toEqual([]);
  await vi.advanceTimersByTimeAsync(1000 + GAP_MS);
  expect(acted).toHaveLength(1);
});

test('a tick under way does not act after the loop was stopped, and the stop waits for it', async () => {
  const world = emptyWorld();
  const { loop, acted } = looped({
    observe: () => {
      stopping = loop.stop().then(() => (stopped = true));
      return world;
    },
  });
  let stopping: Promise<unknown> = Promise.resolve();
  let stopped = false;
  loop.raise();
  await vi.advanceTimersByTimeAsync(GAP_MS + 1);
  await stopping;
  expect(stopped).toBe(true);
  expect(acted).toEqual([]);
});

test('a stopped loop ticks no more', async () => {
  const { loop, acted, tick } = looped();
  await loop.stop();
  await tick();
  expect(acted).toEqual([]);
});
