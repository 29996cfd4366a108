// When a node that can serve may be announced beside others: being faster than its kube-proxy loses requests,
// so it waits until the node is known to be programmed. What is known of one node -> since when it waits,
// until when, and whether it still does; and of several candidates those that need not wait.
//
//   externalTrafficPolicy Local   until the health port of the Service answers 200 on the node's address of the
//                                 family: a kube-proxy programs each family by itself, and each answers for itself.
//                                 Not where all its endpoints are terminating: then the port says 503 as well
//   otherwise                     for the join delay, counted from when this replica first saw it able to serve
//
// Leaving never waits, and the first next hops of a prefix never do: of candidates that all wait those who came
// first go. A health port that answers anything else holds the node for as long as others serve; one that
// does not answer at all holds it for a bounded time only, because silence may be a filter on the way.

import type { Family, PersistentMap } from '@herald/net';

export interface Join {
  /** By World.now. */
  readonly sinceMs: number;
  /** Waits no longer; for good, until the node stops being able to serve. */
  readonly settled: boolean;
}

/** What one decision knows about joining. */
export interface JoinClock {
  readonly nowMs: number;
  readonly delayMs: number;
  readonly programmed: PersistentMap<boolean>;
  /** Of what is seen for the first time. */
  readonly arriving: Join;
}

/** How long a health port may say nothing: some pods never get to start in less. */
const SILENCE_MS = 10_000;

/** Of what was there when this process began: it may have been announced for years. */
export const FROM_THE_START: Join = { sinceMs: -Infinity, settled: true };

/** What World.programmed is keyed by; undefined where only time can tell. */
export function probeKey(node: string, family: Family, port: number | undefined): string | undefined {
  return port === undefined ? undefined : `${node}|${family}|${port}`;
}

/** When the wait is over, as things are; undefined for as long as others serve. */
export function joinUntil(
  sinceMs: number,
  probe: string | undefined,
  { delayMs, programmed }: JoinClock,
): number | undefined {
  if (probe === undefined) {
    return sinceMs + delayMs;
  }
  const answered = programmed.get(probe);
  if (answered === undefined) {
    return sinceMs + SILENCE_MS;
  }
  return answered ? sinceMs : undefined;
}

/** A clock that was set back says nothing about how long somebody has waited: nobody is held by it. */
export function isOver(sinceMs: number, untilMs: number | undefined, { nowMs }: JoinClock): boolean {
  return sinceMs > nowMs || (untilMs !== undefined && untilMs <= nowMs);
}

/** The same a moment later. */
export function brought(join: Join, probe: string | undefined, clock: JoinClock): Join {
  return !join.settled && isOver(join.sinceMs, joinUntil(join.sinceMs, probe, clock), clock)
    ? { sinceMs: join.sinceMs, settled: true }
    : join;
}

export function sameJoin(a: Join, b: Join): boolean {
  return a === b || (a.settled === b.settled && a.sinceMs === b.sinceMs);
}

/** Of a node that serves for two reasons, each of which would do. */
export function eitherJoin(a: Join, b: Join): Join {
  return a === b ? a : { sinceMs: Math.min(a.sinceMs, b.sinceMs), settled: a.settled || b.settled };
}

/** Of a node that has to serve two Services, each of which needs it programmed. */
export function bothJoins(a: Join, b: Join): Join {
  return a === b ? a : { sinceMs: Math.max(a.sinceMs, b.sinceMs), settled: a.settled && b.settled };
}

/** The candidates that may be announced; never none of some. */
export function admitted<T>(candidates: readonly T[], joinOf: (candidate: T) => Join): readonly T[] {
  let first = Infinity;
  let waiting = 0;
  for (const candidate of candidates) {
    const { sinceMs, settled } = joinOf(candidate);
    first = Math.min(first, sinceMs);
    waiting += settled ? 0 : 1;
  }
  return waiting === 0
    ? candidates
    : candidates.filter((candidate) => {
        const { sinceMs, settled } = joinOf(candidate);
        return settled || sinceMs <= first;
      });
}
