// A feed that listens, its peer a script: every octet and every turn of the clock comes from the test. What the
// feed wrote is read back as lines.

import { address, type RouteTable } from '@herald/net';
import { onTestFinished, vi } from 'vitest';
import {
  decode,
  encode,
  Feed,
  MessageFramer,
  negotiate,
  type FeedProblem,
  type FeedSettings,
  type FeedState,
  type Message,
  type Negotiated,
  type OpenMessage,
} from '../../src/index.ts';
import { feedOpen } from '../../src/feed/settings.ts';
import { FULL } from '../receiver.ts';
import { linesOf } from './taken.ts';
import { ScriptedListeners, ScriptedSocket } from './scripted-socket.ts';

export const SETTINGS: FeedSettings = {
  kind: 'listen',
  localAddress: '127.0.0.3',
  remoteAddress: '127.0.0.1',
  port: 1791,
  asn: 65000,
  routerId: address('10.0.0.2'),
  holdTimeSeconds: 30,
  restartTimeSeconds: 4095,
  addPath: 'send',
};

export function remoteOpen(fields: Partial<OpenMessage> = {}): OpenMessage {
  return {
    kind: 'open',
    asn: 65000,
    holdTimeSeconds: 30,
    identifier: address('10.0.0.1'),
    capabilities: FULL,
    ...fields,
  };
}

export const KEEPALIVE: Message = { kind: 'keepalive' };

export class ScriptedFeed {
  readonly listeners = new ScriptedListeners();
  readonly states: FeedState[] = [];
  readonly problems: FeedProblem[] = [];
  readonly synced: RouteTable[] = [];
  readonly feed: Feed;
  readonly #settings: FeedSettings;
  socket = new ScriptedSocket();
  session: Negotiated;

  constructor(settings: Partial<FeedSettings> = {}) {
    this.#settings = { ...SETTINGS, ...settings };
    this.session = negotiate(feedOpen(this.#settings, 'restarted'), remoteOpen());
    this.feed = new Feed(
      this.#settings,
      {
        onState: (state) => this.states.push(state),
        onProblem: (problem) => this.problems.push(problem),
        onSynced: (table) => this.synced.push(table),
      },
      { listeners: this.listeners },
    );
  }

  /** A new connection of the peer. */
  connect(): ScriptedSocket {
    this.socket = new ScriptedSocket();
    this.listeners.connect(this.socket);
    return this.socket;
  }

  /** The peer sends messages, and the feed has read them. */
  async receive(...messages: readonly Message[]): Promise<void> {
    await this.receiveOctets(Buffer.concat(messages.map((message) => encode(message, this.session))));
  }

  async receiveOctets(octets: Uint8Array): Promise<void> {
    this.socket.arrive(octets);
    await turn();
  }

  /** Connection and handshake with a peer that says `open`. */
  async establish(open: OpenMessage = remoteOpen()): Promise<void> {
    this.session = negotiate(feedOpen(this.#settings, 'restarted'), open);
    this.connect();
    await this.receive(open, KEEPALIVE);
  }

  /** What the kernel took of the current connection. */
  get messages(): Message[] {
    const framer = new MessageFramer();
    framer.maximumLength = this.session.maximumLength;
    const readable = { ...this.session, addPathReceive: this.session.addPathSend };
    return Array.from(framer.push(Buffer.concat(this.socket.written)), (frame) => {
      const decoded = frame.ok ? decode(frame.value, readable) : frame;
      if (!decoded.ok) {
        throw new Error(decoded.problem.text);
      }
      return decoded.message;
    });
  }

  /** The same in short. */
  get lines(): string[] {
    return this.messages.flatMap((message) => {
      switch (message.kind) {
        case 'update':
          return linesOf(message);
        case 'notification':
          return [`notification ${message.code}/${message.subcode}`];
        case 'open':
        case 'keepalive':
        case 'route-refresh':
          return [message.kind];
      }
    });
  }
}

/** Streams hand on what they have in the next turn of the event loop. */
export async function turn(): Promise<void> {
  await new Promise<void>((resolve) => {
    setImmediate(resolve);
  });
}

/** The clock stands still until `pass` moves it. */
export function stopClock(): void {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] });
  onTestFinished(() => {
    vi.useRealTimers();
  });
}

/** Timers that are due are told after sockets were read once more, a turn later. */
export async function pass(milliseconds: number): Promise<void> {
  vi.advanceTimersByTime(milliseconds);
  await turn();
  await turn();
}
