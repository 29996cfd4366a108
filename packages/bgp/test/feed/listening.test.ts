// A feed that bgpd connects to: one path for each prefix, one peer, one server for several feeds.

import { describe, expect, it, vi } from 'vitest';
import { capabilityOf, Listeners } from '../../src/index.ts';
import { expectedLines } from '../model-table.ts';
import { freePort } from '../receiver.ts';
import { manyRoutes } from '../tables.ts';
import { A, B, feedFor, holds, listening, receiverFor, stopTimers, syncedWith, TABLE } from './loopback.ts';

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
      feedFor(receiverFor(), { kind: 'listen', localAddress: '127.0.0.3', port, remoteAddress }, listeners),
    );
    for (const [i, { feed, receiver, synced }] of setups.entries()) {
      const table = manyRoutes(i + 1, A);
      feed.set(table);
      receiver.dial('127.0.0.3', port, peers[i]);
      await receiver.until(() => synced.length > 0);
      await holds(receiver, expectedLines(table));
    }
    const [first, second] = setups;
    await first?.feed.close();
    expect(second?.feed.state.kind).toBe('established');
    expect(setups.flatMap(({ problems }) => problems)).toEqual([]);
  });

  it('says that its port is taken, and listens when it is free', async () => {
    stopTimers();
    const first = await listening();
    first.feed.set(TABLE);
    first.receiver.dial('127.0.0.3', first.port);
    await first.receiver.until(() => first.synced.length > 0);
    const second = feedFor(receiverFor(), { kind: 'listen', localAddress: '127.0.0.3', port: first.port });
    second.feed.set(TABLE);
    await second.receiver.until(() => second.problems.length > 0);
    expect(second.problems[0]?.reason).toBe('ListenFailed');
    await first.feed.close();
    vi.advanceTimersByTime(1000);
    second.receiver.dial('127.0.0.3', first.port);
    await second.receiver.until(() => second.synced.length > 0);
  });
});
