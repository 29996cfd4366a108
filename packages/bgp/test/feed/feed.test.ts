// The feed between two sockets of this process: handshake, first table, changes, loss, back-pressure, goodbye.

import { address, type RouteTable } from '@herald/net';
import { afterEach, describe, expect, it } from 'vitest';
import {
  capabilityOf,
  communicationOf,
  Feed,
  Listeners,
  notification,
  type FeedProblem,
  type FeedSettings,
  type FeedState,
} from '../../src/index.ts';
import { expectedLines } from '../model-table.ts';
import { freePort, FULL, Receiver, type ReceiverOptions } from '../receiver.ts';
import { attributes, manyIpv6Routes, manyRoutes, path, routes, tableOf } from '../tables.ts';

const A = path(1, '192.0.2.1');
const B = path(2, '192.0.2.2');
const TABLE = manyRoutes(20, A, B).with(manyIpv6Routes(10, path(1, '2001:db8::1'), path(2, '2001:db8::2')));
const LAST = '203.0.113.255/32';

const cleanups: (() => unknown)[] = [];

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) {
    await cleanup();
  }
});

interface Setup {
  readonly feed: Feed;
  readonly receiver: Receiver;
  readonly states: FeedState[];
  readonly problems: FeedProblem[];
  readonly synced: RouteTable[];
}

function feedFor(receiver: Receiver, settings: Partial<FeedSettings>, listeners = new Listeners()): Setup {
  const states: FeedState[] = [];
  const problems: FeedProblem[] = [];
  const synced: RouteTable[] = [];
  const note = <T>(list: T[]): ((item: T) => void) => {
    return (item) => {
      list.push(item);
      receiver.poke();
    };
  };
  const feed = new Feed(
    {
      kind: 'dial',
      localAddress: '127.0.0.2',
      remoteAddress: '127.0.0.1',
      port: receiver.port,
      asn: 65000,
      routerId: address('10.0.0.2'),
      holdTimeSeconds: 30,
      restartTimeSeconds: 4095,
      addPath: 'send',
      ...settings,
    },
    { onState: note(states), onProblem: note(problems), onSynced: note(synced) },
    { listeners },
  );
  cleanups.push(() => feed.close());
  return { feed, receiver, states, problems, synced };
}

async function dialling(settings: Partial<FeedSettings> = {}, options: ReceiverOptions = {}): Promise<Setup> {
  const receiver = await new Receiver(options).listen();
  cleanups.push(() => {
    receiver.close();
  });
  return feedFor(receiver, settings);
}

async function listening(settings: Partial<FeedSettings> = {}): Promise<Setup & { port: number }> {
  const receiver = new Receiver();
  const port = await freePort();
  cleanups.push(() => {
    receiver.close();
  });
  const setup = feedFor(receiver, {
    kind: 'listen',
    localAddress: '127.0.0.3',
    addPath: 'none',
    port,
    ...settings,
  });
  return { ...setup, port };
}

async function syncedWith(setup: Setup, table: RouteTable): Promise<void> {
  setup.feed.set(table);
  await setup.receiver.until(() => setup.synced.at(-1) === table);
}

/** The peer has read everything that makes up these lines. */
async function holds({ until, sessions }: Receiver, lines: readonly string[]): Promise<void> {
  await until(() => {
    const table = sessions.at(-1)?.table;
    return table?.size === lines.length && table.lines.join() === lines.join();
  });
}

/** Nothing has moved for many turns of the event loop: the sockets are full. */
async function stuck({ counters }: { readonly counters: () => number }): Promise<void> {
  let last = -1;
  for (let turns = 0; turns < 200; turns++) {
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
    turns = counters() === last ? turns : 0;
    last = counters();
  }
}

/** Each path has an UPDATE of its own, of about 16 kB. */
function bulkyRoutes(count: number): RouteTable {
  const asPath = Array.from({ length: 4000 }, (_, i) => i + 1);
  return tableOf(
    ...Array.from({ length: count }, (_, i) =>
      routes(`10.9.${i >>> 8}.${i & 0xff}/32`, path(1, '192.0.2.1', attributes({ asPath, med: i }))),
    ),
  );
}

function without(...kinds: string[]): ReceiverOptions {
  return { capabilities: FULL.filter(({ kind }) => !kinds.includes(kind)) };
}

