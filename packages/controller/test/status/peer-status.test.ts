import { REASONS, type HeraldReplicaStatus } from '@herald/api';
import { describe, expect, test } from 'vitest';

import type { PeerState } from '../../src/status/peer-status.ts';
import type { WantedPeerStatus } from '../../src/status/wanted-status.ts';
import { NO_MEMORY, wantedStatus } from '../../src/status/status.ts';
import { LATER, bgpPeer, byName, inputs, mapOf, peerVerdict } from './status-inputs.ts';
import type { Changes } from './status-inputs.ts';

function state(word: PeerState['state'], changes: Partial<PeerState> = {}): HeraldReplicaStatus {
  return { peers: [{ name: 'tor-1', state: word, ...changes }] };
}

const up = (...addPath: readonly boolean[]): HeraldReplicaStatus =>
  state('Established', {
    families: addPath.map((each, i) => ({
      family: i === 0 ? 'IPv4' : 'IPv6',
      addPath: each,
      gracefulRestart: false,
      pathsAdvertised: 10 * (i + 1),
    })),
  });
const down = (changes: Partial<PeerState> = {}): HeraldReplicaStatus =>
  state('Active', { reason: 'SessionDown', ...changes });

function peerInputs(changes: Changes) {
  return inputs({
    ...changes,
    world: { peers: byName(bgpPeer('tor-1')), ...changes.world },
    decision: { peers: mapOf({ 'tor-1': peerVerdict() }), ...changes.decision },
  });
}

function statusOf(changes: Changes): WantedPeerStatus | undefined {
  return wantedStatus(peerInputs(changes), NO_MEMORY).wanted.peers.get('tor-1');
}

function conditionOf(status: WantedPeerStatus | undefined, type: string) {
  const found = status?.conditions?.find((condition) => condition.type === type);
  return [found?.status, found?.reason];
}

test('a whole status', () => {
  expect(statusOf({ own: up(true), replicas: { 'herald-b': up(true) } })).toEqual({
    sessions: '2/2',
    addPath: 'Yes',
    paths: 10,
    conditions: [
      {
        type: 'Valid',
        status: 'True',
        reason: 'Accepted',
        message: 'The peer is usable.',
      },
      {
        type: 'Established',
        status: 'True',
        reason: 'Established',
        message: 'Every session with the router is established.',
      },
      {
        type: 'AddPath',
        status: 'True',
        reason: 'Negotiated',
        message: 'The router accepts several paths for one prefix.',
      },
    ],
  });
});

describe('sums', () => {
  test.for<{ what: string; changes: Changes; sums: [string, string, number] }>([
    { what: 'no replica', changes: {}, sums: ['0/0', 'Unknown', 0] },
    { what: 'one that is up', changes: { own: up(true) }, sums: ['1/1', 'Yes', 10] },
    { what: 'one that is down', changes: { own: down() }, sums: ['0/1', 'Unknown', 0] },
    {
      what: 'three, one of them down',
      changes: { own: up(true), replicas: { b: down(), c: up(true) } },
      sums: ['2/3', 'Yes', 10],
    },
    {
      what: 'this replica as the API server shows it, out of date',
      changes: { own: up(true), replicas: { 'herald-a': down() } },
      sums: ['1/1', 'Yes', 10],
    },
    { what: 'both families', changes: { own: up(true, true) }, sums: ['1/1', 'Yes', 30] },
    { what: 'one family of two', changes: { own: up(true, false) }, sums: ['1/1', 'Partly', 30] },
    { what: 'no ADD-PATH', changes: { own: up(false) }, sums: ['1/1', 'No', 10] },
    {
      what: 'routers that differ between replicas',
      changes: { own: up(true), replicas: { b: up(false) } },
      sums: ['2/2', 'Partly', 10],
    },
    {
      what: 'a leader without a session',
      changes: { replicas: { b: up(true), c: up(true, true) } },
      sums: ['2/2', 'Yes', 30],
    },
    {
      what: 'a leader that has sent nothing yet',
      changes: { own: down(), replicas: { b: up(true) } },
      sums: ['1/2', 'Yes', 0],
    },
    {
      what: 'a replica that speaks to another router',
      changes: { own: up(true), replicas: { b: { peers: [{ name: 'tor-2', state: 'Active' }] } } },
      sums: ['1/1', 'Yes', 10],
    },
    {
      what: 'a replica that says nothing',
      changes: { own: up(true), replicas: { b: {} } },
      sums: ['1/1', 'Yes', 10],
    },
    {
      what: 'a session that is shut down',
      changes: { own: state('Idle', { reason: 'PeerShutdown' }), replicas: { b: up(true) } },
      sums: ['1/1', 'Yes', 0],
    },
  ])('$what: $sums', ({ changes, sums }) => {
    const status = statusOf(changes);
    expect([status?.sessions, status?.addPath, status?.paths]).toEqual(sums);
  });
});

