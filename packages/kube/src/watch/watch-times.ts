// Every time and size that a list-watch loop goes by, so that tests can make them short.

export interface WatchTimes {
  /** Objects of one page of a list. */
  readonly pageSize: number;
  /** For one page to arrive, and for a watch to open. */
  readonly requestMs: number;
  /** A watch ends by itself after a time between these, in seconds, so that not all end at once. */
  readonly watchSeconds: readonly [shortest: number, longest: number];
  /** Without a line for so long, an open watch is given up. */
  readonly silentMs: number;
  /** The same while the watch still brings what there was at its start. */
  readonly initialSilentMs: number;
  /** First pause after a failure; it doubles up to the longest. */
  readonly backoffMs: number;
  readonly longestBackoffMs: number;
  /** The longest pause where nothing but an administrator can help: no right, no such kind. */
  readonly hopelessBackoffMs: number;
  /** The longest that a server may ask us to stay away. */
  readonly longestRetryAfterMs: number;
  /** A watch that stayed open for so long was a good one: the next pause is the first again. */
  readonly healthyMs: number;
  /** How much later a suspect list is asked for again. */
  readonly suspectListMs: number;
  /** One object, or one line of a watch. etcd holds no object above 1.5 MB. */
  readonly maxObjectBytes: number;
}

/** A watch may end a little before the time that was asked for. */
const EARLY_MS = 2000;

/**
 * The API server sends a bookmark about each minute, so silence for two and a half means that it hangs. That
 * its machine or the way to it is gone, TCP keepalive finds out much earlier (see the transport's connector).
 */
export const WATCH_TIMES: WatchTimes = {
  pageSize: 500,
  requestMs: 15_000,
  watchSeconds: [1200, 2400],
  silentMs: 150_000,
  initialSilentMs: 15_000,
  backoffMs: 200,
  longestBackoffMs: 5000,
  hopelessBackoffMs: 30_000,
  longestRetryAfterMs: 60_000,
  healthyMs: 10_000,
  suspectListMs: 5000,
  maxObjectBytes: 8 * 1024 * 1024,
};

/** `chance`: from 0 to 1, so that not all watches end at once. */
export function secondsOfWatch({ watchSeconds: [shortest, longest] }: WatchTimes, chance: number): number {
  return Math.round(shortest + (longest - shortest) * chance);
}

/** Whether a watch that was open for so long ended before the time that was asked for. */
export function isEarly(openMs: number, seconds: number): boolean {
  return openMs < seconds * 1000 - EARLY_MS;
}
