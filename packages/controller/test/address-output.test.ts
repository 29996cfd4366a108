import { projectService, type Service } from '@herald/api';
import type { Allocation } from '@herald/decision';
import { ApiError, type AddressWrite } from '@herald/kube';
import { address, PersistentMap } from '@herald/net';
import { expect, test, vi } from 'vitest';

import { AddressOutput } from '../src/address-output.ts';
import { collectedLog, said } from './collected-log.ts';

const TERM = 7;

function service(key: string): Service {
  const [namespace, name] = key.split('/');
  const projected = projectService({
    metadata: { namespace, name, uid: key },
    spec: { type: 'LoadBalancer' },
  });
  if (!projected.ok) {
    throw new Error('this Service is valid');
  }
  return projected.value;
}

const SERVICES = PersistentMap.from(
  ['default/a', 'default/b', 'default/c'].map((key) => [key, service(key)] as const),
);

function give(serviceKey: string, ...texts: string[]): Allocation {
  return {
    kind: 'give',
    serviceKey,
    uid: serviceKey,
    addresses: texts.map(address),
    pool: 'public',
    term: TERM,
  };
}

function take(serviceKey: string): Allocation {
  return { kind: 'take', serviceKey, uid: serviceKey, addresses: [], reason: 'PoolRemoved', term: TERM };
}

/** A source whose writes end when the test says so. */
function heldSource() {
  const calls: string[][] = [];
  const ends: PromiseWithResolvers<void>[] = [];
  let underWay = 0;
  let most = 0;
  const applyAllocations = async (writes: readonly AddressWrite[]): Promise<void> => {
    calls.push(writes.map(({ serviceKey }) => serviceKey));
    const end = Promise.withResolvers<void>();
    ends.push(end);
    most = Math.max(most, ++underWay);
    await end.promise.finally(() => underWay--);
  };
  return { applyAllocations, calls, ends, most: () => most };
}

function setUp() {
  const source = heldSource();
  const log = collectedLog();
  const askAgain = vi.fn<() => void>();
  return { source, log, output: new AddressOutput(source, log.logger, askAgain), askAgain };
}

test('nothing wanted writes nothing', () => {
  const { source, output } = setUp();
  output.set([], SERVICES);
  expect(source.calls).toEqual([]);
});

test('writes run one at a time, and always the newest that are wanted', async () => {
  const { source, output } = setUp();
  output.set([give('default/a', '203.0.113.1')], SERVICES);
  output.set([give('default/b', '203.0.113.2')], SERVICES);
  output.set([give('default/c', '203.0.113.3')], SERVICES);
  expect(source.calls).toEqual([['default/a']]);
  source.ends[0]?.resolve();
  await vi.waitUntil(() => source.calls.length === 2);
  expect(source.calls[1]).toEqual(['default/c']);
  source.ends[1]?.resolve();
  await source.ends[1]?.promise;
  expect(source.most()).toBe(1);
});

test('what is wanted no longer when a write ends is not written', async () => {
  const { source, log, output } = setUp();
  output.set([give('default/a', '203.0.113.1')], SERVICES);
  output.set([], SERVICES);
  source.ends[0]?.resolve();
  await vi.waitUntil(() => log.lines.length > 0);
  expect(source.calls).toHaveLength(1);
});

test('the same writes, still wanted when they end, are not written twice', async () => {
  const { source, log, output } = setUp();
  const writes = [give('default/a', '203.0.113.1')];
  output.set(writes, SERVICES);
  output.set(writes, SERVICES);
  source.ends[0]?.resolve();
  await vi.waitUntil(() => log.lines.length > 0);
  expect(source.calls).toHaveLength(1);
});

test('a write that fails is said', async () => {
  const { source, log, output } = setUp();
  output.set([give('default/a', '203.0.113.1')], SERVICES);
  source.ends[0]?.reject(new Error('no space left'));
  await vi.waitUntil(() => log.lines.length > 0);
  expect(log.lines[0]).toMatchObject({
    level: 'error',
    event: 'addresses-not-kept',
    err: { message: 'no space left' },
  });
});

const TOO_MANY = new ApiError('status', 'too many requests', { status: 429, retryAfterMs: 7000 });

test.each([
  ['a second', new Error('no space left'), 1000],
  ['as long as the API server asks for', TOO_MANY, 7000],
  ['a second at least', new ApiError('status', 'busy', { status: 503, retryAfterMs: 10 }), 1000],
])('after a write that fails nothing is written for %s, whatever is decided', async (_, error, pauseMs) => {
  vi.useFakeTimers();
  const { source, output, askAgain } = setUp();
  const writes = [give('default/a', '203.0.113.1')];
  output.set(writes, SERVICES);
  output.set([give('default/b', '203.0.113.2')], SERVICES);
  source.ends[0]?.reject(error);
  await vi.advanceTimersByTimeAsync(pauseMs - 1);
  output.set(writes, SERVICES.with([['default/a', service('default/a')]]));
  expect(source.calls).toEqual([['default/a']]);
  expect(askAgain).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(1);
  expect(askAgain).toHaveBeenCalledOnce();
  output.set(writes, SERVICES);
  expect(source.calls).toEqual([['default/a'], ['default/a']]);
  vi.useRealTimers();
});

test('what was given and taken is logged', async () => {
  const { source, log, output } = setUp();
  output.set([give('default/a', '203.0.113.1', '2001:db8::1'), take('default/b')], SERVICES);
  source.ends[0]?.resolve();
  await vi.waitUntil(() => log.lines.length === 2);
  expect(said(log.lines)).toEqual([
    {
      level: 'info',
      event: 'addresses',
      service: 'default/a',
      addresses: ['203.0.113.1', '2001:db8::1'],
      term: TERM,
      msg: 'addresses are given',
    },
    {
      level: 'info',
      event: 'addresses',
      service: 'default/b',
      addresses: [],
      term: TERM,
      msg: 'addresses are taken away',
    },
  ]);
});

test('a write names the Service that was decided about, and none for one that is not there', async () => {
  const { source, output } = setUp();
  const writes: AddressWrite[][] = [];
  const applyAllocations = source.applyAllocations;
  source.applyAllocations = async (batch) => {
    writes.push([...batch]);
    await applyAllocations(batch);
  };
  output.set([give('default/a', '203.0.113.1'), give('default/gone', '203.0.113.2')], SERVICES);
  expect(writes).toEqual([
    [
      {
        serviceKey: 'default/a',
        uid: 'default/a',
        addresses: [address('203.0.113.1')],
        term: TERM,
        decidedFrom: SERVICES.get('default/a'),
      },
    ],
  ]);
  expect(writes[0]?.[0]?.decidedFrom).toBe(SERVICES.get('default/a'));
});

test('the same writes are tried again when their Services are others by the time they end', async () => {
  const { source, output } = setUp();
  const writes = [give('default/a', '203.0.113.1')];
  output.set(writes, SERVICES);
  output.set(writes, SERVICES.with([['default/a', service('default/a')]]));
  source.ends[0]?.resolve();
  await vi.waitUntil(() => source.calls.length === 2);
  expect(source.calls[1]).toEqual(['default/a']);
});