describe('a feed that dials', () => {
  it('does nothing before the first table', async () => {
    const { feed, receiver, states } = await dialling();
    expect(feed.state).toEqual({ kind: 'idle' });
    expect(states).toEqual([]);
    expect(receiver.sessions).toEqual([]);
  });

  it('offers what bgpd needs to keep its routes', async () => {
    const setup = await dialling();
    await syncedWith(setup, TABLE);
    const open = setup.receiver.session.remoteOpen;
    expect(open).toMatchObject({ asn: 65000, holdTimeSeconds: 30, identifier: { text: '10.0.0.2' } });
    expect(open && capabilityOf(open, 'graceful-restart')).toEqual({
      kind: 'graceful-restart',
      restarting: true,
      notification: true,
      restartTimeSeconds: 4095,
      families: [
        { afi: 1, safi: 1, forwarding: true },
        { afi: 2, safi: 1, forwarding: true },
      ],
    });
    expect(open?.capabilities.map(({ kind }) => kind)).toEqual([
      'multiprotocol',
      'multiprotocol',
      'route-refresh',
      'extended-message',
      'four-octet-asn',
      'add-path',
      'graceful-restart',
    ]);
  });

  it('comes from its own address', async () => {
    const setup = await dialling();
    await syncedWith(setup, TABLE);
    expect(setup.receiver.session.socket.remoteAddress).toBe('127.0.0.2');
  });

  it('sends the first table, then both End-of-RIBs, and says so', async () => {
    const setup = await dialling();
    await syncedWith(setup, TABLE);
    await setup.receiver.until(() => setup.receiver.session.endsOfRib.length === 2);
    expect(setup.receiver.session.log.slice(-2)).toEqual(['end-of-rib 4', 'end-of-rib 6']);
    expect(setup.receiver.session.table.lines).toEqual(expectedLines(TABLE));
    expect(setup.states.map(({ kind }) => kind)).toEqual([
      'connecting',
      'open-sent',
      'open-confirm',
      'established',
      'established',
    ]);
    expect(setup.states.slice(-2)).toMatchObject([{ endOfRibSent: false }, { endOfRibSent: true }]);
    expect(setup.feed.state).toEqual(setup.states.at(-1));
    expect(setup.problems).toEqual([]);
  });

  it('sends the prefix named last right before the End-of-RIBs', async () => {
    const setup = await dialling({ last: LAST });
    await syncedWith(setup, manyRoutes(3000, A).set(LAST, routes(LAST, A)));
    await setup.receiver.until(() => setup.receiver.session.endsOfRib.length === 2);
    expect(setup.receiver.session.log.slice(-3)).toEqual([`update ${LAST}`, 'end-of-rib 4', 'end-of-rib 6']);
  });

  it('sends changes only, and no second End-of-RIB', async () => {
    const setup = await dialling();
    await syncedWith(setup, TABLE);
    const before = setup.feed.counters;
    const next = TABLE.set('10.0.0.3/32', routes('10.0.0.3/32', B)).set(LAST, routes(LAST, A));
    await syncedWith(setup, next);
    await holds(setup.receiver, expectedLines(next));
    const { counters } = setup.feed;
    expect(counters.prefixesSent - before.prefixesSent).toBe(1);
    expect(counters.withdrawnSent - before.withdrawnSent).toBe(1);
    expect(counters.updatesSent - before.updatesSent).toBe(2);
    expect(setup.receiver.session.endsOfRib).toEqual([4, 6]);
    expect(setup.receiver.sessions).toHaveLength(1);
  });

  it('is in sync at once with a table that says the same', async () => {
    const setup = await dialling();
    await syncedWith(setup, TABLE);
    const before = setup.feed.counters;
    await syncedWith(setup, manyRoutes(20, A, B).with(TABLE));
    expect(setup.feed.counters).toEqual(before);
  });

  it('counts what it sent', async () => {
    const setup = await dialling();
    await syncedWith(setup, TABLE);
    await setup.receiver.until(() => setup.receiver.session.endsOfRib.length === 2);
    expect(setup.feed.counters).toMatchObject({ prefixesSent: 60, withdrawnSent: 0, sessionsLost: 0 });
    expect(setup.feed.counters.updatesSent).toBe(setup.receiver.session.updates);
    expect(setup.feed.counters.bytesSent).toBeGreaterThan(60 * 9);
  });

  it('sends a family again when asked', async () => {
    const setup = await dialling();
    await syncedWith(setup, TABLE);
    const { prefixesSent } = setup.feed.counters;
    setup.receiver.session.send({ kind: 'route-refresh', afi: 1, safi: 1, subtype: 0 });
    await setup.receiver.until(() => setup.receiver.session.log.length > 6);
    expect(setup.feed.counters.prefixesSent - prefixesSent).toBe(40);
    expect(setup.receiver.session.endsOfRib).toEqual([4, 6]);
  });

  it('says which paths it cannot send, once for each next hop', async () => {
    const setup = await dialling();
    const odd = manyRoutes(50, A).with(manyIpv6Routes(50, A, path(2, '2001:db8::2')));
    await syncedWith(setup, odd);
    expect(setup.problems.map(({ reason }) => reason)).toEqual(['NextHopOfOtherFamily']);
    expect(setup.feed.counters.prefixesSent).toBe(100);
  });
});

