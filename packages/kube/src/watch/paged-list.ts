// A whole collection, page by page. No resourceVersion is sent, so the answer is as new as the store behind
// the server; all pages of one list show the same moment. A page is read object by object as it arrives.

import type { ApiRequest } from '../transport/api-request.ts';
import type { Collection, Entry, Extent } from './collection.ts';
import { ItemSplitter } from './item-splitter.ts';
import { MalformedStream } from './malformed-stream.ts';
import { readEntry } from './read-entry.ts';
import type { WatchTimes } from './watch-times.ts';

export interface ListClient {
  download(request: ApiRequest, sink: (chunk: Buffer) => void): Promise<void>;
}

export interface Listing<T> {
  readonly entries: readonly Entry<T>[];
  readonly extent: Extent;
  readonly resourceVersion: string;
}

interface ListMetadata {
  readonly resourceVersion?: string;
  readonly continue?: string;
}

type Connection = NonNullable<ApiRequest['connection']>;

export async function listCollection<T>(
  client: ListClient,
  collection: Collection<T>,
  times: WatchTimes,
  signal: AbortSignal,
  connection: Connection,
): Promise<Listing<T>> {
  const entries: Entry<T>[] = [];
  let leftOut = 0;
  let metadata: ListMetadata = {};
  do {
    const page = new ItemSplitter(times.maxObjectBytes, (item) => entries.push(readEntry(collection, item)));
    const request = pageRequest(collection, times.pageSize, metadata.continue);
    await client.download({ ...request, timeoutMs: times.requestMs, signal, connection }, (chunk) =>
      page.push(chunk),
    );
    metadata = nextPage(metadata, metadataOfPage(page));
    leftOut += page.leftOut;
  } while (metadata.continue);
  const extent = leftOut === 0 ? 'complete' : 'partial';
  return { entries, extent, resourceVersion: metadata.resourceVersion ?? '' };
}

/** The newest resource version of the collection, at the price of one object. */
export async function currentVersion<T>(
  client: ListClient,
  collection: Collection<T>,
  times: WatchTimes,
  signal: AbortSignal,
): Promise<string> {
  const page = new ItemSplitter(times.maxObjectBytes, () => undefined);
  const request = pageRequest(collection, 1, undefined);
  await client.download({ ...request, timeoutMs: times.requestMs, signal }, (chunk) => page.push(chunk));
  return metadataOfPage(page).resourceVersion ?? '';
}

function pageRequest<T>(
  { path, query }: Collection<T>,
  limit: number,
  next: string | undefined,
): Pick<ApiRequest, 'method' | 'path' | 'query'> {
  return {
    method: 'GET',
    path,
    query: { ...query, limit: String(limit), ...(next && { continue: next }) },
  };
}

/** A server that hands out one token for ever would otherwise be asked for ever. */
function nextPage(before: ListMetadata, now: ListMetadata): ListMetadata {
  if (now.continue && now.continue === before.continue) {
    throw new MalformedStream('a list that does not end');
  }
  return now;
}

function metadataOfPage(page: ItemSplitter): ListMetadata {
  const { metadata } = page.finish();
  if (typeof metadata !== 'object' || metadata === null) {
    throw new MalformedStream('a list without metadata');
  }
  return metadata;
}
