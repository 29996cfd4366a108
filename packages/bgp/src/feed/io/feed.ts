// A feed: the whole route table in, as often as wanted, and a bgpd that holds it. Owns a session and lets the
// outbox fill its socket whenever there is room.
//
// Nothing is dialled before the first table. A lost session is followed by a new one that gets everything
// again; bgpd keeps the old routes meanwhile (graceful restart). Routes that bgpd sends are read and ignored.

import { PersistentMap, type Family, type PrefixRoutes, type RouteTable } from '@herald/net';
import type { SessionSettings, SessionState } from '../../fsm/session.ts';
import { encodeUpdate } from '../../wire/update.ts';
import type { UpdateMessage } from '../../wire/message.ts';
import type { Negotiated } from '../../wire/negotiated.ts';
import { Outbox } from '../outbox.ts';
import type { Refusal } from '../pack.ts';
import {
  feedOpen,
  feedState,
  shortfalls,
  type FeedCounters,
  type FeedEvents,
  type FeedProblemReason,
  type FeedSettings,
  type FeedState,
} from '../settings.ts';
import type { Connection } from './connection.ts';
import { Listeners } from './listeners.ts';
import { SessionRunner, type SessionOwner } from './session-runner.ts';

export interface FeedOptions {
  /** Shared by feeds that listen on the same address and port for different remote addresses. */
  readonly listeners?: Listeners;
}

/** What exists only while a session is established. */
interface Delivery {
  readonly negotiated: Negotiated;
  readonly outbox: Outbox;
  readonly sinceMs: number;
  /** Refusals already told: a table of 200,000 refused paths is one problem and not as many. */
  readonly refused: Set<string>;
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

export class Feed {
  readonly #settings: FeedSettings;
  readonly #events: FeedEvents;
  readonly #runner: SessionRunner;
  readonly #counters: Mutable<FeedCounters> = {
    updatesSent: 0,
    prefixesSent: 0,
    withdrawnSent: 0,
    bytesSent: 0,
    sessionsLost: 0,
  };
  #state: FeedState = { kind: 'idle' };
  #table: RouteTable = PersistentMap.empty<PrefixRoutes>();
  #delivery: Delivery | undefined;
  /** A `set` or a new session whose end has not been told yet. */
  #syncOwed = false;
  #hadCompleteSession = false;
  #closing: Promise<void> | undefined;

  constructor(settings: FeedSettings, events: FeedEvents, options: FeedOptions = {}) {
    this.#settings = settings;
    this.#events = events;
    this.#runner = new SessionRunner(this.#owner(), settings, options.listeners ?? new Listeners());
  }

  get state(): FeedState {
    return this.#state;
  }

