// Runs the state machine on real sockets and timers: events from both in, the actions of the machine done.
// Sends and receives messages for whoever owns it and tells the owner what became of the session; knows
// nothing of route tables.

import { connect, type Socket } from 'node:net';
import type { Family } from '@herald/net';
import type {
  SessionAction,
  SessionEvent,
  SessionReason,
  SessionSettings,
  SessionState,
} from '../../fsm/session.ts';
import { IDLE, step } from '../../fsm/step.ts';
import { decode, encode } from '../../wire/codec.ts';
import type { Message } from '../../wire/message.ts';
import { BEFORE_OPEN, type Negotiated } from '../../wire/negotiated.ts';
import type { Outcome } from '../../wire/problem.ts';
import { Connection } from './connection.ts';
import type { Claim, Listeners } from './listeners.ts';
import { SessionTimers } from './timers.ts';

export interface Endpoints {
  readonly localAddress: string;
  readonly remoteAddress: string;
  readonly port: number;
}

export interface SessionOwner {
  /** Asked for at every event: what the OPEN says may change between sessions. */
  sessionSettings(): SessionSettings;
  onBegin(negotiated: Negotiated): void;
  onRefresh(family: Family): void;
  /** The connection takes more. */
  onRoom(): void;
  /** After every event; the state may be the same. */
  onState(state: SessionState): void;
  onReport(reason: SessionReason | 'ListenFailed' | 'StrangerRefused', text: string): void;
}

export class SessionRunner {
  readonly #owner: SessionOwner;
  readonly #endpoints: Endpoints;
  readonly #listeners: Listeners;
  readonly #claim: Claim;
  readonly #timers = new SessionTimers((timer) => {
    this.handle({ kind: 'expired', timer });
  });
  #state: SessionState = IDLE;
  /** Events that came while one was being handled, each with the new connection that it brought. */
  readonly #waiting: [SessionEvent, Socket | undefined][] = [];
  #handling = false;
  #dialled: Socket | undefined;
  #arrived: Socket | undefined;
  #connection: Connection | undefined;
  readonly #farewells = new Set<Promise<void>>();

  constructor(owner: SessionOwner, endpoints: Endpoints, listeners: Listeners) {
    this.#owner = owner;
    this.#endpoints = endpoints;
    this.#listeners = listeners;
    this.#claim = {
      ...endpoints,
      onConnection: (socket) => {
        this.#connected(socket);
      },
      onListenFailed: (text) => owner.onReport('ListenFailed', text),
      onStranger: (address) => owner.onReport('StrangerRefused', `${address} is not the configured peer`),
    };
  }

  get connection(): Connection | undefined {
    return this.#connection;
  }

  /** One event at a time: what is caused by handling one waits for its end. */
  handle(event: SessionEvent, arrived?: Socket): void {
    this.#waiting.push([event, arrived]);
    if (this.#handling) {
      return;
    }
    this.#handling = true;
    for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) {
      this.#transit(...next);
    }
    this.#handling = false;
  }

  /** Resolves when no socket of this session is open any more, within a bounded time after a stop. */
  async ended(): Promise<void> {
    await this.#listeners.release(this.#claim);
    await Promise.all(this.#farewells);
  }

  #transit(event: SessionEvent, arrived: Socket | undefined): void {
    this.#arrived = arrived;
    const { state, actions } = step(this.#owner.sessionSettings(), this.#state, event);
    this.#state = state;
    for (const action of actions) {
      this.#perform(action);
    }
    this.#arrived?.destroy(); // not adopted
    this.#arrived = undefined;
    this.#owner.onState(state);
  }

  #perform(action: SessionAction): void {
    switch (action.kind) {
      case 'dial':
        return this.#dial();
      case 'listen':
        return this.#listeners.claim(this.#claim);
      case 'adopt':
        return this.#adopt();
      case 'drop':
        return this.#drop();
      case 'send':
        return this.#send(action.message);
      case 'start-timer':
        return this.#timers.start(action.timer, action.milliseconds);
      case 'stop-timer':
        return this.#timers.stop(action.timer);
      case 'report':
        return this.#owner.onReport(action.reason, action.text);
      case 'begin':
        return this.#owner.onBegin(action.negotiated);
      case 'refresh':
        return this.#owner.onRefresh(action.family);
    }
  }

  #dial(): void {
    const { localAddress, remoteAddress: host, port } = this.#endpoints;
    const socket = connect({ host, port, localAddress });
    this.#dialled = socket;
    const failed = (error: Error): void => {
      if (this.#dialled === socket) {
        this.#dialled = undefined;
        this.handle({ kind: 'disconnected', text: error.message });
      }
    };
    socket.once('error', failed);
    socket.once('connect', () => {
      socket.off('error', failed);
      this.#dialled = undefined;
      this.#connected(socket);
    });
  }

  #connected(socket: Socket): void {
    socket.on('error', () => undefined); // until somebody listens, an error only closes it
    this.handle({ kind: 'connected' }, socket);
  }

  #adopt(): void {
    const socket = this.#arrived;
    this.#arrived = undefined;
    if (socket !== undefined) {
      this.#connection = new Connection(socket, {
        onFrame: (frame) => this.#received(frame),
        onDrain: () => this.#owner.onRoom(),
        onEnd: (text) => this.handle({ kind: 'disconnected', text }),
      });
    }
  }

  #drop(): void {
    const dialled = this.#dialled;
    this.#dialled = undefined;
    dialled?.destroy();
    const farewell = this.#connection?.finish();
    this.#connection = undefined;
    if (farewell !== undefined) {
      this.#farewells.add(farewell);
      void farewell.finally(() => this.#farewells.delete(farewell));
    }
  }

  #send(message: Message): void {
    this.#connection?.write(encode(message, this.#negotiated()));
  }

  #received(frame: Outcome<Uint8Array>): void {
    const decoded = frame.ok ? decode(frame.value, this.#negotiated()) : frame;
    if (!decoded.ok) {
      this.handle({ kind: 'malformed', problem: decoded.problem });
      return;
    }
    for (const { text, disposition } of decoded.problems) {
      this.#owner.onReport('MalformedMessage', `${text} (${disposition})`);
    }
    this.handle({ kind: 'received', message: decoded.message });
    this.#connection?.allow(this.#negotiated().maximumLength);
  }

  #negotiated(): Negotiated {
    return 'negotiated' in this.#state ? this.#state.negotiated : BEFORE_OPEN;
  }
}
