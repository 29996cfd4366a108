// Which peers are planned, where bgpd keeps them and what people are told: rows of objects and sessions, and
// what happens when they change.

import { describe, expect, test } from 'vitest';
import { prefix, contains, address } from '@herald/net';
import { label } from '../allocate/simulated-cluster.ts';
import { PlanningReplica, UNKNOWN, established, peer, planned, secret } from './peer-objects.ts';
import type { PeerSpec } from './peer-objects.ts';

const PASSWORD = { passwordSecret: { name: 'herald-bgp', key: 'tor' } };
const DUAL: PeerSpec = { families: [4, 6] };

describe('peers with one address', () => {
  test.each([
    ['the older wins', { createdAt: 1 }, { createdAt: 2 }, ['a']],
    ['the older wins, whatever its name', { createdAt: 2 }, { createdAt: 1 }, ['b']],
    ['of equal age the first name wins', {}, {}, ['a']],
    ['another port is no other router to bgpd', {}, { port: 1179 }, ['a']],
    ['another address is another router', {}, { at: '10.0.0.2' }, ['a', 'b']],
  ])('%s', (_, a: PeerSpec, b: PeerSpec, names) => {
    const outcome = new PlanningReplica().peers(peer('b', b), peer('a', a)).plan();
    expect(outcome.plan.peers.map(({ name }) => name)).toEqual(names);
    expect(outcome.peers.map((resolved) => resolved.peer.name)).toEqual(names);
    const losers = [...outcome.verdicts].filter(([, { accepted }]) => !accepted);
    expect(losers.map(([, { reason, instance }]) => [reason, instance])).toEqual(
      names.length === 2 ? [] : [['DuplicatePeerAddress', 'none']],
    );
  });

  test('the loser takes over when the winner goes', () => {
    const replica = new PlanningReplica().peers(peer('a'), peer('b'));
    replica.plan();
    expect(replica.remove('a').plan().verdicts.get('b')).toMatchObject({
      accepted: true,
      reason: 'Accepted',
    });
  });
});

describe('passwords', () => {
  test.each([
    ['no Secret', [], 'SecretMissing', 'Secret herald-bgp does not exist.'],
    [
      'no such key',
      [secret('herald-bgp', { spine: 'x' })],
      'SecretMissing',
      'Secret herald-bgp has no key tor.',
    ],
    [
      'a name from the prototype is no key',
      [secret('herald-bgp', {})],
      'SecretMissing',
      'Secret herald-bgp has no key tor.',
    ],
    [
      'the wrong type',
      [secret('herald-bgp', { tor: 'x' }, 'kubernetes.io/tls')],
      'SecretInvalid',
      'Secret herald-bgp has type kubernetes.io/tls, not Opaque or kubernetes.io/basic-auth.',
    ],
    ['empty', [secret('herald-bgp', { tor: '' })], 'SecretInvalid', 'is empty'],
    ['a line end', [secret('herald-bgp', { tor: 's3cret\n' })], 'SecretInvalid', 'ends with a line end'],
    ['a space', [secret('herald-bgp', { tor: 's3 cret' })], 'SecretInvalid', 'printable ASCII'],
    ['81 characters', [secret('herald-bgp', { tor: 'x'.repeat(81) })], 'SecretInvalid', 'longer than 80'],
  ] as const)('%s: the peer is unresolved, its routes go on', (_, secrets, reason, message) => {
    const outcome = new PlanningReplica()
      .secrets(...secrets)
      .peers(peer('tor', PASSWORD))
      .plan();
    expect(planned(outcome, 'tor')).toMatchObject({ unresolved: true, password: undefined });
    expect(outcome.peers.map((resolved) => resolved.peer.name)).toEqual(['tor']);
    expect(outcome.verdicts.get('tor')).toMatchObject({ accepted: false, reason });
    expect(outcome.verdicts.get('tor')?.message).toContain(message);
    expect(outcome.verdicts.get('tor')?.message).not.toContain('cret\n');
  });

  test('are taken from Opaque and basic-auth Secrets as they are', () => {
    for (const type of ['Opaque', 'kubernetes.io/basic-auth']) {
      const replica = new PlanningReplica().secrets(secret('herald-bgp', { tor: 'x'.repeat(80) }, type));
      const session = planned(replica.peers(peer('tor', PASSWORD)).plan(), 'tor');
      expect(session).toMatchObject({ unresolved: false, password: 'x'.repeat(80) });
    }
  });

  test('a Secret fixed later resolves the peer, and touches no other', () => {
    const replica = new PlanningReplica().peers(peer('a', { at: '10.0.0.2' }), peer('tor', PASSWORD));
    const before = replica.plan();
    const after = replica.secrets(secret('herald-bgp', { tor: 's3cret' })).plan();
    expect(planned(after, 'tor')).toMatchObject({ unresolved: false, password: 's3cret' });
    expect(planned(after, 'a')).toBe(planned(before, 'a'));
    expect(after.peers).toBe(before.peers);
    expect(after.verdicts.get('a')).toBe(before.verdicts.get('a'));
  });
});

