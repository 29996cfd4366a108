// What the reports of other replicas mean for this one: which routers a fresh one serves, and whether those of a
// replica that ends are in other hands. Pure: reports and times in, plain values out.

import type { Freshness } from '@herald/decision';
import { PersistentMap } from '@herald/net';
import type { ReplicaReport } from '@herald/server';

/** Router address -> name of a replica that is fresh, stays, and serves it; of several the first by name. */
export function coveredRouters(reports: readonly ReplicaReport[]): Freshness['covered'] {
  const fresh = reports.filter(({ stale, leaving }) => !stale && !leaving);
  const byName = fresh.toSorted((a, b) => (a.replica < b.replica ? 1 : -1));
  return PersistentMap.from(
    byName.flatMap(({ serves, replica }) => serves.map((router) => [router, replica] as const)),
  );
}

/** Freshness.othersFresh: of each of these addresses there is a report, and none is of a replica that is stale. */
export function areFresh(urls: readonly string[], reports: ReadonlyMap<string, ReplicaReport>): boolean {
  return urls.every((url) => reports.get(url)?.stale === false);
}

/**
 * The routers that nobody else serves. A stale replica will do here: where all are stale, it is as good as this one.
 */
export function unserved(routers: readonly string[], reports: readonly ReplicaReport[]): readonly string[] {
  const served = new Set(reports.filter(({ leaving }) => !leaving).flatMap(({ serves }) => serves));
  return routers.filter((router) => !served.has(router));
}

/**
 * Freshness.regainedAtMs: contact that was lost for too long, or that a process waited for too long at its start, counts
 * as regained from now on; one that was never lost is none.
 */
export function regained(
  { freshAtMs, startedMs, nowMs, staleMs }: Contact,
  before: Freshness['regainedAtMs'],
): Freshness['regainedAtMs'] {
  if (isStale(freshAtMs || startedMs, nowMs, staleMs)) {
    return Infinity;
  }
  return before === Infinity ? nowMs : before;
}

interface Contact {
  /** As in isStale. */
  readonly freshAtMs: number;
  readonly startedMs: number;
  readonly nowMs: number;
  readonly staleMs: number;
}

/** Whether there has been no contact for too long; who never had any has nothing to be stale. */
export function isStale(freshAtMs: number, nowMs: number, staleMs: number): boolean {
  return freshAtMs > 0 && nowMs - freshAtMs >= staleMs;
}
