// One server whose state changes between two questions: alive, ready, status and metrics follow it together.

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createServer, type Server, type Views } from '../src/index.ts';
import { NOW, fault, session, views } from './fixture.ts';

let server: Server;
let current: Views;
let nowMs: number;

beforeEach(async () => {
  current = views();
  nowMs = NOW;
  server = await createServer(
    { current: () => current, explain: () => undefined },
    { version: '1.2.3', nowMs: () => nowMs },
  );
});
afterEach(() => server.close());

async function ask(url: string): Promise<[number, unknown]> {
  const response = await server.app.inject({ url });
  return [response.statusCode, response.json()];
}

async function metric(name: string): Promise<string | undefined> {
  const { body } = await server.app.inject({ url: '/metrics' });
  return body
    .split('\n')
    .find((line) => line.startsWith(`${name} `))
    ?.slice(name.length + 1);
}

const set = (overrides: Partial<Views>): void => {
  current = { ...current, ...overrides };
};

const loop = (pendingSinceMs: number | undefined): Partial<Views> => ({
  loop: { ticks: 1, failedTicks: 0, pendingSinceMs },
});

const notReady = (...reasons: readonly string[]): Partial<Views> => ({
  notReady: reasons.map((reason) => ({ reason, message: `${reason}, in a sentence.` })),
});

describe('alive', () => {
  it.each<[string, number | undefined, number, string]>([
    ['idle', undefined, 200, 'the loop ticks'],
    ['just asked', 0, 200, 'the loop ticks'],
    ['in a long tick', 29_999, 200, 'the loop ticks'],
    ['stuck', 30_000, 503, 'a tick has not ended for 30 s'],
    ['stuck, rounded down', 30_499, 503, 'a tick has not ended for 30 s'],
    ['stuck, rounded up', 30_500, 503, 'a tick has not ended for 31 s'],
    ['stuck for an hour', 3_600_000, 503, 'a tick has not ended for 3600 s'],
    ['before its own clock', -1000, 200, 'the loop ticks'],
  ])('%s', async (_, agoMs, status, reason) => {
    set(loop(agoMs === undefined ? undefined : NOW - agoMs));
    expect(await ask('/healthz')).toEqual([status, { alive: status === 200, reason }]);
  });

  it('until a tick is stuck, and again when it ends', async () => {
    set(loop(NOW));
    const seen: number[] = [];
    for (const at of [0, 29_999, 30_000, 60_000]) {
      nowMs = NOW + at;
      seen.push((await ask('/healthz'))[0]);
    }
    set(loop(undefined));
    seen.push((await ask('/healthz'))[0]);
    expect(seen).toEqual([200, 200, 503, 503, 200]);
  });

  it.each<[string, Partial<Views>]>([
    ['that is not ready', notReady('NotSynced')],
    ['whose source is stale', { source: { kind: 'kubernetes', synced: false, freshAtMs: 1 } }],
    ['whose feeds are down', { feeds: [] }],
    ['whose ticks fail', { loop: { ticks: 9, failedTicks: 9, pendingSinceMs: undefined } }],
    ['with faults', { faults: [fault, fault] }],
  ])('is a replica %s', async (_, overrides) => {
    set(overrides);
    expect((await ask('/healthz'))[0]).toBe(200);
  });
});

describe('ready', () => {
  it.each<[string, readonly string[], number]>([
    ['nothing to wait for', [], 200],
    ['one thing', ['NotSynced'], 503],
    ['several, in their order', ['PeerNotTried', 'NotSynced', 'FeedDown'], 503],
  ])('with %s', async (_, reasons, status) => {
    set(notReady(...reasons));
    expect(await ask('/readyz')).toEqual([status, { ready: status === 200, notReady: current.notReady }]);
  });

  it('comes and goes, and status and metric say the same', async () => {
    for (const reasons of [['NotSynced'], ['FeedDown'], [], ['NotSynced', 'FeedDown'], []]) {
      set(notReady(...reasons));
      const ready = reasons.length === 0;
      expect(await ask('/readyz')).toEqual([ready ? 200 : 503, { ready, notReady: current.notReady }]);
      expect(await ask('/api/v1/status')).toEqual([
        200,
        expect.objectContaining({ ready, notReady: current.notReady }),
      ]);
      expect(await metric('herald_ready')).toBe(ready ? '1' : '0');
    }
  });

  it('does not depend on being stuck', async () => {
    set(loop(NOW - 3_600_000));
    expect((await ask('/readyz'))[0]).toBe(200);
  });
});

describe('status', () => {
  it('has the time of the start however late it is asked for', async () => {
    nowMs = NOW + 3_600_000;
    expect(await ask('/api/v1/status')).toEqual([
      200,
      expect.objectContaining({ startedAt: '2026-05-01T12:00:00.000Z' }),
    ]);
  });

  it.each<[number, number]>([
    [0, 2.5],
    [500, 3],
    [57_500, 60],
    [-2500, 0],
    [-60_000, 0],
  ])('%d ms later says that the source is %d s old', async (later, ageSeconds) => {
    nowMs = NOW + later;
    const source = { kind: 'folder', synced: true, freshAt: '2026-05-01T11:59:57.500Z', ageSeconds };
    expect(await ask('/api/v1/status')).toEqual([200, expect.objectContaining({ source })]);
    expect(await metric('herald_source_age_seconds')).toBe(String(ageSeconds));
  });

  it('follows who leads', async () => {
    for (const leadership of [
      { leading: false, term: 10 },
      { leading: true, term: 11 },
      { leading: false, term: 11 },
    ]) {
      set({ world: { ...current.world, leadership } });
      expect(await ask('/api/v1/status')).toEqual([
        200,
        expect.objectContaining({ replica: { name: 'herald-0', ...leadership } }),
      ]);
      expect(await metric('herald_leading')).toBe(leadership.leading ? '1' : '0');
    }
  });

  it('follows sessions', async () => {
    for (const state of ['Idle', 'Connect', 'Active', 'OpenSent', 'OpenConfirm'] as const) {
      const sessions = current.world.sessions.with([['tor-1', session({ state })]], []);
      set({ world: { ...current.world, sessions } });
      const [, body] = await ask('/api/v1/status');
      const { peers } = body as { peers: Record<string, number> };
      expect(peers).toMatchObject({ [state]: state === 'Active' ? 2 : 1, Established: 1, Unknown: 1 });
      expect(Object.values(peers).reduce((sum, count) => sum + count, 0)).toBe(4);
    }
  });

  it('follows faults, as they are', async () => {
    for (const faults of [[], [fault], [fault, { ...fault, field: '' }]]) {
      set({ faults });
      expect(await ask('/api/v1/status')).toEqual([200, expect.objectContaining({ faults })]);
    }
  });
});