describe('ADD-PATH', () => {
  const shared = { kind: 'shared' };
  const view = { kind: 'view' };
  test.each([
    [
      'a router not seen yet',
      DUAL,
      undefined,
      { instance: shared, addPath: { 4: true, 6: true }, reason: 'Accepted' },
    ],
    [
      'a session that is coming up',
      DUAL,
      UNKNOWN,
      { instance: shared, addPath: { 4: true, 6: true }, reason: 'Accepted' },
    ],
    [
      'offered for all',
      DUAL,
      established([4, 6], [4, 6]),
      { instance: shared, addPath: { 4: true, 6: true }, reason: 'Accepted' },
    ],
    [
      'offered for none',
      DUAL,
      established([4, 6], []),
      { instance: view, addPath: { 4: false, 6: false }, reason: 'NoAddPath' },
    ],
    [
      'offered for one family',
      DUAL,
      established([4, 6], [4]),
      { instance: view, addPath: { 4: true, 6: false }, reason: 'NoAddPath' },
    ],
    [
      'one family is not carried at all',
      DUAL,
      established([4], [4]),
      { instance: shared, addPath: { 4: true, 6: true }, reason: 'Accepted' },
    ],
    [
      'not asked for the other family',
      {},
      established([4], [4]),
      { instance: shared, addPath: { 4: true, 6: false }, reason: 'Accepted' },
    ],
    [
      'disabled, whatever is offered',
      { addPaths: { mode: 'Disabled', maxPaths: 16 } },
      established([4], [4]),
      { instance: view, addPath: { 4: false, 6: false }, reason: 'Accepted' },
    ],
  ] as const)('%s', (_, spec: PeerSpec, session, { instance, addPath, reason }) => {
    const outcome = new PlanningReplica().peers(peer('tor', spec)).session('tor', session).plan();
    expect(planned(outcome, 'tor')).toMatchObject({ instance, addPath });
    expect(outcome.peers).toMatchObject([{ instance, addPath }]);
    expect(outcome.verdicts.get('tor')).toMatchObject({ accepted: true, reason, instance: instance.kind });
  });

  test('what was seen is remembered while the session is down, and moves the peer once', () => {
    const replica = new PlanningReplica().peers(peer('tor'));
    replica.plan();
    const moved = replica.session('tor', established([4], [])).plan();
    expect(planned(moved, 'tor').instance).toMatchObject(view);
    for (const state of [undefined, UNKNOWN, established([4], [], { sinceMs: 2_000 })]) {
      const later = replica.session('tor', state).plan();
      expect(later.plan).toBe(moved.plan);
      expect(later.peers).toBe(moved.peers);
    }
  });

  test('a router reconfigured to receive it goes back to the shared instance', () => {
    const replica = new PlanningReplica().peers(peer('tor')).session('tor', established([4], []));
    replica.plan();
    const back = replica.session('tor', established([4], [4], { sinceMs: 2_000 })).plan();
    expect(planned(back, 'tor')).toMatchObject({ instance: shared, addPath: { 4: true, 6: false } });
  });

  test.each([
    ['address', { at: '10.0.0.9' }],
    ['port', { port: 1179 }],
    ['families', DUAL],
    ['UID', { uid: 'another' }],
  ])('a peer with another %s starts anew, whatever the old session still shows', (_, spec) => {
    const replica = new PlanningReplica().peers(peer('tor')).session('tor', established([4], []));
    replica.plan();
    expect(planned(replica.peers(peer('tor', spec)).plan(), 'tor').instance).toEqual(shared);
    // The poll of bgpd makes a new object of the same old session.
    replica.session('tor', established([4], []));
    expect(planned(replica.plan(), 'tor').instance).toEqual(shared);
    replica.session('tor', established([4], [], { sinceMs: 9_000 }));
    expect(planned(replica.plan(), 'tor').instance).toMatchObject(view);
  });

  test('a restarted controller believes the session that it finds', () => {
    const replica = new PlanningReplica().peers(peer('tor')).session('tor', established([4], []));
    const before = replica.plan();
    expect(replica.restart().plan()).toMatchObject({ plan: before.plan, peers: before.peers });
  });
});

const plain = (count: number): PlanningReplica => {
  const peers = Array.from({ length: count }, (_, i) =>
    peer(`p${i}`, { at: `10.0.${i >> 8}.${i & 255}`, addPaths: { mode: 'Disabled', maxPaths: 16 } }),
  );
  return new PlanningReplica().peers(...peers);
};
const feedsOf = (replica: PlanningReplica): string[] =>
  replica
    .plan()
    .plan.peers.map(({ instance }) => (instance.kind === 'view' ? instance.feedAddress.text : ''));

