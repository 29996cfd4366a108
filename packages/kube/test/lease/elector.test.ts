// The elector against an API server in memory: the requests that it makes, what is in them, and what it does
// when they fail.

import { describe, expect, it } from 'vitest';
import { Elector } from '../../src/lease/elector.ts';
import type { Leadership } from '../../src/lease/election-state.ts';
import { ApiDouble, DOWN, LOST, failure, type Json } from '../write/api-double.ts';
import { ManualClock, settled } from '../write/manual-clock.ts';

const SETTINGS = { leaseName: 'herald', leaseDurationMs: 6000, renewDeadlineMs: 4000, retryPeriodMs: 1000 };
const COLLECTION = '/apis/coordination.k8s.io/v1/namespaces/ns/leases';
const LEASE = `${COLLECTION}/herald`;

function stage() {
  const api = new ApiDouble();
  const clock = new ManualClock();
  const changes: string[] = [];
  const elector = (identity: string) =>
    new Elector({
      client: api,
      namespace: 'ns',
      identity,
      settings: SETTINGS,
      clock,
      random: () => 0.5,
      onChange: ({ leading, holder }: Leadership) =>
        changes.push(`${identity}: ${leading ? 'leads' : `follows ${holder}`}`),
    });
  return { api, clock, changes, elector };
}

/** A stage with an empty Lease, as the chart makes it, so that the first one leads at once. */
async function led() {
  const at = stage();
  at.api.put(LEASE, { metadata: { name: 'herald' }, spec: {} });
  const a = at.elector('a');
  a.start();
  await settled();
  const b = at.elector('b');
  b.start();
  await settled();
  return { ...at, a, b };
}

const spec = (api: ApiDouble) => api.objects.get(LEASE)?.['spec'] as Json;
const count = (api: ApiDouble) => {
  const counts: Record<string, number> = {};
  for (const { method, query } of api.requests) {
    const word = query?.['watch'] === undefined ? method : 'WATCH';
    counts[word] = (counts[word] ?? 0) + 1;
  }
  return counts;
};

