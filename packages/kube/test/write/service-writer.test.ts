// Addresses into Services: what one request carries, what is kept, what is dropped, what is said.

import { describe, expect, it } from 'vitest';
import { ServiceWriter } from '../../src/write/service-writer.ts';
import { DOWN, LOST, failure, type Json } from './api-double.ts';
import { Stage } from './writing.ts';

function stage() {
  const at = new Stage();
  const due: number[] = [];
  const writer = new ServiceWriter({
    client: at.api,
    elector: at.elector,
    clock: at.clock,
    current: (key) => at.current(key),
    onDue: () => due.push(at.clock.nowMs()),
  });
  return { at, writer, due };
}

const ingress = (at: Stage, key: string) =>
  ((at.raw(key)['status'] as Json | undefined)?.['loadBalancer'] as Json | undefined)?.['ingress'];
const annotations = (at: Stage, key: string) => (at.raw(key)['metadata'] as Json)['annotations'];
const GIVEN = { 'heraldbgp.io/allocated-addresses': '192.0.2.1', 'heraldbgp.io/allocated-term': '6' };

describe('giving addresses', () => {
  it('is one request with addresses, annotations, version, time limit and manager', async () => {
    const { at, writer } = stage();
    at.service('default/a', { metadata: { annotations: { other: 'kept' } } });
    const { resourceVersion } = at.current('default/a') ?? {};
    await writer.applyAllocations([at.give('default/a', '192.0.2.1', '2001:db8::1')]);
    expect(at.api.requests).toEqual([
      {
        method: 'PATCH',
        path: '/api/v1/namespaces/default/services/a/status',
        contentType: 'application/strategic-merge-patch+json',
        query: { fieldManager: 'herald' },
        timeoutMs: 5000,
        body: {
          metadata: {
            uid: at.current('default/a')?.service.uid,
            resourceVersion,
            annotations: {
              'heraldbgp.io/allocated-addresses': '192.0.2.1,2001:db8::1',
              'heraldbgp.io/allocated-term': '7',
            },
          },
          status: { loadBalancer: { ingress: [{ ip: '192.0.2.1' }, { ip: '2001:db8::1' }] } },
        },
      },
    ]);
    expect(annotations(at, 'default/a')).toMatchObject({ other: 'kept', 'heraldbgp.io/allocated-term': '7' });
  });

  it.each<[string, Json[], string[], Json[]]>([
    [
      'keeps the entries of others',
      [{ hostname: 'x.example' }, { ip: '192.0.2.1' }],
      ['192.0.2.2'],
      [{ ip: '192.0.2.2' }, { hostname: 'x.example' }],
    ],
    [
      'keeps what else an entry says',
      [{ ip: '192.0.2.1', ipMode: 'Proxy' }],
      ['192.0.2.1', '192.0.2.2'],
      [{ ip: '192.0.2.1', ipMode: 'Proxy' }, { ip: '192.0.2.2' }],
    ],
    [
      'takes away what it does not name',
      [{ ip: '192.0.2.1' }, { ip: '192.0.2.2' }],
      ['192.0.2.2'],
      [{ ip: '192.0.2.2' }],
    ],
    ['takes everything away', [{ ip: '192.0.2.1' }], [], []],
  ])('%s', async (_, before, addresses, after) => {
    const { at, writer } = stage();
    const conditions = [{ type: 'theirs/Condition', status: 'True' }];
    at.service('default/a', {
      metadata: { annotations: GIVEN },
      status: { loadBalancer: { ingress: before }, conditions },
    });
    await writer.applyAllocations([at.give('default/a', ...addresses)]);
    expect(ingress(at, 'default/a')).toEqual(after);
    expect(at.raw('default/a')['status']).toMatchObject({ conditions });
    expect(Object.keys(annotations(at, 'default/a') as Json)).toHaveLength(addresses.length === 0 ? 0 : 2);
  });
});

