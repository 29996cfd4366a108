// What the leader says on API objects: what is written, how often, and what is not.

import { PersistentMap } from '@herald/net';
import { describe, expect, it } from 'vitest';
import type { OwnKind } from '../../src/write/lane.ts';
import { ApiError } from '../../src/transport/api-error.ts';
import { StatusWriter } from '../../src/write/status-writer.ts';
import type { WantedEvent, WantedStatus } from '../../src/write/wanted-status.ts';
import { DOWN, failure, type Json } from './api-double.ts';
import { settled } from './manual-clock.ts';
import { NOTHING_WANTED, Stage } from './writing.ts';

const TRUE = { status: 'True', reason: 'Advertised', message: 'It is announced.' } as const;
const FALSE = { status: 'False', reason: 'NoAddress', message: 'The Service has no address yet.' } as const;
const CRDS = '/apis/heraldbgp.io/v1alpha1';

function stage() {
  const at = new Stage();
  let addressesFirst = false;
  let isBehind = false;
  const writer = new StatusWriter({
    client: at.api,
    elector: at.elector,
    clock: at.clock,
    reporter: { instance: 'herald-0' },
    wallMs: () => at.clock.wallMs(),
    current: (key) => at.current(key),
    addressesFirst: () => addressesFirst,
    generation: (kind, name) => (isBehind ? undefined : generationOf(at, kind, name)),
  });
  const behind = (now: boolean) => void (isBehind = now);
  const hold = (held: string) => void (addressesFirst = held === 'held');
  const set = async (wanted: Partial<WantedStatus>) => {
    writer.set({ ...NOTHING_WANTED, ...wanted });
    await settled();
  };
  return { at, writer, set, hold, behind, patches: () => at.api.sent('PATCH') };
}

const services = (entries: Record<string, typeof TRUE | typeof FALSE>): Partial<WantedStatus> => ({
  services: PersistentMap.from(Object.entries(entries)),
});
const conditions = (at: Stage, key: string) =>
  ((at.raw(key)['status'] as Json | undefined)?.['conditions'] ?? []) as Json[];
const written = (status: string, reason: string, message: string, time: string) => ({
  type: 'heraldbgp.io/Advertised',
  status,
  reason,
  message,
  lastTransitionTime: time,
});

const event = (name: string, reason: string, kind = 'Service'): WantedEvent => ({
  object: {
    apiVersion: 'v1',
    kind,
    namespace: kind === 'Service' ? 'default' : '',
    name,
    uid: `uid-${name}`,
  },
  type: 'Warning',
  reason,
  message: 'Every pool is out of free addresses.',
});

const events = (at: Stage) =>
  [...at.api.objects].filter(([path]) => path.includes('events.k8s.io')).map(([, object]) => object);

const KIND_PATHS: Readonly<Record<OwnKind, string>> = {
  BGPPeer: 'bgppeers',
  IPAddressPool: 'ipaddresspools',
  BGPAdvertisement: 'bgpadvertisements',
};

/** As of a source that has caught up. */
function generationOf(at: Stage, kind: OwnKind, name: string): number | undefined {
  const object = at.api.objects.get(`${CRDS}/${KIND_PATHS[kind]}/${name}`);
  return (object?.['metadata'] as { generation?: number } | undefined)?.generation;
}

const valid = (status: 'True' | 'False') => [{ type: 'Valid', status, reason: 'Accepted', message: 'm' }];

const pools = (status: Json): Partial<WantedStatus> => ({ pools: PersistentMap.from([['p', status]]) });

