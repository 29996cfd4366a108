import type { HeraldReplicaStatus } from '@herald/api';
import type { PeerSession, SessionState } from '@herald/decision';
import { describe, expect, test } from 'vitest';

import {
  NO_STATUS,
  replicaStatus,
  type OwnStatus,
  type ReplicaFacts,
} from '../../src/status/replica-status.ts';
import { inView, peer, plan, session, sessions } from '../session-plan.ts';
import {
  LATER,
  LATER_TEXT,
  NOW,
  NOW_TEXT,
  bgpPeer,
  byName,
  decision,
  mapOf,
  peerVerdict,
  table,
  world,
} from './status-inputs.ts';

type PeerState = NonNullable<HeraldReplicaStatus['peers']>[number];

const UP = session('Established', {
  sinceMs: NOW - 60_000,
  addPathReceive: { 4: true, 6: false },
  localAddress: '10.0.0.7',
  connectionsDropped: 2,
});

const sent = (four: number, six = 0) => ({
  instance: 'default',
  pathsSent: { 4: four, 6: six },
  gracefulRestartNegotiated: true,
  holdTimeSeconds: 30,
  connectionsEstablished: 1,
});

interface Setting {
  readonly planned?: PeerSession;
  readonly session?: SessionState | undefined;
  readonly verdict?: ReturnType<typeof peerVerdict>;
  readonly rank?: { mode: 'MED' | 'LocalPref' | 'None'; base: undefined };
  readonly now?: number;
  readonly facts?: Partial<ReplicaFacts>;
}

function facts(setting: Setting = {}): ReplicaFacts {
  const {
    planned = peer('tor-1'),
    verdict = peerVerdict(),
    rank = { mode: 'MED', base: undefined },
    now = NOW,
  } = setting;
  const state = 'session' in setting ? setting.session : UP;
  return {
    world: world({
      now,
      peers: byName(bgpPeer('tor-1', { rank })),
      sessions: sessions(state === undefined ? {} : { 'tor-1': state }),
    }),
    decision: decision({
      sessions: plan(planned),
      peers: mapOf({ 'tor-1': verdict }),
      tables: {
        shared: table({ '198.51.100.1/32': [[0], [0]], '198.51.100.2/32': [[7]] }),
        views: new Map(),
      },
      peerRoutes: mapOf({ 'tor-1': { prefixes: 2, paths: 3, nextHopSets: 2, trimmedPaths: 0 } }),
    }),
    traffic: new Map([['tor-1', sent(3)]]),
    exchange: undefined,
    node: 'cp-1',
    version: '1.2.3',
    freshAtMs: NOW,
    notReady: [],
    ...setting.facts,
  };
}

function stateOf(setting: Setting, before: OwnStatus = NO_STATUS): Partial<PeerState> {
  return replicaStatus(facts(setting), before).status.peers?.[0] ?? {};
}

test('a whole status', () => {
  expect(replicaStatus(facts(), NO_STATUS).status).toEqual({
    role: 'Leader',
    term: 5,
    ordinal: 0,
    node: 'cp-1',
    version: '1.2.3',
    sessions: '1/1',
    prefixes: 2,
    routes: 3,
    nextHopSets: 2,
    lastContact: NOW_TEXT,
    peers: [
      {
        name: 'tor-1',
        address: '192.0.2.2',
        state: 'Established',
        since: '2026-05-01T11:59:00Z',
        localAddress: '10.0.0.7',
        authenticated: 'No',
        fenced: 'Unknown',
        families: [
          { family: 'IPv4', addPath: true, gracefulRestart: true, pathsDesired: 3, pathsAdvertised: 3 },
        ],
        flaps: 2,
      },
    ],
    conditions: [
      {
        type: 'Ready',
        status: 'True',
        lastTransitionTime: NOW_TEXT,
        reason: 'Ready',
        message: 'The replica announces its whole table.',
      },
      {
        type: 'Established',
        status: 'True',
        lastTransitionTime: NOW_TEXT,
        reason: 'Established',
        message: 'Every session is established.',
      },
    ],
  });
});

const down = (state: SessionState['state'], lastError = ''): Setting => ({
  session: session(state, { lastError }),
});

