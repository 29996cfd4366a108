// The feeds: one for bgpd's default instance and one for each view, each given its whole table. Tables in,
// sessions with bgpd out. A view that is no longer among the tables keeps its feed and its last table for as long
// as bgpd runs it: its router is to lose the routes with the session, not before. The marker is added here, as
// the last entry of every table.

import {
  Feed,
  Listeners,
  type FeedCounters,
  type FeedProblem,
  type FeedSettings,
  type FeedState,
} from '@herald/bgp';
import type { Settings } from '@herald/api';
import type { Decision } from '@herald/decision';
import { MARKER_PREFIX } from '@herald/frr';
import { address, PersistentMap, type PrefixRoutes, type RouteTable } from '@herald/net';

import { FeedTable } from './feed-table.ts';
import { instanceName } from './generation.ts';
import { Marker } from './marker.ts';

/** Where bgpd's side of every feed is, and the port on which feeds of views listen. */
export const BGPD_ADDRESS = '127.0.0.1';
export const VIEW_PORT = 1791;

/** bgpd notices a hung controller after the second; RFC 8538 lets it keep the routes even then. */
const HOLD_TIME_SECONDS = 30;
/** The longest that RFC 4724 can say. */
const RESTART_TIME_SECONDS = 4095;

export interface FeedSetEvents {
  onState(instance: string, state: FeedState): void;
  /** Everything set so far has left for bgpd. */
  onSynced(instance: string): void;
  onProblem(instance: string, problem: FeedProblem): void;
}

export interface FeedStatus {
  readonly name: string;
  readonly state: FeedState;
  readonly counters: FeedCounters;
}

interface Running {
  readonly feed: Feed;
  readonly table: FeedTable;
  readonly marker: Marker;
}

export class FeedSet {
  readonly #settings: Settings;
  readonly #events: FeedSetEvents;
  readonly #listeners = new Listeners();
  readonly #feeds = new Map<string, Running>();
  #wanted: ReadonlySet<string> = new Set();

  constructor(settings: Settings, events: FeedSetEvents) {
    this.#settings = settings;
    this.#events = events;
  }

  /** The generation is that of the session plan in the same decision. */
  setShared({ tables }: Decision, generation: number): void {
    const localAddress = this.#settings.bgpd.feedAddress;
    this.#give('default', { kind: 'dial', localAddress }, tables.shared, generation);
  }

  setViews(decision: Decision, generation: number): void {
    const views = decision.tables.views;
    for (const peer of decision.sessions.peers) {
      if (peer.instance.kind === 'view') {
        const localAddress = peer.instance.feedAddress.text;
        const routes = views.get(peer.instance.name) ?? PersistentMap.empty<PrefixRoutes>();
        this.#give(instanceName(peer), { kind: 'listen', localAddress }, routes, generation);
      }
    }
    this.#wanted = new Set(['default', ...decision.sessions.peers.map(instanceName)]);
  }

  /** Closes the feeds of views that are neither wanted nor among those that bgpd runs. */
  retire(running: ReadonlySet<string>): void {
    for (const [name, { feed }] of this.#feeds) {
      if (!this.#wanted.has(name) && !running.has(name)) {
        this.#feeds.delete(name);
        void feed.close();
      }
    }
  }

  statuses(): FeedStatus[] {
    return Array.from(this.#feeds, ([name, { feed }]) => ({
      name,
      state: feed.state,
      counters: feed.counters,
    }));
  }

  async close(): Promise<void> {
    const closing = Array.from(this.#feeds.values(), ({ feed }) => feed.close());
    this.#feeds.clear();
    await Promise.all(closing);
  }

  #give(
    name: string,
    side: Pick<FeedSettings, 'kind' | 'localAddress'>,
    routes: RouteTable,
    generation: number,
  ): void {
    const running = this.#feeds.get(name) ?? this.#start(name, side);
    running.feed.set(running.marker.addTo(running.table.of(routes), generation));
  }

  #start(name: string, side: Pick<FeedSettings, 'kind' | 'localAddress'>): Running {
    const feed = new Feed(
      this.#feedSettings(side),
      {
        onState: (state) => this.#events.onState(name, state),
        onSynced: () => this.#events.onSynced(name),
        onProblem: (problem) => this.#events.onProblem(name, problem),
      },
      { listeners: this.#listeners },
    );
    const running = { feed, table: new FeedTable(), marker: new Marker() };
    this.#feeds.set(name, running);
    return running;
  }

  #feedSettings(side: Pick<FeedSettings, 'kind' | 'localAddress'>): FeedSettings {
    return {
      ...side,
      remoteAddress: BGPD_ADDRESS,
      port: side.kind === 'dial' ? this.#settings.bgpd.port : VIEW_PORT,
      asn: this.#settings.asn,
      // Not bgpd's own, which it would refuse from an internal peer; iBGP routers see it as ORIGINATOR_ID.
      routerId: address(side.localAddress),
      holdTimeSeconds: HOLD_TIME_SECONDS,
      restartTimeSeconds: RESTART_TIME_SECONDS,
      addPath: 'send',
      last: MARKER_PREFIX.text,
    };
  }
}