describe('the condition of a Service', () => {
  it('is written once, beside those of others, and not again while nothing changes', async () => {
    const { at, set, patches } = stage();
    const theirs = { type: 'theirs', status: 'Unknown' };
    at.service('default/a', { status: { conditions: [theirs] } });
    await set(services({ 'default/a': TRUE }));
    expect(conditions(at, 'default/a')).toEqual([
      theirs,
      written('True', TRUE.reason, TRUE.message, '2026-11-01T00:00:00Z'),
    ]);
    at.show('default/a');
    await set(services({ 'default/a': { ...TRUE } }));
    await at.clock.advance(60_000);
    expect(patches()).toHaveLength(1);
  });

  it('moves its time with its status only', async () => {
    const { at, set } = stage();
    at.service('default/a');
    await set(services({ 'default/a': FALSE }));
    at.show('default/a');
    await at.clock.advance(5000);
    const other = { ...FALSE, reason: 'NoPool', message: 'm' };
    await set({ services: PersistentMap.from([['default/a', other]]) });
    expect(conditions(at, 'default/a')).toMatchObject([
      { reason: 'NoPool', lastTransitionTime: '2026-11-01T00:00:00Z' },
    ]);
    at.show('default/a');
    await at.clock.advance(5000);
    await set(services({ 'default/a': TRUE }));
    expect(conditions(at, 'default/a')).toMatchObject([
      { status: 'True', lastTransitionTime: '2026-11-01T00:00:10Z' },
    ]);
  });

  it('that a leader finds as it should be is not written', async () => {
    const { at, set, patches } = stage();
    at.service('default/a', { status: { conditions: [written('True', TRUE.reason, TRUE.message, 'then')] } });
    await set(services({ 'default/a': TRUE }));
    expect(patches()).toEqual([]);
  });

  it('goes when it is not wanted any more, and only then', async () => {
    const { at, set } = stage();
    at.service('default/a', { status: { conditions: [{ type: 'theirs' }, written('True', 'r', 'm', 't')] } });
    at.service('default/b', { status: { conditions: [{ type: 'theirs' }] } });
    await set({});
    expect([conditions(at, 'default/a'), conditions(at, 'default/b')]).toEqual([
      [{ type: 'theirs' }],
      [{ type: 'theirs' }],
    ]);
    expect(at.api.sent('PATCH')).toHaveLength(1);
  });

  it('is written at most ten times a second, the newest one', async () => {
    const { at, set, patches } = stage();
    const keys = Array.from({ length: 50 }, (_, i) => `default/s${i}`);
    keys.forEach((key) => at.service(key));
    await set(services(Object.fromEntries(keys.map((key) => [key, FALSE]))));
    expect(patches()).toHaveLength(10);
    await at.clock.advance(1000);
    expect(patches()).toHaveLength(20);
    keys.forEach((key) => at.show(key));
    await set(services(Object.fromEntries(keys.map((key) => [key, TRUE]))));
    await at.clock.advance(10_000);
    expect(patches()).toHaveLength(70);
    expect(keys.every((key) => conditions(at, key)[0]?.['status'] === 'True')).toBe(true);
    await at.clock.advance(60_000);
    expect(patches()).toHaveLength(70);
    expect(at.clock.sleeping).toBe(0);
  });

  it('waits while addresses are written', async () => {
    const { at, set, hold, patches } = stage();
    at.service('default/a');
    hold('held');
    await set(services({ 'default/a': TRUE }));
    await at.clock.advance(3000);
    expect(patches()).toEqual([]);
    hold('free');
    await at.clock.advance(200);
    expect(patches()).toHaveLength(1);
  });

  it('is written to what is there after a conflict', async () => {
    const { at, set, patches } = stage();
    at.service('default/a', { metadata: { labels: {} } });
    at.touch('default/a');
    await set(services({ 'default/a': TRUE }));
    await at.clock.advance(1000);
    expect(conditions(at, 'default/a')).toMatchObject([{ status: 'True' }]);
    expect(patches()).toHaveLength(2);
  });

  it('of a Service that is gone is dropped', async () => {
    const { at, set, patches } = stage();
    at.service('default/a');
    at.api.remove(Stage.path('default/a'));
    await set(services({ 'default/a': TRUE }));
    at.hide('default/a');
    await at.clock.advance(5000);
    expect([patches().length, at.clock.sleeping]).toEqual([1, 0]);
  });

  it('that is refused is said, and tried again when another is wanted', async () => {
    const { at, writer, set } = stage();
    at.service('default/a');
    at.api.fail('PATCH', failure(422, 'Invalid', 'too long'));
    await set(services({ 'default/a': TRUE }));
    await at.clock.advance(5000);
    expect(writer.faults()).toMatchObject([
      { object: 'Service default/a', message: expect.stringContaining('too long') },
    ]);
    await set(services({ 'default/a': FALSE }));
    expect([conditions(at, 'default/a'), writer.faults()]).toMatchObject([[{ status: 'False' }], []]);
  });
});