describe('what bgpd does not offer', () => {
  it('is said, and a prefix gets its first path only, without ADD-PATH', async () => {
    const setup = await dialling({}, without('add-path'));
    await syncedWith(setup, TABLE);
    await holds(setup.receiver, expectedLines(TABLE, []));
    expect(setup.problems.map(({ reason }) => reason)).toEqual([
      'AddPathNotNegotiated',
      'AddPathNotNegotiated',
    ]);
  });

  it('is said, and IPv6 left out, without its family', async () => {
    const [ipv4, , ...rest] = FULL;
    const setup = await dialling({}, { capabilities: ipv4 === undefined ? [] : [ipv4, ...rest] });
    await syncedWith(setup, TABLE);
    await setup.receiver.until(() => setup.receiver.session.endsOfRib.length === 1);
    expect(setup.receiver.session.table.lines).toEqual(expectedLines(TABLE, [4], [4]));
    expect(setup.problems.map(({ reason }) => reason)).toEqual(['FamilyNotNegotiated']);
  });

  it('keeps messages short without extended messages', async () => {
    const setup = await dialling({}, without('extended-message'));
    const table = manyRoutes(5000, A);
    await syncedWith(setup, table); // the receiver throws at a message that is too long
    await holds(setup.receiver, expectedLines(table));
    expect(setup.feed.counters.updatesSent).toBeGreaterThan(10);
  });

  it('ends the session without four-octet AS numbers', async () => {
    const setup = await dialling({}, without('four-octet-asn'));
    setup.feed.set(TABLE);
    await setup.receiver.until(() => setup.receiver.sessions[0]?.notification !== undefined);
    expect(setup.receiver.sessions[0]?.notification).toMatchObject({ code: 2, subcode: 7 });
    expect(setup.problems[0]).toMatchObject({ reason: 'OpenRefused' });
    expect(setup.feed.counters.sessionsLost).toBe(0);
  });

  it('ends the session with another AS', async () => {
    const setup = await dialling({}, { asn: 65009 });
    setup.feed.set(TABLE);
    await setup.receiver.until(() => setup.problems.length > 0);
    expect(setup.problems[0]).toEqual({ reason: 'OpenRefused', text: 'the peer is AS 65009, not 65000' });
  });
});