describe('a session', () => {
  test.for<[string, Setting, { [Key in keyof PeerState]?: PeerState[Key] | undefined }]>([
    ['is up', {}, { state: 'Established', reason: undefined }],
    ['is not known to bgpd', { session: undefined }, { state: 'Idle', reason: 'SessionDown', flaps: 0 }],
    ['waits', down('Idle'), { state: 'Active', reason: 'SessionDown' }],
    ['connects', down('Connect'), { state: 'Active', reason: 'SessionDown' }],
    ['is tried', down('Active'), { state: 'Active', reason: 'SessionDown' }],
    ['has sent OPEN', down('OpenSent'), { state: 'Active', reason: 'SessionDown' }],
    ['has confirmed OPEN', down('OpenConfirm'), { state: 'Active', reason: 'SessionDown' }],
    [
      'is shut down',
      { ...down('Idle'), planned: peer('tor-1', { shutdown: true }), verdict: peerVerdict('PeerShutdown') },
      { state: 'Idle', reason: 'PeerShutdown' },
    ],
    [
      'cannot be opened without its Secret',
      {
        ...down('Active'),
        planned: { ...peer('tor-1'), unresolved: true } as PeerSession,
        verdict: peerVerdict('SecretMissing', false),
      },
      { state: 'Idle', reason: 'SecretMissing' },
    ],
    [
      'runs on without its Secret',
      { verdict: peerVerdict('SecretMissing', false) },
      { state: 'Established', reason: 'SecretMissing' },
    ],
    ['has one path', { verdict: peerVerdict('NoAddPath') }, { state: 'Established', reason: 'NoAddPath' }],
    [
      'has one path and is down',
      { ...down('Active'), verdict: peerVerdict('NoAddPath') },
      { reason: 'SessionDown' },
    ],
    ['lacks a family', { planned: peer('tor-1', { families: [4, 6] }) }, { reason: 'FamilyNotNegotiated' }],
    [
      'was sent too much',
      down('Idle', 'BGP Notification received: Cease/Maximum Number of Prefixes Reached'),
      { reason: 'RouteLimitReached' },
    ],
    [
      'has another AS',
      down('Idle', 'BGP Notification send: OPEN Message Error/Bad Peer AS'),
      { reason: 'AsnMismatch' },
    ],
    [
      'collides',
      down('Active', 'BGP Notification received: Cease/Connection collision resolution'),
      {
        reason: 'SessionCollision',
        lastError: 'BGP Notification received: Cease/Connection collision resolution',
      },
    ],
    ['has a password', { session: { ...UP, authenticated: true } }, { authenticated: 'MD5' }],
    ['had an error that is long', down('Active', 'x'.repeat(600)), { lastError: 'x'.repeat(512) }],
  ])('that %s', ([, setting, expected]) => {
    const state = stateOf(setting);
    expect(
      Object.fromEntries(Object.keys(expected).map((key) => [key, state[key as keyof PeerState]])),
    ).toEqual(expected);
  });

  test.for([
    { mode: 'MED', internal: false, fenced: 'Unknown' },
    { mode: 'MED', internal: true, fenced: 'Unknown' },
    { mode: 'LocalPref', internal: true, fenced: 'Yes' },
    { mode: 'LocalPref', internal: false, fenced: 'No' },
    { mode: 'None', internal: true, fenced: 'No' },
  ] as const)('ranked by $mode, internal $internal: fenced $fenced', ({ mode, internal, fenced }) => {
    const setting: Setting = { planned: peer('tor-1', { internal }), rank: { mode, base: undefined } };
    expect(stateOf(setting).fenced).toBe(fenced);
  });

  test('what was sent before it went down is not sent now', () => {
    expect(stateOf({ session: session('Active') }).families).toEqual([
      { family: 'IPv4', addPath: false, gracefulRestart: true, pathsDesired: 3, pathsAdvertised: 0 },
    ]);
  });

  test('in a view has that view to be sent', () => {
    const views = new Map([['plain-7', table({ '198.51.100.1/32': [[]], '2001:db8::1/128': [[]] })]]);
    const shared = table({ '198.51.100.9/32': [[0]] });
    const planned = inView('tor-1', 'plain-7', { families: [4, 6], addPath: { 4: false, 6: false } });
    const base = facts({ planned });
    const { status } = replicaStatus(
      { ...base, decision: { ...base.decision, tables: { shared, views } } },
      NO_STATUS,
    );
    expect(
      status.peers?.[0]?.families?.map((each) => [each.family, each.pathsDesired, each.addPath]),
    ).toEqual([
      ['IPv4', 1, false],
      ['IPv6', 1, false],
    ]);
    expect([status.prefixes, status.routes]).toEqual([3, 3]);
  });
});

