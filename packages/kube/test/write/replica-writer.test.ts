// A replica's own object: made, owned, kept current, rarely.

import type { HeraldReplicaStatus } from '@herald/api';
import { describe, expect, it } from 'vitest';
import { ReplicaWriter } from '../../src/write/replica-writer.ts';
import { DOWN, failure, type Json } from './api-double.ts';
import { settled } from './manual-clock.ts';
import { Stage } from './writing.ts';

const COLLECTION = '/apis/heraldbgp.io/v1alpha1/namespaces/ns/heraldreplicas';
const OWN = `${COLLECTION}/herald-0`;

function stage() {
  const at = new Stage();
  const writer = new ReplicaWriter({
    client: at.api,
    clock: at.clock,
    namespace: 'ns',
    pod: { name: 'herald-0', uid: 'pod-uid' },
    wallMs: () => at.clock.wallMs(),
  });
  const set = async (status: HeraldReplicaStatus) => {
    writer.set(status);
    await settled();
  };
  return {
    at,
    writer,
    set,
    status: () => at.api.objects.get(OWN)?.['status'],
    patches: () => at.api.sent('PATCH'),
  };
}

describe('the object of a replica', () => {
  it('is made, owned by the pod, and written by its own manager', async () => {
    const { at, set, status } = stage();
    await set({ role: 'Standby', term: 3, routes: 5 });
    expect(at.api.objects.get(OWN)?.['metadata']).toMatchObject({
      name: 'herald-0',
      namespace: 'ns',
      ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', name: 'herald-0', uid: 'pod-uid' }],
    });
    expect(status()).toEqual({ role: 'Standby', term: 3, routes: 5 });
    expect(
      at.api
        .sent('POST')
        .concat(at.api.sent('PATCH'))
        .map(({ query }) => query),
    ).toEqual([{ fieldManager: 'herald-replica' }, { fieldManager: 'herald-replica' }]);
  });

  it('that is there is kept, and loses what is not said any more', async () => {
    const { at, set, status } = stage();
    at.api.put(OWN, { metadata: { name: 'herald-0' }, status: { role: 'Leader', prefixes: 9 } });
    await set({ role: 'Standby' });
    expect([at.api.sent('POST'), status()]).toEqual([[], { role: 'Standby' }]);
  });

  it('is written each ten seconds for counts, and never for the time of the last contact alone', async () => {
    const { at, set, patches } = stage();
    for (let i = 0; i < 30; i++) {
      await set({ role: 'Leader', routes: i, lastContact: `2026-11-01T00:00:${i}Z` });
      await at.clock.advance(1000);
    }
    expect(patches()).toHaveLength(4);
    await at.clock.advance(20_000);
    const before = patches().length;
    for (let i = 0; i < 30; i++) {
      await set({ role: 'Leader', routes: 29, lastContact: `2026-11-01T00:01:${i}Z` });
      await at.clock.advance(1000);
    }
    expect([patches().length, at.clock.sleeping]).toEqual([before, 0]);
  });

  it.each<[string, HeraldReplicaStatus]>([
    ['role', { role: 'Leader', term: 1 }],
    ['term', { role: 'Standby', term: 2 }],
    ['session', { role: 'Standby', term: 1, peers: [{ name: 'p', state: 'Established' }] }],
    [
      'condition',
      {
        role: 'Standby',
        term: 1,
        conditions: [{ type: 'Synced', status: 'True', reason: 'r', message: 'm', lastTransitionTime: '' }],
      },
    ],
  ])('is written within a second when its %s changed', async (_, changed) => {
    const { at, set, patches } = stage();
    await set({ role: 'Standby', term: 1 });
    await set(changed);
    expect(patches()).toHaveLength(1);
    await at.clock.advance(1000);
    expect(patches()).toHaveLength(2);
  });

  it('that was deleted is made again', async () => {
    const { at, set, status } = stage();
    await set({ role: 'Standby', routes: 1 });
    at.api.remove(OWN);
    await at.clock.advance(10_000);
    await set({ role: 'Standby', routes: 2 });
    await at.clock.advance(12_000);
    expect(status()).toEqual({ role: 'Standby', routes: 2 });
  });

  it('that may not be made is said, asked for twice a minute, and written when it may', async () => {
    const { at, writer, set, status } = stage();
    at.api.fail('POST', failure(403, 'Forbidden', 'heraldreplicas is forbidden'));
    for (let i = 0; i < 10; i++) {
      await set({ role: 'Leader', routes: i } as Json);
      await at.clock.advance(1000);
    }
    expect(at.api.sent('POST')).toHaveLength(1);
    expect(writer.faults()).toMatchObject([
      { object: 'HeraldReplica ns/herald-0', message: expect.stringContaining('is forbidden') },
    ]);
    await at.clock.advance(30_000);
    expect([status(), writer.faults()]).toEqual([{ role: 'Leader', routes: 9 }, []]);
  });

  it('is written when the API server is back, the newest', async () => {
    const { at, writer, set, status } = stage();
    at.api.fail(() => true, DOWN, { times: Number.POSITIVE_INFINITY });
    await set({ role: 'Standby' });
    await set({ role: 'Leader' });
    at.api.heal();
    await at.clock.advance(2000);
    expect(status()).toEqual({ role: 'Leader' });
    await writer.close();
    await set({ role: 'Standby' });
    expect(status()).toEqual({ role: 'Leader' });
  });
});