describe('leadership', () => {
  it('without it nothing is read or written', async () => {
    const { at, set } = stage();
    at.elector.loses();
    at.service('default/a');
    await set(services({ 'default/a': TRUE }));
    await at.clock.advance(60_000);
    expect([at.api.requests, at.clock.sleeping]).toEqual([[], 0]);
  });

  it('that is over has nothing to say of what was refused, and the next one finds for itself', async () => {
    const { at, writer, set } = stage();
    at.service('default/a');
    at.api.fail('PATCH', failure(422, 'Invalid', 'too long'));
    await set(services({ 'default/a': TRUE }));
    await at.clock.advance(5000);
    expect(writer.faults()).toHaveLength(1);
    at.elector.loses();
    expect(writer.faults()).toEqual([]);
    at.elector.leadsAgain(9);
    await set({});
    await at.clock.advance(5000);
    expect(writer.faults()).toEqual([]);
  });

  it('that is lost stops everything, and that is gained begins by reading', async () => {
    const { at, set, patches } = stage();
    const keys = Array.from({ length: 30 }, (_, i) => `default/s${i}`);
    keys.forEach((key) => at.service(key));
    await set(services(Object.fromEntries(keys.map((key) => [key, FALSE]))));
    at.elector.loses();
    await at.clock.advance(30_000);
    expect(patches()).toHaveLength(10);
    keys.forEach((key) => at.show(key));
    at.elector.leadsAgain(9);
    at.api.requests.length = 0;
    await set(services(Object.fromEntries(keys.map((key) => [key, FALSE]))));
    await at.clock.advance(30_000);
    expect(patches()).toHaveLength(20);
    expect(at.api.requests.findIndex(({ method }) => method === 'PATCH')).toBe(4);
  });

  it('in doubt pauses', async () => {
    const { at, set, patches } = stage();
    at.service('default/a');
    at.elector.doubtful = true;
    await set(services({ 'default/a': TRUE }));
    expect(at.api.requests).toEqual([]);
    at.elector.doubtful = false;
    await at.clock.advance(1000);
    expect(patches()).toHaveLength(1);
  });

  it('reads large collections page by page', async () => {
    const { at, set } = stage();
    Array.from({ length: 1200 }, (_, i) => at.service(`default/s${i}`));
    await set({});
    expect(at.api.sent('GET').filter(({ path }) => path === '/api/v1/services')).toHaveLength(3);
  });
});

describe('an API server that cannot be reached', () => {
  it('is tried again every two seconds, however often something changes', async () => {
    const { at, set, patches } = stage();
    at.service('default/a');
    at.api.fail(() => true, DOWN, { times: Number.POSITIVE_INFINITY });
    for (let i = 0; i < 50; i++) {
      await set(services({ 'default/a': { ...TRUE } }));
      await at.clock.advance(100);
    }
    expect(at.api.requests.length).toBeLessThanOrEqual(4);
    at.api.heal();
    await at.clock.advance(2000);
    expect(patches()).toHaveLength(1);
  });

  it('that forbids one kind keeps the others from nothing', async () => {
    const { at, writer, set, patches } = stage();
    at.service('default/a');
    at.api.fail('bgppeers', failure(403, 'Forbidden', 'bgppeers is forbidden'));
    await set({ ...services({ 'default/a': TRUE }), peers: PersistentMap.from([['p', { paths: 1 }]]) });
    expect(patches()).toHaveLength(1);
    expect(writer.faults()).toMatchObject([{ object: 'BGPPeer' }]);
  });

  it('that forbids to read one kind when a leadership begins is asked again, until it is written', async () => {
    const { at, writer, set, patches } = stage();
    at.api.put(`${CRDS}/bgppeers/p`, { metadata: { name: 'p' } });
    at.api.fail('bgppeers', failure(403, 'Forbidden', 'bgppeers is forbidden'), {
      times: Number.POSITIVE_INFINITY,
    });
    await set({ peers: PersistentMap.from([['p', { paths: 1 }]]) });
    await at.clock.advance(29_000);
    expect([
      at.api.requests.filter(({ path }) => path.includes('bgppeers')).length,
      patches().length,
    ]).toEqual([1, 0]);
    at.api.heal();
    await at.clock.advance(2000);
    expect([patches().length, writer.faults()]).toEqual([1, []]);
  });

  it.each(['services', 'ipaddresspools'])(
    'that forbids to write %s is asked once for all of them, and again after half a minute',
    async (kind) => {
      const { at, writer, set, patches } = stage();
      const names = ['a', 'b', 'c'];
      for (const name of names) {
        at.service(`default/${name}`);
        at.api.put(`${CRDS}/ipaddresspools/${name}`, { metadata: { name } });
      }
      at.api.fail('PATCH', failure(403, 'Forbidden', 'it is forbidden'), {
        times: Number.POSITIVE_INFINITY,
      });
      const wanted: Partial<WantedStatus> =
        kind === 'services'
          ? services({ 'default/a': TRUE, 'default/b': TRUE, 'default/c': TRUE })
          : { pools: PersistentMap.from(names.map((name) => [name, { assignedIPv4: 1 }])) };
      await set(wanted);
      await at.clock.advance(29_000);
      expect([patches().length, writer.faults().length]).toEqual([1, 1]);
      at.api.heal();
      await at.clock.advance(2000);
      expect([patches().length, writer.faults().length]).toEqual([4, 0]);
    },
  );
});

