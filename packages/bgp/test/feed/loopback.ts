// A feed and a receiver between two sockets of this process. Waiting is for events of either; the clock of timers
// stands still where a test says so and is moved by hand.

import { address, type RouteTable } from '@herald/net';
import { onTestFinished, vi } from 'vitest';
import { Feed, Listeners, type FeedProblem, type FeedSettings, type FeedState } from '../../src/index.ts';
import { freePort, FULL, Receiver, type ReceiverOptions } from '../receiver.ts';
import { manyIpv6Routes, manyRoutes, path } from '../tables.ts';

export const A = path(1, '192.0.2.1');
export const B = path(2, '192.0.2.2');
export const TABLE = manyRoutes(20, A, B).with(
  manyIpv6Routes(10, path(1, '2001:db8::1'), path(2, '2001:db8::2')),
);
export const LAST = '203.0.113.255/32';

export interface Setup {
  readonly feed: Feed;
  readonly receiver: Receiver;
  readonly states: FeedState[];
  readonly problems: FeedProblem[];
  readonly synced: RouteTable[];
}

export function receiverFor(options: ReceiverOptions = {}): Receiver {
  const receiver = new Receiver(options);
  onTestFinished(() => {
    receiver.close();
  });
  return receiver;
}

export function feedFor(
  receiver: Receiver,
  settings: Partial<FeedSettings>,
  listeners = new Listeners(),
): Setup {
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
  onTestFinished(() => feed.close());
  return { feed, receiver, states, problems, synced };
}

export async function dialling(
  settings: Partial<FeedSettings> = {},
  options: ReceiverOptions = {},
): Promise<Setup> {
  return feedFor(await receiverFor(options).listen(), settings);
}

export async function listening(settings: Partial<FeedSettings> = {}): Promise<Setup & { port: number }> {
  const port = await freePort();
  const setup = feedFor(receiverFor(), {
    kind: 'listen',
    localAddress: '127.0.0.3',
    addPath: 'none',
    port,
    ...settings,
  });
  return { ...setup, port };
}

export async function syncedWith(setup: Setup, table: RouteTable): Promise<void> {
  setup.feed.set(table);
  await setup.receiver.until(() => setup.synced.at(-1) === table);
}

/** The peer has read everything that makes up these lines. */
export async function holds({ until, sessions }: Receiver, lines: readonly string[]): Promise<void> {
  await until(() => {
    const table = sessions.at(-1)?.table;
    return table?.size === lines.length && table.lines.join() === lines.join();
  });
}

/** Everything but these capabilities. */
export function without(...kinds: string[]): ReceiverOptions {
  return { capabilities: FULL.filter(({ kind }) => !kinds.includes(kind)) };
}

/** Timers run only when `vi.advanceTimersByTime` moves them; sockets go on as ever. */
export function stopTimers(): void {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => {
    vi.useRealTimers();
  });
}

/** The pause before the next dial is over; a turn later the feed dials. */
export async function redial({ feed, receiver }: Setup, pauseMs: number): Promise<void> {
  await receiver.until(() => feed.state.kind === 'connecting');
  vi.advanceTimersByTime(pauseMs);
}