  get counters(): FeedCounters {
    return { ...this.#counters };
  }

  /** The latest table wins. The first one starts the session. */
  set(table: RouteTable): void {
    if (this.#closing !== undefined) {
      return;
    }
    this.#table = table;
    this.#syncOwed = true;
    this.#delivery?.outbox.set(table);
    if (this.#state.kind === 'idle') {
      this.#runner.handle({ kind: 'start' });
    }
    this.#pump();
  }

  /** Cease / Administrative Shutdown, then closes, within about a second. Afterwards `set` does nothing. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    this.#runner.handle({ kind: 'stop', communication: 'the feed was closed' });
    await this.#runner.ended();
  }

  #owner(): SessionOwner {
    return {
      sessionSettings: () => this.#sessionSettings(),
      onBegin: (negotiated) => {
        this.#begin(negotiated);
      },
      onRefresh: (family) => {
        this.#refresh(family);
      },
      onRoom: () => {
        this.#pump();
      },
      onState: (state) => {
        this.#sessionIs(state);
      },
      onReport: (reason, text) => {
        this.#report(reason, text);
      },
    };
  }

  #sessionSettings(): SessionSettings {
    const { kind: role, asn: remoteAsn } = this.#settings;
    const start = this.#hadCompleteSession ? 'reconnecting' : 'restarted';
    return { role, remoteAsn, open: feedOpen(this.#settings, start) };
  }

  #begin(negotiated: Negotiated): void {
    const outbox = new Outbox(negotiated, this.#table, this.#settings.last);
    this.#delivery = { negotiated, outbox, sinceMs: Date.now(), refused: new Set() };
    this.#syncOwed = true;
    const { families, addPathSend } = negotiated;
    for (const { reason, text } of shortfalls(this.#settings, families, addPathSend)) {
      this.#report(reason, text);
    }
  }

  #refresh(family: Family): void {
    this.#delivery?.outbox.refresh(family);
    this.#pump();
  }

  #sessionIs(state: SessionState): void {
    if (state.kind !== 'established' && this.#delivery !== undefined) {
      this.#delivery = undefined;
      this.#counters.sessionsLost += state.kind === 'idle' ? 0 : 1;
    }
    const { sinceMs = 0, outbox } = this.#delivery ?? {};
    this.#tell(feedState(state, sinceMs, outbox?.endOfRibSaid ?? false));
    this.#pump(); // a new session starts here
  }

  #tell(state: FeedState): void {
    const before = this.#state;
    this.#state = state;
    const same =
      before.kind === 'established' && state.kind === 'established'
        ? before.sinceMs === state.sinceMs && before.endOfRibSent === state.endOfRibSent
        : before.kind === state.kind;
    if (!same) {
      this.#events.onState(state);
    }
  }

  /** Writes until the socket is full or everything is said. */
  #pump(): void {
    const connection = this.#runner.connection;
    const delivery = this.#delivery;
    if (connection === undefined || delivery === undefined || !connection.hasRoom) {
      return;
    }
    let complete = false;
    connection.together(() => {
      complete = this.#fill(connection, delivery);
    });
    if (complete) {
      this.#allSaid(delivery);
    }
  }

  /** Whether the outbox has nothing more to say. */
  #fill(connection: Connection, delivery: Delivery): boolean {
    for (;;) {
      const next = delivery.outbox.next();
      if (next === undefined) {
        return true;
      }
      if (next.kind === 'refusal') {
        this.#refused(next, delivery);
      } else if (!this.#write(next, connection, delivery)) {
        return false;
      }
    }
  }

  #write(message: UpdateMessage, connection: Connection, { negotiated }: Delivery): boolean {
    const bytes = encodeUpdate(message, negotiated.addPathSend);
    const counters = this.#counters;
    counters.updatesSent += 1;
    counters.bytesSent += bytes.length;
    counters.prefixesSent += message.announced.length + (message.reach?.nlri.length ?? 0);
    counters.withdrawnSent += message.withdrawn.length + (message.unreach?.nlri.length ?? 0);
    return connection.write(bytes, () => {
      this.#taken(connection);
    });
  }

  #allSaid({ sinceMs, outbox }: Delivery): void {
    this.#hadCompleteSession ||= outbox.endOfRibSaid;
    this.#tell({ kind: 'established', sinceMs, endOfRibSent: outbox.endOfRibSaid });
    queueMicrotask(() => {
      this.#taken(this.#runner.connection);
    });
  }

  /** The kernel took octets: if these were the last ones, what was owed is done. */
  #taken(connection: Connection | undefined): void {
    const flushed =
      connection !== undefined && connection === this.#runner.connection && connection.isFlushed;
    if (this.#syncOwed && flushed && this.#delivery?.outbox.isDone === true) {
      this.#syncOwed = false;
      this.#events.onSynced(this.#table);
    }
  }

  #refused({ reason, prefix, path }: Refusal, { refused }: Delivery): void {
    const key = `${reason} ${path.nextHop.text}`;
    if (!refused.has(key)) {
      refused.add(key);
      this.#report(reason, `${prefix.text} by ${path.nextHop.text} cannot be announced`);
    }
  }

  #report(reason: FeedProblemReason, text: string): void {
    this.#events.onProblem({ reason, text });
  }
}
