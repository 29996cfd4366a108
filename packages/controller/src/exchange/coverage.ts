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

/**
 * Freshness.othersFreshUntilMs. Who leaves ends its sessions itself; whoever has just come has some time to say that it is
 * fresh.
 */
export function othersFreshUntil(others: readonly KnownReplica[], nowMs: number): number {
  const silent = others.filter(({ sinceMs, freshAtMs, leaves }) => {
    const isNew = freshAtMs === -Infinity;
    return !leaves && nowMs - (isNew ? sinceMs : freshAtMs) > (isNew ? NEW_MS : SILENT_MS);
  });
  return Math.min(Infinity, ...silent.map(({ freshAtMs }) => freshAtMs));
}

export interface KnownReplica {
  /** Since when it is known of. */
  readonly sinceMs: number;
  /** When it last said that it is fresh; -Infinity: never. */
  readonly freshAtMs: number;
  /** It said so last. */
  readonly leaves: boolean;
}

/** `before` is undefined for one that nobody knew of; `report` for one that does not answer. */
export function known(
  before: KnownReplica | undefined,
  report: Pick<ReplicaReport, 'stale' | 'leaving'> | undefined,
  nowMs: number,
): KnownReplica {
  const { sinceMs, freshAtMs, leaves } = before ?? { sinceMs: nowMs, freshAtMs: -Infinity, leaves: false };
  return {
    sinceMs,
    freshAtMs: report?.stale === false ? nowMs : freshAtMs,
    leaves: report?.leaving ?? leaves,
  };
}

/** Beyond the time for which an answer is believed. */
const SILENT_MS = 1000;
const NEW_MS = 10_000;

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