describe('the status of an object of ours', () => {
  const POOL = `${CRDS}/ipaddresspools/p`;
  const statusOf = (at: Stage) => at.api.objects.get(POOL)?.['status'];

  it('is written whole, with generation and times, and what is not wanted goes', async () => {
    const { at, set } = stage();
    at.api.put(POOL, {
      metadata: { name: 'p', generation: 3 },
      status: { assignedIPv6: 9, conditions: [{ ...valid('True')[0], lastTransitionTime: 'then' }] },
    });
    await set(pools({ assignedIPv4: 1, conditions: valid('True') }));
    expect(statusOf(at)).toEqual({
      observedGeneration: 3,
      assignedIPv4: 1,
      conditions: [{ ...valid('True')[0], lastTransitionTime: 'then' }],
    });
    expect(at.api.sent('PATCH')[0]).toMatchObject({
      path: `${POOL}/status`,
      contentType: 'application/merge-patch+json',
    });
  });

  it('is written at most every ten seconds, or each second when a condition changes', async () => {
    const { at, set, patches } = stage();
    at.api.put(POOL, { metadata: { name: 'p' } });
    await set(pools({ assignedIPv4: 0, conditions: valid('True') }));
    for (let i = 1; i <= 19; i++) {
      await at.clock.advance(1000);
      await set(pools({ assignedIPv4: i, conditions: valid('True') }));
    }
    expect(patches()).toHaveLength(2);
    await set(pools({ assignedIPv4: 19, conditions: valid('False') }));
    expect(patches()).toHaveLength(3);
    await set(pools({ assignedIPv4: 19, conditions: valid('True') }));
    expect(patches()).toHaveLength(3);
    await at.clock.advance(1000);
    expect([patches().length, statusOf(at)]).toMatchObject([
      4,
      { assignedIPv4: 19, conditions: valid('True') },
    ]);
    await at.clock.advance(60_000);
    expect([patches().length, at.clock.sleeping]).toEqual([4, 0]);
  });

  it('is written to what is there after somebody edited the object', async () => {
    const { at, set } = stage();
    at.api.put(POOL, { metadata: { name: 'p', generation: 1 } });
    await set(pools({ assignedIPv4: 1 }));
    at.api.put(POOL, { ...at.api.objects.get(POOL), metadata: { name: 'p', generation: 2 } });
    await at.clock.advance(10_000);
    await set(pools({ assignedIPv4: 2 }));
    await at.clock.advance(2000);
    expect(statusOf(at)).toEqual({ observedGeneration: 2, assignedIPv4: 2 });
  });

  it('is the newest that is wanted, though that changed while the object was read', async () => {
    const { at, writer, set } = stage();
    await set({});
    at.api.put(POOL, { metadata: { name: 'p' } });
    const open = Promise.withResolvers<void>();
    at.api.gate = open.promise;
    await set(pools({ assignedIPv4: 1 }));
    writer.set({ ...NOTHING_WANTED, ...pools({ assignedIPv4: 2 }) });
    open.resolve();
    await settled();
    await at.clock.advance(20_000);
    expect(statusOf(at)).toMatchObject({ assignedIPv4: 2 });
  });

  it('says which spec it is about as soon as an edit is decided about, though nothing else changes', async () => {
    const { at, set, behind, patches } = stage();
    const wanted = pools({ assignedIPv4: 1, conditions: valid('True') });
    at.api.put(POOL, { metadata: { name: 'p', generation: 1 } });
    await set(wanted);
    at.api.put(POOL, { ...at.api.objects.get(POOL), metadata: { name: 'p', generation: 2 } });
    behind(true);
    await set(wanted);
    await at.clock.advance(5000);
    expect([patches().length, statusOf(at)]).toMatchObject([1, { observedGeneration: 1 }]);
    behind(false);
    await set(wanted);
    await at.clock.advance(2000);
    expect(statusOf(at)).toMatchObject({ observedGeneration: 2, assignedIPv4: 1 });
    const sent = patches().length;
    await set(wanted);
    await at.clock.advance(60_000);
    expect(patches()).toHaveLength(sent);
  });

  it('of an object that came later is written, and of one that went is dropped', async () => {
    const { at, set } = stage();
    await set(pools({ assignedIPv4: 1 }));
    expect([at.api.sent('PATCH'), at.clock.sleeping]).toEqual([[], 0]);
    at.api.put(POOL, { metadata: { name: 'p' } });
    await set(pools({ assignedIPv4: 2 }));
    expect(statusOf(at)).toEqual({ assignedIPv4: 2 });
    at.api.remove(POOL);
    await at.clock.advance(10_000);
    await set(pools({ assignedIPv4: 3 }));
    await at.clock.advance(5000);
    expect(at.clock.sleeping).toBe(0);
  });
});