describe('an elector', () => {
  it('does nothing before it is started, and is released at once', async () => {
    const { api, elector } = stage();
    const idle = elector('a');
    idle.sawTerm(7);
    await idle.release();
    expect(api.requests).toEqual([]);
    expect([idle.mayWrite(), idle.writeTimeoutMs()]).toEqual([false, 0]);
  });

  it('stands for election though it heard of a term before it was started, and leads by a later one', async () => {
    const { api, clock, a, elector } = await led();
    const late = elector('late');
    const heard = a.leadership.term + 1_000_000;
    late.sawTerm(heard);
    late.start();
    await settled();
    expect(late.leadership.holder).toBe('a');
    await a.release();
    api.put(LEASE, { metadata: { name: 'herald' }, spec: {} });
    await clock.advance(6100);
    expect(late.leadership.leading).toBe(true);
    expect(late.leadership.term).toBeGreaterThan(heard);
  });

  it('leads by an empty Lease at once, and the other follows', async () => {
    const { api, a, b, changes } = await led();
    expect([a.mayWrite(), b.mayWrite()]).toEqual([true, false]);
    expect(changes).toEqual(['a: leads', 'b: follows a']);
    expect(spec(api)).toMatchObject({ holderIdentity: 'a', leaseDurationSeconds: 6 });
    expect(a.leadership).toEqual({ ...b.leadership, leading: true, handedOver: true });
    expect(a.writeTimeoutMs()).toBe(5000);
  });

  it('knows when the renewal was sent that counts, while it leads', async () => {
    const { api, clock, a, b } = await led();
    // Of the wall clock, which goes on while the test runs.
    const ages = (): readonly [number, number] => {
      const earliest = Date.now();
      const renewedAtMs = a.renewedAtMs ?? Number.NaN;
      return [earliest - renewedAtMs, Date.now() - renewedAtMs];
    };
    await clock.advance(1000);
    expect(ages()[0]).toBeLessThanOrEqual(1000);
    expect(b.renewedAtMs).toBeUndefined();
    api.fail('PUT', LOST, { times: Number.POSITIVE_INFINITY });
    await clock.advance(2000);
    expect(ages()[1]).toBeGreaterThanOrEqual(2000);
    await clock.advance(4000);
    expect(a.renewedAtMs).toBeUndefined();
  });

  it('makes a Lease where there is none and leads one lease later', async () => {
    const { api, clock, elector } = stage();
    const a = elector('a');
    a.start();
    await clock.advance(5900);
    expect([a.mayWrite(), spec(api)['holderIdentity']]).toEqual([false, 'a']);
    await clock.advance(200);
    expect(a.mayWrite()).toBe(true);
  });

  it('asks for one renewal a period and one watch a follower while nothing happens', async () => {
    const { api, clock } = await led();
    api.requests.length = 0;
    await clock.advance(60_000);
    expect(count(api)).toEqual({ PUT: 60 });
    expect(api.watching).toBe(1);
  });

  it('hands over at once on release', async () => {
    const { api, clock, a, b } = await led();
    await a.release();
    await clock.advance(0);
    expect([a.mayWrite(), b.mayWrite()]).toEqual([false, true]);
    expect(spec(api)).toMatchObject({ holderIdentity: 'b' });
    expect(api.watching).toBe(0);
    api.requests.length = 0;
    await clock.advance(10_000);
    expect(count(api)).toEqual({ PUT: 10 });
  });

  it('follows a leader that vanished after the lease', async () => {
    const { api, clock, a, b } = await led();
    api.fail(({ body }) => JSON.stringify(body ?? '').includes('"a"'), LOST, { times: 1000 });
    await clock.advance(4000);
    expect([a.mayWrite(), b.mayWrite()]).toEqual([false, false]);
    await clock.advance(2200);
    expect(b.mayWrite()).toBe(true);
    expect(b.leadership.term).toBeGreaterThan(a.leadership.term - 1);
  });

  it('stays leader through an answer that was lost, in the same term', async () => {
    const { api, clock, a, changes } = await led();
    const { term } = a.leadership;
    api.fail('PUT', LOST, { applied: true });
    await clock.advance(3000);
    expect([a.mayWrite(), a.leadership.term]).toEqual([true, term]);
    expect(changes).toHaveLength(2);
    expect(api.requests.some(({ connection }) => connection === 'fresh')).toBe(true);
  });

  it('leads again by a new term after an outage', async () => {
    const { api, clock, a, b, changes } = await led();
    const { term } = a.leadership;
    api.fail(() => true, DOWN, { times: Number.POSITIVE_INFINITY });
    await clock.advance(30_000);
    expect([a.mayWrite(), b.mayWrite()]).toEqual([false, false]);
    api.heal();
    await clock.advance(9000);
    expect([a, b].filter((elector) => elector.mayWrite())).toHaveLength(1);
    expect(Math.max(a.leadership.term, b.leadership.term)).toBeGreaterThan(term);
    expect(changes).toContain('a: follows a');
  });

  it('puts back a Lease that was deleted, without a change of leader', async () => {
    const { api, clock, a, changes } = await led();
    const { term } = a.leadership;
    api.remove(LEASE);
    await clock.advance(10_000);
    expect([a.mayWrite(), a.leadership.term, spec(api)['holderIdentity']]).toEqual([true, term, 'a']);
    expect(changes.filter((change) => change.endsWith('leads'))).toEqual(['a: leads']);
  });

  it('opens a new watch when the server ends it, and not in a loop when it cannot', async () => {
    const { api, clock } = await led();
    api.endWatches();
    await clock.advance(1000);
    expect(api.watching).toBe(1);
    api.fail('GET', DOWN, { times: Number.POSITIVE_INFINITY });
    api.endWatches();
    api.requests.length = 0;
    await clock.advance(10_000);
    expect(api.sent('GET').length).toBeLessThan(16);
  });

  it('says what it is not allowed to do, until it is', async () => {
    const { api, clock, elector } = stage();
    api.put(LEASE, { metadata: { name: 'herald' } });
    api.fail('GET', failure(403, 'Forbidden', 'leases is forbidden'), { times: 2 });
    const a = elector('a');
    a.start();
    await clock.advance(1000);
    expect(a.faults()).toMatchObject([
      { object: 'Lease ns/herald', message: expect.stringContaining('leases is forbidden') },
    ]);
    await clock.advance(12_000);
    expect([a.faults(), a.mayWrite()]).toEqual([[], true]);
  });

  it('says that it may not watch, for as long as it needs to and may not', async () => {
    const { api, clock, a, b } = await led();
    const forbidden = failure(403, 'Forbidden', 'leases is forbidden');
    const stream = api.stream.bind(api);
    api.stream = () => Promise.reject(forbidden);
    api.endWatches();
    for (let second = 0; second < 10; second += 1) {
      await clock.advance(1000);
      expect([a.faults(), b.faults()]).toMatchObject([
        [],
        [{ object: 'Lease ns/herald', message: expect.stringContaining('may not be watched') }],
      ]);
    }
    expect(b.leadership.holder).toBe('a');
    api.stream = stream;
    await clock.advance(2000);
    expect([api.watching, b.faults()]).toEqual([1, []]);
    api.stream = () => Promise.reject(forbidden);
    api.endWatches();
    await clock.advance(2000);
    await a.release();
    await clock.advance(2000);
    expect([b.mayWrite(), b.faults()]).toEqual([true, []]);
  });

  it.each<[string, unknown]>([
    ['nothing', undefined],
    ['something else', { kind: 'Status' }],
  ])('does not lead by an answer that says %s', async (_, answer) => {
    const { api, clock, elector } = stage();
    api.put(LEASE, { metadata: { name: 'herald' } });
    const strange = {
      request: (request: Parameters<ApiDouble['request']>[0]) =>
        request.method === 'PUT' ? Promise.resolve(answer) : api.request(request),
      stream: api.stream.bind(api),
    };
    const a = new Elector({
      client: strange,
      namespace: 'ns',
      identity: 'a',
      settings: SETTINGS,
      clock,
      random: () => 0,
      onChange: () => undefined,
    });
    expect(elector('b').mayWrite()).toBe(false);
    a.start();
    await clock.advance(5000);
    expect(a.leadership.leading).toBe(false);
  });

  it('names every write of its body with the version that it replaces', async () => {
    const { api, clock } = await led();
    await clock.advance(3000);
    const versions = api
      .sent('PUT')
      .map(({ body }) => ((body as Json)['metadata'] as Json)['resourceVersion']);
    expect(new Set(versions).size).toBe(versions.length);
    expect(versions).not.toContain(undefined);
  });
});