describe('views', () => {
  test('each peer has a view named by its number and a feed address of its own in 127.1.0.0/16', () => {
    // So many that some of the derived addresses are taken.
    const replica = plain(1_000);
    const feeds = feedsOf(replica);
    expect(new Set(feeds).size).toBe(1_000);
    expect(feeds.every((text) => contains(prefix('127.1.0.0/16'), address(text)))).toBe(true);
    for (const { instance, number } of replica.plan().plan.peers) {
      expect(instance).toMatchObject({ name: `plain-${number}` });
    }
    expect(feedsOf(replica.restart())).toEqual(feeds);
  });

  test('nobody else moves when a peer comes or goes', () => {
    const replica = plain(300);
    const before = replica.plan();
    const names = before.plan.peers.map(({ name }) => name).filter((name) => name !== 'p0');
    replica.remove('p0').peers(peer('q', { at: '10.9.0.1', createdAt: -1 }));
    const after = replica.plan();
    for (const name of names) {
      expect(planned(after, name)).toBe(planned(before, name));
    }
  });
});

describe('what a session is configured as', () => {
  test.each([
    ['another AS', { remoteAs: 64999 }, { internal: false, ebgpMultiHop: 255 }],
    ['our own AS', { remoteAs: 64512 }, { internal: true, ebgpMultiHop: undefined }],
    ['internal', { remoteAs: 'internal' as const }, { internal: true, ebgpMultiHop: undefined }],
    ['external', { remoteAs: 'external' as const }, { internal: false, ebgpMultiHop: 255 }],
    ['GTSM rules out a TTL', { ttlSecurityHops: 2 }, { ttlSecurityHops: 2, ebgpMultiHop: undefined }],
    ['a local AS', { localAs: 65001 }, { localAs: 65001 }],
    ['a local AS that is our own', { localAs: 64512 }, { localAs: undefined }],
    ['a local AS towards an internal peer', { remoteAs: 64512, localAs: 65001 }, { localAs: undefined }],
    ['graceful restart off', {}, { gracefulRestart: undefined }],
    [
      'graceful restart on',
      { gracefulRestart: { enabled: true, restartTimeSeconds: 60, longLivedStaleTimeSeconds: 600 } },
      { gracefulRestart: { restartTimeSeconds: 60, longLivedStaleTimeSeconds: 600 } },
    ],
    [
      'timers',
      { holdTimeSeconds: 3, keepaliveTimeSeconds: 1 },
      { holdTimeSeconds: 3, keepaliveTimeSeconds: 1 },
    ],
    ['shutdown stays planned', { shutdown: true }, { shutdown: true }],
  ])('%s', (_, spec: PeerSpec, session) => {
    expect(planned(new PlanningReplica().peers(peer('tor', spec)).plan(), 'tor')).toMatchObject(session);
  });

  test('the plan names Herald itself and is sorted by name', () => {
    const replica = new PlanningReplica().peers(peer('b', { at: '10.0.0.2' }), peer('a', { createdAt: 9 }));
    expect(replica.plan().plan).toMatchObject({ asn: 64512, routerId: { text: '10.0.0.1' } });
    expect(replica.plan().plan.peers.map(({ name }) => name)).toEqual(['a', 'b']);
  });
});

describe('verdicts', () => {
  test('a peer that another replica speaks to', () => {
    const replica = new PlanningReplica().peers(peer('tor', { replicaSelector: label('rack', 'r1') }));
    expect(replica.plan()).toMatchObject({ peers: [], plan: { peers: [] } });
    expect(replica.plan().verdicts.get('tor')).toMatchObject({
      accepted: true,
      reason: 'ReplicaNotSelected',
      instance: 'none',
    });
    expect(replica.labels({ rack: 'r1' }).plan().peers).toHaveLength(1);
  });

  test('a peer that is shut down', () => {
    const { verdicts } = new PlanningReplica().peers(peer('tor', { shutdown: true })).plan();
    expect(verdicts.get('tor')).toMatchObject({ accepted: true, reason: 'PeerShutdown', instance: 'shared' });
  });

  test('a removed peer has none', () => {
    const replica = new PlanningReplica().peers(peer('tor'));
    replica.plan();
    expect(replica.remove('tor').plan().verdicts.size).toBe(0);
  });
});

describe('what did not change is the same reference', () => {
  test('everything, when nothing that peers depend on changed', () => {
    const replica = new PlanningReplica().peers(peer('tor'));
    const first = replica.plan();
    replica.world = { ...replica.world, now: 9, leadership: { leading: false, term: 3 } };
    expect(replica.plan()).toMatchObject({ memory: first.memory });
    expect(replica.plan().memory).toBe(first.memory);
  });

  test('the outcome, when a session flaps or an equal object is relisted', () => {
    const replica = new PlanningReplica().peers(peer('tor'), peer('spine', { at: '10.0.0.2' }));
    const first = replica.plan();
    replica.session('tor', UNKNOWN).peers(peer('spine', { at: '10.0.0.2' }));
    const second = replica.plan();
    expect(second.plan).toBe(first.plan);
    expect(second.peers).toBe(first.peers);
    expect(second.verdicts).toBe(first.verdicts);
  });
});