describe('a write that is dropped without a word', () => {
  it.each<[string, (at: Stage) => void]>([
    ['for a Service that is gone from the source', (at) => at.hide('default/a')],
    [
      'for a Service that the source shows changed',
      (at) => void at.service('default/a', { spec: { type: 'ClusterIP' } }),
    ],
    ['when this replica does not lead', (at) => at.elector.loses()],
  ])('%s, before any request', async (_, change) => {
    const { at, writer } = stage();
    at.service('default/a');
    const write = at.give('default/a', '192.0.2.1');
    change(at);
    await writer.applyAllocations([write]);
    expect(at.api.requests).toEqual([]);
  });

  it.each<[string, (at: Stage) => void]>([
    [
      'changed on the server only',
      (at) => at.api.put(Stage.path('default/a'), { ...at.raw('default/a'), spec: { type: 'ClusterIP' } }),
    ],
    ['deleted', (at) => at.api.remove(Stage.path('default/a'))],
    [
      'replaced',
      (at) => {
        at.api.remove(Stage.path('default/a'));
        at.api.put(Stage.path('default/a'), {
          metadata: { namespace: 'default', name: 'a' },
          spec: { type: 'LoadBalancer' },
        });
      },
    ],
  ])('for a Service that was %s', async (_, change) => {
    const { at, writer } = stage();
    at.service('default/a');
    const write = at.give('default/a', '192.0.2.1');
    change(at);
    await writer.applyAllocations([write]);
    expect(ingress(at, 'default/a')).toBeUndefined();
    expect(writer.faults()).toEqual([]);
  });

  it('because it was done and the source has not caught up', async () => {
    const { at, writer } = stage();
    at.service('default/a');
    const write = at.give('default/a', '192.0.2.1');
    await writer.applyAllocations([write]);
    await writer.applyAllocations([write]);
    expect(at.api.sent('PATCH')).toHaveLength(1);
  });
});

it('writes again after a conflict by something that the decision does not read', async () => {
  const { at, writer } = stage();
  at.service('default/a', { metadata: { labels: {} } });
  const write = at.give('default/a', '192.0.2.1');
  at.touch('default/a');
  await writer.applyAllocations([write]);
  expect(ingress(at, 'default/a')).toEqual([{ ip: '192.0.2.1' }]);
  expect(at.api.requests.map(({ method }) => method)).toEqual(['PATCH', 'GET', 'PATCH']);
});

it('gives up when somebody else is faster each time', async () => {
  const { at, writer } = stage();
  at.service('default/a');
  at.api.fail('PATCH', failure(409, 'Conflict'), { times: Number.POSITIVE_INFINITY });
  await writer.applyAllocations([at.give('default/a', '192.0.2.1')]);
  expect(at.api.sent('PATCH')).toHaveLength(4);
  expect(writer.faults()).toEqual([]);
});

it('tells its caller to come again when the leader is in doubt', async () => {
  const { at, writer } = stage();
  at.service('default/a');
  at.elector.doubtful = true;
  await expect(writer.applyAllocations([at.give('default/a', '192.0.2.1')])).rejects.toThrow(
    'may not write now',
  );
  expect(at.api.requests).toEqual([]);
});

