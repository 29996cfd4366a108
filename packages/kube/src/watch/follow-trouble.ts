// What a failure means for a list-watch loop: whether what is known must be listed again, how it is said,
// and how long the loop may stay away at most. Pure; the loop does the waiting.

import { ApiError, requestName } from '../transport/api-error.ts';
import type { ApiRequest } from '../transport/api-request.ts';
import type { Trouble } from './collection.ts';
import { MalformedStream } from './malformed-stream.ts';
import type { Pauses } from './backoff.ts';
import type { WatchTimes } from './watch-times.ts';

export interface Verdict extends Pauses {
  readonly trouble: Trouble;
  /** The resource version is of no use any more. */
  readonly relist: boolean;
}

const UNAUTHORIZED = 401;
const FORBIDDEN = 403;
const NOT_FOUND = 404;
const GONE = 410;
/** What servers without streaming lists answer to `sendInitialEvents`. */
const NOT_UNDERSTOOD = new Set([400, 422]);

export const ENDS_EARLY: Trouble = {
  kind: 'refused',
  rule: 'cannot be followed: the API server ends each watch',
};

export function silence(request: ApiRequest): ApiError {
  return new ApiError('timeout', `${requestName(request)}: the watch is silent`);
}

export function isNotUnderstood(error: unknown): boolean {
  return error instanceof ApiError && NOT_UNDERSTOOD.has(error.status ?? 0);
}

export function isMissingKind(error: unknown): boolean {
  return error instanceof ApiError && error.status === NOT_FOUND;
}

export function judgeFailure(error: unknown, times: WatchTimes, before: Trouble | undefined): Verdict {
  const apiError = error instanceof ApiError ? error : undefined;
  const trouble = troubleOf(error);
  const hopeless = trouble.kind === 'forbidden' || trouble.kind === 'missing';
  const retryAfter = Math.min(apiError?.retryAfterMs ?? 0, times.longestRetryAfterMs);
  return {
    trouble,
    relist: apiError === undefined || apiError.status === GONE,
    // A server that has just started has not read its own roles yet: long pauses are for an answer that stays.
    startsAnew: hopeless && before?.kind === 'unreachable',
    longestPauseMs: hopeless ? times.hopelessBackoffMs : times.longestBackoffMs,
    // A kind that seems missing is asked for again no sooner than a suspect list.
    shortestPauseMs: Math.max(retryAfter, trouble.kind === 'missing' ? times.suspectListMs : 0),
  };
}

function troubleOf(error: unknown): Trouble {
  if (error instanceof MalformedStream) {
    return { kind: 'malformed', rule: `cannot be followed: the API server sent ${error.message}` };
  }
  if (!(error instanceof ApiError)) {
    return { kind: 'malformed', rule: `cannot be followed (${(error as Error).name})` };
  }
  switch (error.status) {
    case UNAUTHORIZED:
    case FORBIDDEN:
      return {
        kind: 'forbidden',
        rule: `cannot be read, the API server does not allow it: ${error.message}`,
      };
    case NOT_FOUND:
      return { kind: 'missing', rule: 'are not known to the API server; their definition is not installed' };
    case undefined:
      return {
        kind: error.kind === 'malformed' ? 'malformed' : 'unreachable',
        rule: `cannot be followed: ${error.message}`,
      };
    default:
      return { kind: 'refused', rule: `cannot be followed: ${error.message}` };
  }
}
