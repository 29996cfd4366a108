// What a feed does when time passes and nothing else happens: keepalives, the hold timer, the wait for an OPEN.

import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { Timer } from '../../src/index.ts';
import { SessionTimers } from '../../src/feed/io/timers.ts';
import { path, routes, tableOf } from '../tables.ts';
import { KEEPALIVE, pass, remoteOpen, ScriptedFeed, stopClock, turn } from './scripted-feed.ts';

const TABLE = tableOf(routes('198.51.100.7/32', path(1, '192.0.2.1')));

beforeEach(stopClock);

async function established(ours: number, theirs: number): Promise<ScriptedFeed> {
  const script = new ScriptedFeed({ holdTimeSeconds: ours });
  script.feed.set(TABLE);
  await script.establish(remoteOpen({ holdTimeSeconds: theirs }));
  await turn();
  return script;
}

function count(script: ScriptedFeed, line: string): number {
  return script.lines.filter((each) => each === line).length;
}

describe('keepalives', () => {
  it.each([
    [30, 30, 10_000],
    [30, 9, 3000],
    [3, 180, 1000],
    [180, 90, 30_000],
  ])('of hold times %i s and %i s come every %i ms', async (ours, theirs, everyMs) => {
    const script = await established(ours, theirs);
    expect(count(script, 'keepalive')).toBe(1); // the one of the handshake
    await pass(everyMs - 1);
    expect(count(script, 'keepalive')).toBe(1);
    await pass(1);
    expect(count(script, 'keepalive')).toBe(2);
    await pass(everyMs);
    expect(count(script, 'keepalive')).toBe(3);
  });

  it.each([
    [0, 30],
    [30, 0],
    [0, 0],
  ])('of hold times %i s and %i s do not exist, and nothing expires', async (ours, theirs) => {
    const script = await established(ours, theirs);
    expect(vi.getTimerCount()).toBe(0);
    await pass(86_400_000);
    expect(count(script, 'keepalive')).toBe(1);
    expect(script.feed.state.kind).toBe('established');
  });

  it('come between the OPEN and the first KEEPALIVE of the peer too', async () => {
    const script = new ScriptedFeed();
    script.feed.set(TABLE);
    script.connect();
    await script.receive(remoteOpen());
    await pass(10_000);
    expect(script.lines).toEqual(['open', 'keepalive', 'keepalive']);
  });
});

describe('the hold timer', () => {
  it.each([
    [30, 30, 30_000],
    [30, 3, 3000],
    [9, 180, 9000],
  ])('of %i s and %i s ends the session after %i ms of silence', async (ours, theirs, holdMs) => {
    const script = await established(ours, theirs);
    await pass(holdMs - 1);
    expect(script.feed.state.kind).toBe('established');
    await pass(1);
    expect(script.lines.at(-1)).toBe('notification 4/0');
    expect(script.problems).toEqual([
      { reason: 'HoldTimerExpired', text: 'the peer was silent for the hold time' },
    ]);
    expect(script.feed.state).toEqual({ kind: 'connecting' });
    expect(script.feed.counters.sessionsLost).toBe(1);
  });

  const signs = [
    ['a KEEPALIVE', KEEPALIVE],
    ['a ROUTE-REFRESH', { kind: 'route-refresh', afi: 1, safi: 1, subtype: 0 }],
    [
      'an UPDATE',
      { kind: 'update', withdrawn: [], attributes: {}, announced: [], reach: undefined, unreach: undefined },
    ],
  ] as const;

  it.each(signs)('starts again with %s', async (_, sign) => {
    const script = await established(30, 30);
    await pass(29_999);
    await script.receive(sign);
    await pass(29_999);
    expect(script.feed.state.kind).toBe('established');
    await pass(1);
    expect(script.feed.state.kind).toBe('connecting');
  });

  it('does not start again with what we send', async () => {
    const script = await established(30, 30);
    await pass(29_000);
    script.feed.set(tableOf());
    await pass(1000);
    expect(script.feed.state.kind).toBe('connecting');
  });

  it('is forgiven when the peer spoke before we looked', async () => {
    const script = await established(30, 30);
    vi.advanceTimersByTime(30_000); // this process was held up, the keepalive waits in the socket
    await script.receive(KEEPALIVE);
    await turn();
    expect(script.feed.state.kind).toBe('established');
    expect(script.problems).toEqual([]);
  });

  it('gives the peer a minute for its OPEN', async () => {
    const script = new ScriptedFeed({ holdTimeSeconds: 3 });
    script.feed.set(TABLE);
    script.connect();
    await pass(59_999);
    expect(script.feed.state.kind).toBe('open-sent');
    await pass(1);
    expect(script.lines).toEqual(['open', 'notification 4/0']);
    expect(script.problems).toEqual([{ reason: 'HoldTimerExpired', text: 'the peer sent no OPEN' }]);
  });

  it('runs from the OPEN on', async () => {
    const script = new ScriptedFeed();
    script.feed.set(TABLE);
    script.connect();
    await script.receive(remoteOpen());
    await pass(30_000);
    expect(script.lines.at(-1)).toBe('notification 4/0');
    expect(script.feed.counters.sessionsLost).toBe(0);
  });
});

describe('the time of a session', () => {
  it('is when it was established, and that of the next one later', async () => {
    const script = await established(30, 30);
    const first = Date.now();
    expect(script.feed.state).toMatchObject({ sinceMs: first });
    await pass(5000);
    script.socket.destroy();
    await turn();
    await script.establish();
    expect(script.feed.state).toMatchObject({ kind: 'established', sinceMs: first + 5000 });
  });

  it('tells a state only when it differs', async () => {
    const script = await established(30, 30);
    const before = script.states.length;
    await script.receive(KEEPALIVE, KEEPALIVE);
    await pass(10_000);
    script.feed.set(tableOf());
    await turn();
    expect(script.states).toHaveLength(before);
    expect(script.states.map(({ kind }) => kind)).toEqual([
      'connecting',
      'open-sent',
      'open-confirm',
      'established',
      'established',
    ]);
  });
});

function timers(): { timers: SessionTimers; expired: Timer[] } {
  const expired: Timer[] = [];
  return { timers: new SessionTimers((timer) => expired.push(timer)), expired };
}

describe('the three timers', () => {
  it('expire once, each for itself', async () => {
    const { timers: running, expired } = timers();
    running.start('hold', 300);
    running.start('keepalive', 100);
    running.start('connect-retry', 200);
    await pass(1000);
    expect(expired).toEqual(['keepalive', 'connect-retry', 'hold']);
    await pass(1000);
    expect(expired).toHaveLength(3);
  });

  it('start again: the old expiry is forgotten, even one that is due', async () => {
    const { timers: running, expired } = timers();
    running.start('hold', 100);
    vi.advanceTimersByTime(100);
    running.start('hold', 100);
    await turn();
    await turn();
    expect(expired).toEqual([]);
    await pass(100);
    expect(expired).toEqual(['hold']);
  });

  it('stop, even one that is due', async () => {
    const { timers: running, expired } = timers();
    running.start('hold', 100);
    running.start('keepalive', 100);
    running.stop('keepalive');
    vi.advanceTimersByTime(100);
    running.stop('hold');
    running.stop('connect-retry'); // it never ran
    await turn();
    await turn();
    expect(expired).toEqual([]);
    expect(vi.getTimerCount()).toBe(0);
  });
});