describe('a lost session', () => {
  it('is dialled again and gets everything again, with its End-of-RIBs', async () => {
    const setup = await dialling({ last: LAST });
    const table = TABLE.set(LAST, routes(LAST, A));
    await syncedWith(setup, table);
    setup.receiver.session.socket.destroy();
    await setup.receiver.until(
      () => setup.receiver.sessions.length === 2 && setup.receiver.session.endsOfRib.length === 2,
    );
    expect(setup.receiver.session.table.lines).toEqual(expectedLines(table));
    expect(setup.receiver.session.log.at(-3)).toBe(`update ${LAST}`);
    expect(setup.feed.counters.sessionsLost).toBe(1);
    expect(setup.problems.map(({ reason }) => reason)).toEqual(['ConnectionLost']);
  });

  it('is not called a restart of ours', async () => {
    const setup = await dialling();
    await syncedWith(setup, TABLE);
    setup.receiver.session.socket.destroy();
    await setup.receiver.until(() => setup.receiver.sessions[1]?.remoteOpen !== undefined);
    const opens = setup.receiver.sessions.map(({ remoteOpen }) => remoteOpen);
    const restarting = opens.map((open) => open && capabilityOf(open, 'graceful-restart')?.restarting);
    expect(restarting).toEqual([true, false]);
  });

  it('gets the newest table, not the one of its time', async () => {
    const setup = await dialling();
    await syncedWith(setup, TABLE);
    setup.receiver.session.socket.destroy();
    await setup.receiver.until(() => setup.feed.state.kind === 'connecting');
    const next = manyRoutes(7, B);
    await syncedWith(setup, next);
    await holds(setup.receiver, expectedLines(next));
    expect(setup.receiver.sessions).toHaveLength(2);
    expect(setup.receiver.session.endsOfRib).toEqual([4, 6]);
  });

  it('says what the peer said', async () => {
    const setup = await dialling();
    await syncedWith(setup, TABLE);
    setup.receiver.session.send(notification(6, 4));
    await setup.receiver.until(() => setup.problems.length > 0);
    expect(setup.problems).toEqual([{ reason: 'NotificationReceived', text: 'code 6 subcode 4' }]);
  });

  it('follows octets that are no message, after the right NOTIFICATION', async () => {
    const setup = await dialling();
    await syncedWith(setup, TABLE);
    const [first] = setup.receiver.sessions;
    first?.socket.write(new Uint8Array(40));
    await setup.receiver.until(() => first?.notification !== undefined && first.ended);
    expect(first?.notification).toMatchObject({ code: 1, subcode: 1 });
    await setup.receiver.until(() => setup.receiver.sessions.length === 2);
    expect(setup.problems).toEqual([{ reason: 'MalformedMessage', text: 'the marker is not all ones' }]);
  });

  it('follows silence longer than the hold time', async () => {
    const setup = await dialling({ holdTimeSeconds: 3 });
    await syncedWith(setup, TABLE);
    const [first] = setup.receiver.sessions;
    await setup.receiver.until(() => first?.notification !== undefined);
    expect(first?.notification).toMatchObject({ code: 4, subcode: 0 });
    expect(setup.problems).toMatchObject([{ reason: 'HoldTimerExpired' }]);
  });

  it('waits for a bgpd that is not there yet', async () => {
    const port = await freePort();
    const receiver = new Receiver();
    cleanups.push(() => {
      receiver.close();
    });
    const setup = feedFor(receiver, { port });
    setup.feed.set(TABLE);
    await receiver.until(() => setup.problems.length > 1);
    expect(setup.problems.every(({ reason }) => reason === 'ConnectFailed')).toBe(true);
    await receiver.listen(port);
    await receiver.until(() => setup.synced.length > 0);
    await holds(receiver, expectedLines(TABLE));
  });
});

describe('routes from bgpd', () => {
  it('are read and ignored, and what is wrong with them is said', async () => {
    const setup = await dialling();
    await syncedWith(setup, TABLE);
    const session = setup.receiver.session;
    const announced = [{ pathId: 0, prefix: { ...manyRoutes(1, A).get('10.0.0.0/32')?.prefix } as never }];
    session.send({
      kind: 'update',
      withdrawn: [],
      attributes: { origin: 'igp', asPath: [], nextHop: address('192.0.2.1'), localPref: 100 },
      announced,
      reach: undefined,
      unreach: undefined,
    });
    session.send({
      kind: 'update',
      withdrawn: [],
      attributes: {},
      announced,
      reach: undefined,
      unreach: undefined,
    });
    await setup.receiver.until(() => setup.problems.length === 4);
    expect(new Set(setup.problems.map(({ reason }) => reason))).toEqual(new Set(['MalformedMessage']));
    expect(setup.problems[0]?.text).toBe('attribute 1 is missing (treat-as-withdraw)');
    expect(setup.feed.state.kind).toBe('established');
  });
});