describe('an Event', () => {
  it('says what began to hold, once', async () => {
    const { at, set } = stage();
    await set({ events: [event('a', 'PoolExhausted')] });
    await set({ events: [event('a', 'PoolExhausted')] });
    await at.clock.advance(60_000);
    expect(events(at)).toMatchObject([
      {
        apiVersion: 'events.k8s.io/v1',
        kind: 'Event',
        metadata: { namespace: 'default', name: expect.stringMatching(/^a\.[0-9a-f]+$/) },
        eventTime: '2026-11-01T00:00:00.000000Z',
        reportingController: 'heraldbgp.io/herald',
        reportingInstance: 'herald-0',
        action: 'Announce',
        type: 'Warning',
        reason: 'PoolExhausted',
        regarding: { kind: 'Service', namespace: 'default', name: 'a', uid: 'uid-a' },
        note: 'Every pool is out of free addresses.',
      },
    ]);
  });

  it('counts what comes back within minutes, and is a new one later or when the old one expired', async () => {
    const { at, set } = stage();
    const again = async () => {
      await set({});
      await at.clock.advance(10_000);
      await set({ events: [event('a', 'PoolExhausted')] });
    };
    await set({ events: [event('a', 'PoolExhausted')] });
    await again();
    await again();
    expect(events(at)).toMatchObject([
      { series: { count: 3, lastObservedTime: '2026-11-01T00:00:20.000000Z' } },
    ]);
    at.api.objects.clear();
    await again();
    expect(events(at)).toMatchObject([{ reason: 'PoolExhausted' }]);
    await at.clock.advance(360_000);
    await again();
    expect(events(at)).toHaveLength(2);
  });

  it('about an object of the whole cluster stands in the namespace default', async () => {
    const { at, set } = stage();
    await set({ events: [event('p', 'PoolOverlaps', 'IPAddressPool')] });
    expect(events(at)).toMatchObject([{ metadata: { namespace: 'default' } }]);
    expect(events(at)[0]?.['regarding']).not.toHaveProperty('namespace');
  });

  it('is one of at most 25 at once and one each five seconds, for each kind of object', async () => {
    const { at, set } = stage();
    const many = Array.from({ length: 40 }, (_, i) => event(`s${i}`, 'PoolExhausted'));
    await set({ events: [...many, event('p', 'PoolOverlaps', 'IPAddressPool')] });
    expect(events(at)).toHaveLength(26);
    await at.clock.advance(10_000);
    expect(events(at)).toHaveLength(28);
    await set({});
    await at.clock.advance(60_000);
    expect([events(at).length, at.clock.sleeping]).toEqual([28, 0]);
  });

  it('that warns does not wait for news of others', async () => {
    const { at, set } = stage();
    const news = Array.from({ length: 40 }, (_, i) => ({
      ...event(`s${i}`, 'AddressGiven'),
      type: 'Normal' as const,
    }));
    await set({ events: [...news, event('late', 'PoolExhausted')] });
    expect(events(at)).toHaveLength(26);
    expect(events(at)).toContainEqual(expect.objectContaining({ reason: 'PoolExhausted' }));
  });

  it('is not repeated by the next leader when the object says it already', async () => {
    const { at, set } = stage();
    at.service('default/a', { status: { conditions: [written('False', 'PoolExhausted', 'm', 't')] } });
    at.api.put(`${CRDS}/ipaddresspools/p`, {
      metadata: { name: 'p' },
      status: { conditions: [{ type: 'Valid', status: 'False', reason: 'PoolOverlaps', message: 'm' }] },
    });
    await set({
      events: [
        event('a', 'PoolExhausted'),
        event('p', 'PoolOverlaps', 'IPAddressPool'),
        event('b', 'PoolExhausted'),
        event('x', 'Y', 'Node'),
      ],
    });
    expect(events(at).map(({ regarding }) => (regarding as Json)['name'])).toEqual(['b', 'x']);
  });

  it('that is refused is said for as long as it holds; one that nobody took is sent later', async () => {
    const { at, writer, set } = stage();
    at.api.fail('POST', failure(422, 'Invalid', 'the note is too long'));
    await set({ events: [event('a', 'PoolExhausted')] });
    expect(writer.faults()).toMatchObject([{ message: expect.stringContaining('the note is too long') }]);
    at.api.fail('POST', DOWN);
    await set({ events: [event('a', 'PoolExhausted'), event('b', 'PoolExhausted')] });
    expect(events(at)).toEqual([]);
    await at.clock.advance(2000);
    expect(events(at).map(({ regarding }) => (regarding as Json)['name'])).toEqual(['b']);
    expect(writer.faults()).toHaveLength(1);
    await set({ events: [event('b', 'PoolExhausted')] });
    expect(writer.faults()).toEqual([]);
  });

  it('that is forbidden is tried now and then, said in one sentence meanwhile, and told when it may be', async () => {
    const { at, writer, set } = stage();
    at.api.fail('POST', failure(403, 'Forbidden', 'events is forbidden'), { times: 4 });
    await set({ events: [event('a', 'PoolExhausted'), event('b', 'PoolExhausted')] });
    await at.clock.advance(59_000);
    expect([at.api.sent('POST').length, events(at)]).toEqual([4, []]);
    expect(writer.faults()).toMatchObject([{ object: 'Event' }]);
    await at.clock.advance(2000);
    expect([events(at).length, writer.faults()]).toEqual([2, []]);
  });

  it('that a quota forbids keeps no other back', async () => {
    const { at, writer, set } = stage();
    at.api.fail('POST', failure(403, 'Forbidden', 'exceeded quota'));
    await set({ events: [event('a', 'PoolExhausted'), event('b', 'PoolExhausted')] });
    expect(events(at).map(({ regarding }) => (regarding as Json)['name'])).toEqual(['b']);
    await at.clock.advance(30_000);
    expect(events(at).map(({ regarding }) => (regarding as Json)['name'])).toEqual(['b', 'a']);
    expect(writer.faults()).toEqual([]);
  });

  it('that is forbidden is no fault any more when it does not hold any more', async () => {
    const { at, writer, set } = stage();
    at.api.fail('POST', failure(403, 'Forbidden', 'events is forbidden'));
    await set({ events: [event('a', 'PoolExhausted')] });
    expect(writer.faults()).toHaveLength(1);
    await set({});
    expect(writer.faults()).toEqual([]);
    await at.clock.advance(60_000);
    expect(events(at)).toEqual([]);
  });

  it('of a namespace that is being deleted is dropped, and others do not wait for it', async () => {
    const { at, writer, set } = stage();
    const ends = { status: 403, reason: 'Forbidden', causes: ['NamespaceTerminating'] };
    at.api.fail('POST', new ApiError('status', 'it is being terminated', ends));
    await set({ events: [event('a', 'PoolExhausted'), event('b', 'PoolExhausted')] });
    expect(events(at).map(({ regarding }) => (regarding as Json)['name'])).toEqual(['b']);
    expect(writer.faults()).toEqual([]);
  });
});

it('writes nothing after it was closed', async () => {
  const { at, writer, set } = stage();
  at.service('default/a');
  await writer.close();
  await set(services({ 'default/a': TRUE }));
  expect(at.api.requests).toEqual([]);
});
