// The state of this replica in one answer: what is wrong first, then who leads, how fresh its input is, and
// how much there is of everything.

import type { Fault } from '@herald/api';
import type { FeedView, NotReady, Views } from '../views.ts';
import { countRoutes, type TableCount } from './count-routes.ts';
import { renderTime } from './plain.ts';

export interface StatusView {
  readonly version: string;
  readonly startedAt: string | null;
  readonly ready: boolean;
  readonly notReady: readonly NotReady[];
  readonly faults: readonly Fault[];
  readonly replica: { readonly name: string; readonly leading: boolean; readonly term: number };
  readonly source: {
    readonly kind: string;
    readonly synced: boolean;
    readonly freshAt: string | null;
    readonly ageSeconds: number | null;
  };
  readonly keptTable: {
    readonly announced: boolean;
    readonly from: string | null;
    readonly confirmedAt: string | null;
    readonly ageSeconds: number | null;
  };
  readonly loop: { readonly ticks: number; readonly failedTicks: number };
  readonly objects: Readonly<Record<string, number>>;
  readonly services: { readonly announced: number; readonly notAnnounced: number };
  readonly peers: Readonly<Record<string, number>>;
  readonly tables: readonly TableCount[];
  readonly feeds: readonly FeedStatus[];
}

export interface FeedStatus {
  readonly name: string;
  readonly state: string;
  readonly since: string | null;
  readonly updatesSent: number;
  readonly prefixesSent: number;
  readonly withdrawnSent: number;
  readonly bytesSent: number;
  readonly sessionsLost: number;
}

export interface Process {
  readonly version: string;
  readonly startedAtMs: number;
  readonly nowMs: number;
}

const OBJECT_MAPS = [
  'nodes',
  'services',
  'endpointSlices',
  'namespaces',
  'peers',
  'pools',
  'advertisements',
] as const;

export function renderStatus(views: Views, process: Process): StatusView {
  return {
    version: process.version,
    startedAt: renderTime(process.startedAtMs),
    ready: views.notReady.length === 0,
    notReady: views.notReady,
    faults: views.faults,
    replica: { name: views.world.replica.name, ...views.world.leadership },
    source: renderSource(views, process.nowMs),
    keptTable: renderKept(views, process.nowMs),
    loop: { ticks: views.loop.ticks, failedTicks: views.loop.failedTicks },
    objects: countObjects(views),
    services: countServices(views),
    peers: countSessions(views),
    tables: countRoutes(views.decision.tables),
    feeds: views.feeds.map(renderFeed),
  };
}

/** Seconds since the source was known to be current; undefined before the first time. */
export function sourceAgeSeconds(views: Views, nowMs: number): number | undefined {
  const { freshAtMs } = views.source;
  return freshAtMs === 0 ? undefined : Math.max(0, nowMs - freshAtMs) / 1000;
}

export function countObjects(views: Views): Record<string, number> {
  return Object.fromEntries(OBJECT_MAPS.map((name) => [name, views.world[name].size]));
}

/** Peers by the state of their session; `Unknown` for those of which bgpd says nothing. */
export function countSessions(views: Views): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const name of views.world.peers.keys()) {
    const state = views.world.sessions.get(name)?.state ?? 'Unknown';
    counts[state] = (counts[state] ?? 0) + 1;
  }
  return counts;
}

/** Services that are not of our kind are nobody's failure and not counted. */
const FOREIGN: ReadonlySet<string> = new Set(['NotLoadBalancer', 'NotOurClass']);

function countServices({ decision }: Views): StatusView['services'] {
  let [announced, notAnnounced] = [0, 0];
  for (const verdict of decision.services.values()) {
    announced += Number(verdict.announced);
    notAnnounced += Number(!verdict.announced && !FOREIGN.has(verdict.reason));
  }
  return { announced, notAnnounced };
}

function renderSource(views: Views, nowMs: number): StatusView['source'] {
  const { kind, synced, freshAtMs } = views.source;
  return { kind, synced, freshAt: renderTime(freshAtMs), ageSeconds: sourceAgeSeconds(views, nowMs) ?? null };
}

/** Seconds since the kept table was what live data said; undefined unless it is announced. */
export function keptTableAgeSeconds({ keptTable }: Views, nowMs: number): number | undefined {
  return keptTable && Math.max(0, nowMs - keptTable.confirmedAtMs) / 1000;
}

function renderKept(views: Views, nowMs: number): StatusView['keptTable'] {
  const { keptTable } = views;
  return {
    announced: keptTable !== undefined,
    from: keptTable?.from ?? null,
    confirmedAt: renderTime(keptTable?.confirmedAtMs),
    ageSeconds: keptTableAgeSeconds(views, nowMs) ?? null,
  };
}

function renderFeed(feed: FeedView): FeedStatus {
  return { name: feed.name, state: feed.state, since: renderTime(feed.sinceMs), ...feed.counters };
}