describe('conditions', () => {
  test.for<{ what: string; changes: Changes; valid: [string, string]; established: [string, string] }>([
    {
      what: 'all well',
      changes: { own: up(true) },
      valid: ['True', 'Accepted'],
      established: ['True', 'Established'],
    },
    {
      what: 'down',
      changes: { own: down() },
      valid: ['True', 'Accepted'],
      established: ['False', 'SessionDown'],
    },
    {
      what: 'down for a reason',
      changes: { own: down({ reason: 'AsnMismatch' }) },
      valid: ['True', 'Accepted'],
      established: ['False', 'AsnMismatch'],
    },
    {
      what: 'an address twice',
      changes: { decision: { peers: mapOf({ 'tor-1': peerVerdict('DuplicatePeerAddress', false) }) } },
      valid: ['False', 'DuplicatePeerAddress'],
      established: ['False', 'DuplicatePeerAddress'],
    },
    {
      what: 'a Secret that is missing while the session runs',
      changes: {
        own: up(true),
        decision: { peers: mapOf({ 'tor-1': peerVerdict('SecretMissing', false) }) },
      },
      valid: ['False', 'SecretMissing'],
      established: ['True', 'Established'],
    },
    {
      what: 'shut down',
      changes: {
        world: { peers: byName(bgpPeer('tor-1', { shutdown: true })) },
        decision: { peers: mapOf({ 'tor-1': peerVerdict('PeerShutdown') }) },
        own: state('Idle', { reason: 'PeerShutdown' }),
      },
      valid: ['True', 'Accepted'],
      established: ['False', 'PeerShutdown'],
    },
    {
      what: 'no replica that is selected',
      changes: { decision: { peers: mapOf({ 'tor-1': peerVerdict('ReplicaNotSelected') }) } },
      valid: ['True', 'Accepted'],
      established: ['False', 'ReplicaNotSelected'],
    },
    {
      what: 'another replica that is selected',
      changes: {
        decision: { peers: mapOf({ 'tor-1': peerVerdict('ReplicaNotSelected') }) },
        replicas: { b: up(true) },
      },
      valid: ['True', 'Accepted'],
      established: ['True', 'Established'],
    },
  ])('$what', ({ changes, valid, established }) => {
    const status = statusOf(changes);
    expect([conditionOf(status, 'Valid'), conditionOf(status, 'Established')]).toEqual([valid, established]);
  });

  test.for<[string, Changes, string, string]>([
    ['all', { own: up(true) }, 'True', 'Negotiated'],
    ['none', { own: up(false) }, 'False', 'NoAddPath'],
    ['some', { own: up(true, false) }, 'False', 'NoAddPath'],
    ['unknown', { own: down() }, 'Unknown', 'SessionDown'],
  ])('ADD-PATH of %s', ([, changes, status, reason]) => {
    expect(conditionOf(statusOf(changes), 'AddPath')).toEqual([status, reason]);
  });

  test('a refusal is told in the sentence of the verdict', () => {
    const peers = mapOf({ 'tor-1': peerVerdict('SecretMissing', false) });
    const [valid] = statusOf({ decision: { peers } })?.conditions ?? [];
    expect(valid?.message).toBe('about SecretMissing');
  });

  test.for([
    { replicas: { b: down() }, message: '1 session is down, among them b' },
    {
      replicas: { b: down({ lastError: 'Hold Timer Expired' }) },
      message: '1 session is down, among them b: Hold Timer Expired',
    },
    { replicas: { c: down(), b: down({ lastError: '' }) }, message: '2 sessions are down, among them b' },
    {
      replicas: { b: down({ lastError: 'x'.repeat(2000) }) },
      message: `1 session is down, among them b: ${'x'.repeat(2000)}`.slice(0, 1024),
    },
  ])('what is down is named: $message', ({ replicas, message }) => {
    expect(statusOf({ own: up(true), replicas })?.conditions?.[1]?.message).toBe(message);
  });

  test('a sentence comes from the list of reasons', () => {
    expect(statusOf({ own: up(false) })?.conditions?.[2]?.message).toBe(REASONS.NoAddPath);
  });
});

describe('over time', () => {
  const first = wantedStatus(peerInputs({ own: up(true), replicas: { b: up(true) } }), NO_MEMORY);

  test('the same is the same reference, whatever the time', () => {
    const again = peerInputs({ world: { now: LATER }, own: up(true), replicas: { b: up(true) } });
    expect(wantedStatus(again, first).wanted).toBe(first.wanted);
  });

  test('only the peer that changed is another reference', () => {
    const peers = byName(bgpPeer('tor-1'), bgpPeer('tor-2'));
    const verdicts = mapOf({ 'tor-1': peerVerdict(), 'tor-2': peerVerdict() });
    const of = (own: HeraldReplicaStatus) => inputs({ world: { peers }, decision: { peers: verdicts }, own });
    const before = wantedStatus(of(up(true)), NO_MEMORY);
    const after = wantedStatus(of(down()), before);
    expect(after.wanted.peers.changedKeys(before.wanted.peers)).toEqual(['tor-1']);
  });

  test('a peer that is gone has no status', () => {
    const gone = inputs({ own: up(true), decision: { peers: mapOf({ 'tor-1': peerVerdict() }) } });
    expect(wantedStatus(gone, first).wanted.peers.size).toBe(0);
  });
});
