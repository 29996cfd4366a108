// What replicas say about themselves, as the leader sees it; and how fresh a source says it is.

import { describe, expect, it } from 'vitest';
import { ReplicaStore } from '../../src/cluster/replica-store.ts';
import { ApiClient } from '../../src/transport/api-client.ts';
import { FakeApiServer, silence, status } from './api-server.ts';
import { NODES, SERVICES, SHORT, accessTo, beginRig, node, service, syncedRig } from './rig.ts';

const PATH = '/apis/heraldbgp.io/v1alpha1/namespaces/herald/heraldreplicas';

function replica(name: string, routes: number): Parameters<FakeApiServer['put']>[1] {
  return { metadata: { name, namespace: 'herald' }, status: { role: 'Standby', routes } };
}

function until(store: ReplicaStore, condition: () => boolean): Promise<void> {
  return new Promise((resolve) => {
    const look = (): void => (condition() ? resolve() : undefined);
    store.onChange(look);
    look();
  });
}

describe('the replicas', () => {
  it('are known by name, and follow what happens to them', async () => {
    await using stack = new AsyncDisposableStack();
    const server = await FakeApiServer.start();
    stack.defer(() => server.stop());
    server.put(PATH, replica('a', 1));
    const client = new ApiClient(accessTo(server));
    stack.defer(() => client.close());
    const store = new ReplicaStore({
      client,
      namespace: 'herald',
      settings: { suspectListMs: 30 },
      times: SHORT,
    });
    stack.defer(() => store.close());
    store.start();
    await until(store, () => store.synced);
    expect(store.statuses()).toEqual(new Map([['a', { role: 'Standby', routes: 1 }]]));
    server.put(PATH, replica('b', 2));
    server.put(PATH, replica('a', 3));
    await until(store, () => store.statuses().get('a')?.routes === 3);
    expect([...store.statuses().keys()]).toEqual(['a', 'b']);
    server.remove(PATH, 'b', 'herald');
    await until(store, () => store.statuses().size === 1);
    server.forget(PATH, ['a']);
    server.write(PATH, { type: 'ERROR', object: { code: 410 } });
    await until(store, () => store.statuses().size === 0);
  });
});

describe('replicas that may not be read', () => {
  it('are said, until they may', async () => {
    await using stack = new AsyncDisposableStack();
    const server = await FakeApiServer.start();
    stack.defer(() => server.stop());
    server.misbehave(PATH, 'any', status(403, 'Forbidden', 'no right'), 1);
    const client = new ApiClient(accessTo(server));
    stack.defer(() => client.close());
    const settings = { suspectListMs: 30 };
    const store = new ReplicaStore({ client, namespace: 'herald', settings, times: SHORT });
    stack.defer(() => store.close());
    store.start();
    await until(store, () => store.faults().length > 0);
    expect(store.faults()).toMatchObject([{ object: 'HeraldReplicas', reason: 'Forbidden' }]);
    expect(store.faults()[0]?.message).toMatch(/^HeraldReplicas cannot be read, .*403.*no right/);
    await until(store, () => store.synced && store.faults().length === 0);
  });
});

describe('a source', () => {
  it('is not fresh while one collection has never arrived', async () => {
    await using rig = await beginRig({ prepare: (server) => server.misbehave(NODES, 'any', silence, 1) });
    await rig.until(() => rig.server.openWatches === 6 && rig.server.seen(NODES).length === 1);
    rig.server.put(SERVICES, service('a'));
    await rig.until(() => rig.source.snapshot().services.size === 1);
    expect(rig.source.freshAtMs).toBe(0);
    expect(rig.source.synced).toBe(false);
  });

  it('is fresh once everything is there', async () => {
    await using rig = await syncedRig();
    expect(Date.now() - rig.source.freshAtMs).toBeLessThan(10_000);
    const before = rig.source.freshAtMs;
    rig.server.bookmark(NODES);
    await rig.client.request({ method: 'GET', path: '/version' });
    expect(rig.source.freshAtMs).toBeGreaterThanOrEqual(before);
  });

  it('ages with the one collection that is not followed any more', async () => {
    await using rig = await syncedRig({ times: { backoffMs: 600_000, longestBackoffMs: 600_000 } });
    rig.server.resetWatches(NODES);
    await rig.until(() => rig.source.faults().length === 1);
    const at = rig.source.freshAtMs;
    rig.server.put(SERVICES, service('a'));
    await rig.until(() => rig.source.snapshot().services.size === 1);
    await rig.client.request({ method: 'GET', path: '/version' });
    expect(rig.source.freshAtMs).toBe(at);
  });

  it('shows a Service with the version that belongs to it', async () => {
    await using rig = await syncedRig({ prepare: (server) => server.put(SERVICES, service('a')) });
    const before = rig.source.current('default/a');
    expect(before?.service).toBe(rig.source.snapshot().services.get('default/a'));
    expect(before?.resourceVersion).toBe('1001');
    expect(rig.source.current('default/none')).toBeUndefined();
    // A change that nobody reads: the same Service under a new version.
    rig.server.put(SERVICES, { ...service('a'), status: { conditions: [] } });
    rig.server.put(NODES, node('behind'));
    await rig.until(
      () => rig.source.current('default/a')?.resourceVersion === '1002' && rig.nodes().length === 1,
    );
    expect(rig.source.current('default/a')?.service).toBe(before?.service);
    rig.server.remove(SERVICES, 'a', 'default');
    await rig.until(() => rig.source.current('default/a') === undefined);
  });

  it('takes a burst in as one change', async () => {
    await using rig = await syncedRig();
    let changes = 0;
    rig.source.onChange(() => changes++);
    const events = ['a', 'b', 'c', 'd'].map((name, i) => {
      const object = { ...node(name), metadata: { name, resourceVersion: String(5000 + i) } };
      return `${JSON.stringify({ type: 'ADDED', object })}\n`;
    });
    const gone = { type: 'DELETED', object: { metadata: { name: 'd', resourceVersion: '6000' } } };
    rig.server.writeRaw(NODES, `${events.join('')}${JSON.stringify(gone)}\n`);
    await rig.until(() => rig.nodes().length === 3);
    expect(rig.nodes()).toEqual(['a', 'b', 'c']);
    expect(changes).toBe(1);
  });
});
