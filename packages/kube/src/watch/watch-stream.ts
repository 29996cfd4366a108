// An open watch as batches of events: those that arrived in one chunk come together, so that a burst is
// taken in at once. The first batch is empty and says that the watch is open. A line that cannot be read
// ends the stream, after the events in front of it.

import type { ApiRequest } from '../transport/api-request.ts';
import type { Collection } from './collection.ts';
import { LineSplitter } from './line-splitter.ts';
import { parseWatchEvent, type WatchEvent } from './watch-event.ts';

export interface WatchClient {
  stream(request: ApiRequest, signal: AbortSignal): Promise<AsyncIterable<Buffer>>;
}

export interface WatchLimits {
  readonly requestMs: number;
  readonly maxObjectBytes: number;
}

/** Without a version: begins with all objects that there are, if the server can do that. */
export function watchRequest<T>(
  { path, query }: Collection<T>,
  timeoutSeconds: number,
  version: string | undefined,
): ApiRequest {
  const start: Readonly<Record<string, string>> =
    version === undefined
      ? { sendInitialEvents: 'true', resourceVersionMatch: 'NotOlderThan' }
      : { resourceVersion: version };
  return {
    method: 'GET',
    path,
    query: {
      ...query,
      watch: 'true',
      allowWatchBookmarks: 'true',
      timeoutSeconds: String(timeoutSeconds),
      ...start,
    },
  };
}

export async function* watchBatches(
  client: WatchClient,
  request: ApiRequest,
  limits: WatchLimits,
  signal: AbortSignal,
): AsyncGenerator<readonly WatchEvent[]> {
  const chunks = await client.stream({ ...request, timeoutMs: limits.requestMs }, signal);
  yield [];
  const lines = new LineSplitter(limits.maxObjectBytes);
  for await (const chunk of chunks) {
    const events: WatchEvent[] = [];
    const failure = readInto(events, lines.push(chunk));
    yield events;
    if (failure !== undefined) {
      throw failure;
    }
  }
}

function readInto(events: WatchEvent[], lines: Iterable<string>): Error | undefined {
  try {
    for (const line of lines) {
      events.push(parseWatchEvent(line));
    }
    return undefined;
  } catch (error) {
    return error as Error;
  }
}