describe('a bgpd that does not read', () => {
  it('is given what fits, and afterwards the newest table only', async () => {
    const setup = await dialling();
    await syncedWith(setup, TABLE);
    const { prefixesSent } = setup.feed.counters;
    setup.receiver.session.pause();
    setup.feed.set(bulkyRoutes(1500)); // 24 MB, more than sockets hold
    await stuck({ counters: () => setup.feed.counters.bytesSent });
    expect(setup.feed.counters.prefixesSent - prefixesSent).toBeLessThan(1500);
    for (let version = 0; version < 5; version++) {
      setup.feed.set(manyRoutes(1500, path(1, '192.0.2.1', attributes({ med: version }))));
    }
    setup.receiver.session.resume();
    const newest = tableOf(routes(LAST, A));
    await syncedWith(setup, newest);
    await holds(setup.receiver, expectedLines(newest));
    // the five versions between would be 7,500 more
    expect(setup.feed.counters.prefixesSent - prefixesSent).toBeLessThanOrEqual(1501);
    expect(setup.receiver.sessions).toHaveLength(1);
  });

  it('does not make the first table and its End-of-RIBs come out of order', async () => {
    const setup = await dialling({ last: LAST });
    setup.feed.set(manyRoutes(20_000, A, B).set(LAST, routes(LAST, A)));
    await setup.receiver.until(() => setup.receiver.sessions[0]?.remoteOpen !== undefined);
    setup.receiver.session.pause();
    const newest = manyRoutes(20_000, A).set(LAST, routes(LAST, A));
    setup.feed.set(newest);
    setup.receiver.session.resume();
    await setup.receiver.until(() => setup.receiver.session.endsOfRib.length === 2);
    await setup.receiver.until(() => setup.synced.at(-1) === newest);
    await holds(setup.receiver, expectedLines(newest));
    const { log } = setup.receiver.session;
    const end = log.indexOf('end-of-rib 4');
    expect(log[end - 1]).toBe(`update ${LAST}`);
    expect(log[end + 1]).toBe('end-of-rib 6');
  });
});

describe('closing', () => {
  it('says Cease / Administrative Shutdown with words, and frees everything', async () => {
    const setup = await dialling();
    await syncedWith(setup, TABLE);
    await setup.feed.close();
    await setup.receiver.until(() => setup.receiver.session.ended);
    const said = setup.receiver.session.notification;
    expect(said).toMatchObject({ code: 6, subcode: 2 });
    expect(said && communicationOf(said)).toBe('the feed was closed');
    expect(setup.feed.state).toEqual({ kind: 'idle' });
    expect(setup.feed.counters.sessionsLost).toBe(0);
  });

  it('sends what was written before', async () => {
    const setup = await dialling();
    await syncedWith(setup, TABLE);
    const next = manyRoutes(500, B);
    setup.feed.set(next);
    await setup.feed.close();
    await setup.receiver.until(() => setup.receiver.session.ended);
    expect(setup.receiver.session.table.lines).toEqual(expectedLines(next));
  });

  it('ends within a bounded time when the peer does not read', async () => {
    const setup = await dialling();
    await syncedWith(setup, TABLE);
    setup.receiver.session.pause();
    setup.feed.set(bulkyRoutes(1500));
    await stuck({ counters: () => setup.feed.counters.bytesSent });
    await setup.feed.close();
    expect(setup.feed.state).toEqual({ kind: 'idle' });
  });

  it('is final: a later table dials nobody', async () => {
    const setup = await dialling();
    await syncedWith(setup, TABLE);
    await setup.feed.close();
    setup.feed.set(manyRoutes(3, A));
    expect(setup.feed.state).toEqual({ kind: 'idle' });
    await expect(setup.feed.close()).resolves.toBeUndefined();
    expect(setup.receiver.sessions).toHaveLength(1);
  });

  it('works before anything was set, while dialling and while pausing', async () => {
    const unused = await dialling();
    await unused.feed.close();
    const early = await dialling();
    early.feed.set(TABLE);
    await early.feed.close();
    const refused = feedFor(new Receiver(), { port: await freePort() });
    refused.feed.set(TABLE);
    await refused.receiver.until(() => refused.problems.length > 0);
    await refused.feed.close();
    expect([unused, early, refused].map(({ feed }) => feed.state.kind)).toEqual(['idle', 'idle', 'idle']);
  });
});

