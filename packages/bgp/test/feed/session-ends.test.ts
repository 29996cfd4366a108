// A feed against scripted peers: every way in which a session ends, in every state, with what the peer reads and
// what the operator reads.

import { beforeEach, describe, expect, it, vi } from 'vitest';
import { capabilityOf, communicationOf, notification } from '../../src/index.ts';
import { hex } from '../octets.ts';
import { manyRoutes, path } from '../tables.ts';
import { KEEPALIVE, remoteOpen, ScriptedFeed, stopClock, turn } from './scripted-feed.ts';
import { established, started, STATES, WHOLE_SESSION } from './scripted-states.ts';

beforeEach(stopClock);

describe('the connection is lost', () => {
  it.each(STATES)('in %s: said, and waited for a new one', async (kind, reached) => {
    const script = await reached();
    script.socket.destroy(new Error('read ECONNRESET'));
    await turn();
    expect(script.problems).toEqual([{ reason: 'ConnectionLost', text: 'read ECONNRESET' }]);
    expect(script.feed.state).toEqual({ kind: 'connecting' });
    expect(script.feed.counters.sessionsLost).toBe(kind === 'established' ? 1 : 0);
    expect(vi.getTimerCount()).toBe(0);
    await script.establish();
    expect(script.lines).toEqual(WHOLE_SESSION);
  });

  it.each(STATES)('in %s by a NOTIFICATION, which is never answered', async (_, reached) => {
    const script = await reached();
    const before = script.lines;
    await script.receive(notification(6, 4, hex('03 627965')));
    expect(script.lines).toEqual(before);
    expect(script.problems).toEqual([{ reason: 'NotificationReceived', text: 'code 6 subcode 4: bye' }]);
  });
});

describe('a second connection of the peer', () => {
  it.each(STATES)('takes the place of the first in %s, which gets no goodbye', async (_, reached) => {
    const script = await reached();
    const first = script.socket;
    const before = script.lines;
    await script.establish();
    await turn();
    expect(script.lines).toEqual(WHOLE_SESSION);
    expect(script.problems.map(({ reason }) => reason)).toEqual(['ConnectionReplaced']);
    script.socket = first;
    expect(script.lines).toEqual(before);
    expect(first.finished).toBe(true);
  });

  it('is told apart from the first: what the first still sends is not read', async () => {
    const script = await established();
    const first = script.socket;
    await script.establish();
    first.arrive(new Uint8Array(40));
    first.destroy();
    await turn();
    expect(script.feed.state.kind).toBe('established');
    expect(script.problems.map(({ reason }) => reason)).toEqual(['ConnectionReplaced']);
  });
});

describe('closing', () => {
  it.each(STATES)('in %s says Cease with words, and is idle at once', async (_, reached) => {
    const script = await reached();
    const closing = script.feed.close();
    expect(script.feed.state).toEqual({ kind: 'idle' });
    await turn();
    const last = script.messages.at(-1);
    expect(last).toMatchObject({ kind: 'notification', code: 6, subcode: 2 });
    expect(last?.kind === 'notification' && communicationOf(last)).toBe('the feed was closed');
    script.socket.destroy();
    await closing;
    expect(script.listeners.released).toBe(1);
    expect(script.feed.counters.sessionsLost).toBe(0);
    expect(vi.getTimerCount()).toBe(0);
  });

  it.each([
    ['before the first table', () => new ScriptedFeed()],
    ['while it waits for the peer', started],
  ])('%s is over at once', async (_, made) => {
    const script = made();
    await script.feed.close();
    expect(script.feed.state).toEqual({ kind: 'idle' });
    expect(script.listeners.released).toBe(1);
  });

  it('turns away a connection that comes late', async () => {
    const script = started();
    await script.feed.close();
    const late = script.connect();
    await turn();
    expect(late.destroyed).toBe(true);
    expect(script.messages).toEqual([]);
  });

  it('twice is closing once', async () => {
    const script = await established();
    const first = script.feed.close();
    expect(script.feed.close()).toBe(first);
    script.socket.destroy();
    await first;
    expect(script.lines.filter((line) => line.startsWith('notification'))).toHaveLength(1);
  });
});

describe('the R bit', () => {
  it('is set until a session was complete, and never again', async () => {
    const script = started();
    const bits: unknown[] = [];
    const connectAndNote = (): void => {
      script.connect();
      const [open] = script.messages;
      bits.push(open?.kind === 'open' && capabilityOf(open, 'graceful-restart')?.restarting);
    };
    connectAndNote();
    script.socket.destroy();
    await turn();
    connectAndNote();
    await script.receive(remoteOpen(), KEEPALIVE);
    script.socket.destroy();
    await turn();
    connectAndNote();
    expect(bits).toEqual([true, true, false]);
  });

  it('stays set when a session ended before its End-of-RIBs', async () => {
    const script = new ScriptedFeed();
    script.feed.set(manyRoutes(12_000, path(1, '192.0.2.1')));
    const establishing = script.establish();
    script.socket.block();
    await establishing;
    expect(script.feed.state).toMatchObject({ kind: 'established', endOfRibSent: false });
    script.socket.destroy();
    await turn();
    script.connect();
    const [open] = script.messages;
    expect(script.feed.counters.sessionsLost).toBe(1);
    expect(open?.kind === 'open' && capabilityOf(open, 'graceful-restart')?.restarting).toBe(true);
  });
});