describe('a refusal', () => {
  it.each([
    [403, 'services/status is forbidden'],
    [422, 'status.loadBalancer.ingress[0].ip: Invalid value'],
    [400, 'strict decoding error'],
  ])(
    'with %d is said in the words of the API server, and not asked for again at once',
    async (status, words) => {
      const { at, writer } = stage();
      at.service('default/a');
      at.service('default/b');
      const write = at.give('default/a', '192.0.2.1');
      at.api.fail('services/a/status', failure(status, 'No', words), { times: 2 });
      await writer.applyAllocations([write, at.give('default/b', '192.0.2.2')]);
      expect(writer.faults()).toMatchObject([
        { object: 'Service default/a', message: expect.stringContaining(words) },
      ]);
      expect(ingress(at, 'default/b')).toEqual([{ ip: '192.0.2.2' }]);
      await writer.applyAllocations([write]);
      expect(at.api.sent('PATCH')).toHaveLength(2);
      await at.clock.advance(30_000);
      await writer.applyAllocations([write]);
      await at.clock.advance(30_000);
      await writer.applyAllocations([write]);
      expect([ingress(at, 'default/a'), writer.faults()]).toEqual([[{ ip: '192.0.2.1' }], []]);
    },
  );

  it('is forgotten when the Service is another one', async () => {
    const { at, writer } = stage();
    at.service('default/a');
    at.api.fail('PATCH', failure(422, 'Invalid'));
    await writer.applyAllocations([at.give('default/a', '192.0.2.1')]);
    at.service('default/a', { spec: { type: 'ClusterIP' } });
    expect(writer.faults()).toEqual([]);
  });

  it('is none of a replica that leads no more', async () => {
    const { at, writer } = stage();
    at.service('default/a');
    at.api.fail('PATCH', failure(403, 'Forbidden'));
    await writer.applyAllocations([at.give('default/a', '192.0.2.1')]);
    expect(writer.faults()).toHaveLength(1);
    at.elector.loses();
    expect(writer.faults()).toEqual([]);
  });

  it('is followed by another decision though nothing changes, until the write is done', async () => {
    const { at, writer, due } = stage();
    at.service('default/a');
    const write = at.give('default/a', '192.0.2.1');
    at.api.fail('PATCH', failure(403, 'Forbidden'), { times: 2 });
    await writer.applyAllocations([write]);
    for (let asked = 1; asked <= 2; asked++) {
      await at.clock.advance(30_000);
      expect(due).toHaveLength(asked);
      await writer.applyAllocations([write]);
    }
    expect(writer.faults()).toEqual([]);
    await at.clock.advance(60_000);
    expect(due).toHaveLength(3);
  });

  it('is not asked about when the process ends', async () => {
    const { at, writer, due } = stage();
    at.service('default/a');
    at.api.fail('PATCH', failure(403, 'Forbidden'));
    await writer.applyAllocations([at.give('default/a', '192.0.2.1')]);
    writer.close();
    await at.clock.advance(60_000);
    expect(due).toHaveLength(0);
  });
});

describe('an API server that cannot be reached', () => {
  it.each([
    ['no connection', DOWN],
    ['no answer', LOST],
    ['overload', failure(429, 'TooManyRequests')],
    ['an error of its own', failure(500, 'InternalError')],
  ])('ends the batch with its error: %s', async (_, error) => {
    const { at, writer } = stage();
    const keys = Array.from({ length: 200 }, (__, i) => `default/s${i}`);
    keys.forEach((key) => at.service(key));
    at.api.fail('PATCH', error, { times: Number.POSITIVE_INFINITY });
    await expect(writer.applyAllocations(keys.map((key) => at.give(key, '192.0.2.1')))).rejects.toBe(error);
    expect(at.api.requests.length).toBeLessThanOrEqual(12);
    expect(writer.busy).toBe(false);
  });
});

it('gives a request no more time than is left of the lease, and never more than fifteen seconds', async () => {
  const { at, writer } = stage();
  for (const [i, left] of [120, 600_000].entries()) {
    at.service(`default/s${i}`);
    at.elector.timeLeftMs = left;
    await writer.applyAllocations([at.give(`default/s${i}`, '192.0.2.1')]);
  }
  expect(at.api.requests.map(({ timeoutMs }) => timeoutMs)).toEqual([120, 15_000]);
});

it('stops in the middle when the leadership ends', async () => {
  const { at, writer } = stage();
  const keys = Array.from({ length: 100 }, (_, i) => `default/s${i}`);
  keys.forEach((key) => at.service(key));
  const open = Promise.withResolvers<void>();
  at.api.gate = open.promise;
  const done = writer.applyAllocations(keys.map((key) => at.give(key, '192.0.2.1')));
  expect(writer.busy).toBe(true);
  at.elector.loses();
  open.resolve();
  await done;
  expect(at.api.requests).toHaveLength(12);
});

it('writes ten thousand, twelve at a time', async () => {
  const { at, writer } = stage();
  const keys = Array.from({ length: 10_000 }, (_, i) => `default/s${i}`);
  keys.forEach((key) => at.service(key));
  await writer.applyAllocations(keys.map((key, i) => at.give(key, `10.0.${i >> 8}.${i & 255}`)));
  expect(at.api.requests).toHaveLength(10_000);
  expect(at.api.mostUnderWay).toBe(12);
  expect(ingress(at, 'default/s9999')).toEqual([{ ip: '10.0.39.15' }]);
});