describe('a feed that listens', () => {
  it('sends one path for each prefix, without identifiers', async () => {
    const setup = await listening();
    setup.feed.set(TABLE);
    setup.receiver.dial('127.0.0.3', setup.port);
    await setup.receiver.until(() => setup.synced.length > 0);
    await setup.receiver.until(() => setup.receiver.session.endsOfRib.length === 2);
    expect(setup.receiver.session.table.lines).toEqual(expectedLines(TABLE, []));
    const open = setup.receiver.session.remoteOpen;
    expect(open && capabilityOf(open, 'add-path')).toBeUndefined();
    expect(setup.problems).toEqual([]);
  });

  it('moves a prefix from one path to another without a withdrawal', async () => {
    const setup = await listening();
    setup.feed.set(manyRoutes(5, A, B));
    setup.receiver.dial('127.0.0.3', setup.port);
    await setup.receiver.until(() => setup.synced.length > 0);
    await syncedWith(setup, manyRoutes(5, B));
    await holds(setup.receiver, expectedLines(manyRoutes(5, B), []));
    expect(setup.feed.counters.withdrawnSent).toBe(0);
  });

  it('takes the peer again after a loss', async () => {
    const setup = await listening();
    setup.feed.set(TABLE);
    setup.receiver.dial('127.0.0.3', setup.port);
    await setup.receiver.until(() => setup.synced.length > 0);
    setup.receiver.session.socket.destroy();
    await setup.receiver.until(() => setup.feed.state.kind === 'connecting');
    setup.receiver.dial('127.0.0.3', setup.port);
    await setup.receiver.until(() => setup.receiver.sessions[1]?.endsOfRib.length === 2);
    expect(setup.receiver.session.table.lines).toEqual(expectedLines(TABLE, []));
    expect(setup.feed.counters.sessionsLost).toBe(1);
  });

  it('prefers a new connection of the peer to one that is dead', async () => {
    const setup = await listening();
    setup.feed.set(TABLE);
    setup.receiver.dial('127.0.0.3', setup.port);
    await setup.receiver.until(() => setup.receiver.sessions[0]?.endsOfRib.length === 2);
    setup.receiver.dial('127.0.0.3', setup.port);
    await setup.receiver.until(() => setup.receiver.sessions[1]?.endsOfRib.length === 2);
    await setup.receiver.until(() => setup.receiver.sessions[0]?.ended === true);
    expect(setup.problems.map(({ reason }) => reason)).toEqual(['ConnectionReplaced']);
    expect(setup.receiver.session.table.lines).toEqual(expectedLines(TABLE, []));
  });

  it('turns away everybody else', async () => {
    const setup = await listening();
    setup.feed.set(TABLE);
    setup.receiver.dial('127.0.0.3', setup.port, '127.0.0.9');
    await setup.receiver.until(() => setup.problems.length > 0);
    expect(setup.problems[0]).toEqual({
      reason: 'StrangerRefused',
      text: '127.0.0.9 is not the configured peer',
    });
    await setup.receiver.until(() => setup.receiver.sessions[0]?.ended === true);
    expect(setup.receiver.session.remoteOpen).toBeUndefined();
    setup.receiver.dial('127.0.0.3', setup.port);
    await setup.receiver.until(() => setup.receiver.sessions.at(-1)?.endsOfRib.length === 2);
  });

  it('shares an address and port with a feed for another peer', async () => {
    const listeners = new Listeners();
    const port = await freePort();
    const peers = ['127.0.0.1', '127.0.0.9'];
    const setups = peers.map((remoteAddress) =>
      feedFor(new Receiver(), { kind: 'listen', localAddress: '127.0.0.3', port, remoteAddress }, listeners),
    );
    for (const [i, { feed, receiver, synced }] of setups.entries()) {
      const table = manyRoutes(i + 1, A);
      feed.set(table);
      receiver.dial('127.0.0.3', port, peers[i]);
      await receiver.until(() => synced.length > 0);
      await holds(receiver, expectedLines(table));
      cleanups.push(() => {
        receiver.close();
      });
    }
    const [first, second] = setups;
    await first?.feed.close();
    expect(second?.feed.state.kind).toBe('established');
    expect(setups.flatMap(({ problems }) => problems)).toEqual([]);
  });

  it('says that its port is taken, and listens when it is free', async () => {
    const first = await listening();
    first.feed.set(TABLE);
    first.receiver.dial('127.0.0.3', first.port);
    await first.receiver.until(() => first.synced.length > 0);
    const second = feedFor(new Receiver(), { kind: 'listen', localAddress: '127.0.0.3', port: first.port });
    cleanups.push(() => {
      second.receiver.close();
    });
    second.feed.set(TABLE);
    await second.receiver.until(() => second.problems.length > 0);
    expect(second.problems[0]?.reason).toBe('ListenFailed');
    await first.feed.close();
    second.receiver.dial('127.0.0.3', first.port);
    await second.receiver.until(() => second.synced.length > 0);
  });
});