describe('sessions are counted', () => {
  test.for<[string, readonly PeerSession[], Readonly<Record<string, SessionState>>, string]>([
    ['none', [], {}, '0/0'],
    ['one of two', [peer('tor-1'), peer('tor-2')], { 'tor-1': UP }, '1/2'],
    ['all', [peer('tor-1'), peer('tor-2')], { 'tor-1': UP, 'tor-2': UP }, '2/2'],
    ['only those that are planned', [peer('tor-1')], { 'tor-1': UP, 'tor-2': UP }, '1/1'],
  ])('%s', ([, peers, states, expected]) => {
    const base = facts();
    const { status } = replicaStatus(
      {
        ...base,
        world: { ...base.world, sessions: sessions(states) },
        decision: { ...base.decision, sessions: plan(...peers), peers: mapOf({}) },
      },
      NO_STATUS,
    );
    expect(status.sessions).toBe(expected);
  });

  test('but not one that is shut down', () => {
    const planned = peer('tor-1', { shutdown: true });
    const { status } = replicaStatus(facts({ planned, verdict: peerVerdict('PeerShutdown') }), NO_STATUS);
    expect(status.sessions).toBe('0/0');
    expect(status.conditions?.[1]?.status).toBe('True');
  });

  test('no more of them than the resource may have', () => {
    const base = facts();
    const many = plan(...Array.from({ length: 300 }, (_, i) => peer(`p${i}`)));
    const { status } = replicaStatus({ ...base, decision: { ...base.decision, sessions: many } }, NO_STATUS);
    expect(status.peers).toHaveLength(256);
  });
});

describe('over time', () => {
  const first = replicaStatus(facts(), NO_STATUS);

  test.for<[string, Setting]>([
    ['time passed', { now: LATER }],
    ['the API server answered', { facts: { freshAtMs: LATER } }],
    ['bgpd counts the time of the session otherwise', { session: { ...UP, sinceMs: NOW - 59_000 } }],
  ])('nothing is said because %s', ([, setting]) => {
    expect(replicaStatus(facts(setting), first).status).toBe(first.status);
  });

  test('nothing is said of a session that is tried in vain', () => {
    const states = ['Active', 'Connect', 'Idle', 'OpenSent', 'Active'] as const;
    let last = replicaStatus(facts({ session: session('Connect') }), first);
    const { status } = last;
    for (const state of states) {
      last = replicaStatus(facts({ session: session(state), now: LATER }), last);
      expect(last.status).toBe(status);
    }
  });

  test('the last contact is said with whatever else there is to say', () => {
    const next = replicaStatus(
      facts({ facts: { traffic: new Map([['tor-1', sent(4)]]), freshAtMs: LATER } }),
      first,
    );
    expect([first.status.lastContact, next.status.lastContact]).toEqual([NOW_TEXT, LATER_TEXT]);
  });

  test('a session that went down is down since then', () => {
    const lost = replicaStatus(
      facts({ session: session('Active', { connectionsDropped: 3 }), now: LATER }),
      first,
    );
    const later = replicaStatus(
      facts({ session: session('Connect', { connectionsDropped: 3 }), now: LATER + 9000 }),
      lost,
    );
    expect([lost.status.peers?.[0]?.since, later.status]).toEqual([LATER_TEXT, lost.status]);
    expect(lost.status.conditions?.map((each) => each.lastTransitionTime)).toEqual([NOW_TEXT, LATER_TEXT]);
  });

  test('a session that was lost and came back between two looks is a new one', () => {
    const back = replicaStatus(facts({ session: { ...UP, sinceMs: LATER, connectionsDropped: 3 } }), first);
    expect(back.status.peers?.[0]).toMatchObject({ since: LATER_TEXT, flaps: 3 });
  });

  test('not ready says the first thing that is missing', () => {
    const notReady = [
      { reason: 'NotSynced', message: 'a' },
      { reason: 'SessionDown', message: 'b' },
    ];
    const { status } = replicaStatus(facts({ facts: { notReady } }), NO_STATUS);
    expect(status.conditions?.[0]).toMatchObject({
      type: 'Ready',
      status: 'False',
      reason: 'NotSynced',
      message: 'a',
    });
  });

  test('a standby says so, and before any contact none is claimed', () => {
    const base = facts({ facts: { freshAtMs: 0 } });
    const leadership = { leading: false, term: 4 };
    const { status } = replicaStatus({ ...base, world: { ...base.world, leadership } }, NO_STATUS);
    expect([status.role, status.term, 'lastContact' in status]).toEqual(['Standby', 4, false]);
  });
});
