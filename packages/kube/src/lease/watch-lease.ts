// One watch of one Lease, from the version that a read has shown: stream of lines -> Lease, or undefined when
// it was deleted. It ends as the stream ends; whatever ended it, the elector reads again and opens another.
// Nothing depends on it for safety: a watch that lags or shows too little makes the election slower only.

import type { ApiClient } from '../transport/api-client.ts';
import { LineSplitter } from '../watch/line-splitter.ts';
import { record, text } from '../write/json.ts';
import { parseLease, type LeaseRecord } from './lease-record.ts';

/** The server ends the watch after this time; a connection that died silently is noticed at the latest then. */
const WATCH_SECONDS = 300;
/** Bytes; an object in etcd cannot be larger than 1.5 MiB. */
const LONGEST_LINE = 4 * 1024 * 1024;

export interface LeasePlace {
  readonly collection: string;
  readonly fieldSelector: string;
}

export function leasePlace(namespace: string, name: string): LeasePlace {
  return {
    collection: `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases`,
    fieldSelector: `metadata.name=${name}`,
  };
}

export async function watchLease(
  client: Pick<ApiClient, 'stream'>,
  place: LeasePlace,
  resourceVersion: string,
  signal: AbortSignal,
  onLease: (lease: LeaseRecord | undefined) => void,
): Promise<void> {
  const query = {
    watch: 'true',
    fieldSelector: place.fieldSelector,
    resourceVersion,
    timeoutSeconds: String(WATCH_SECONDS),
  };
  const lines = new LineSplitter(LONGEST_LINE);
  const chunks = await client.stream({ method: 'GET', path: place.collection, query }, signal);
  for await (const chunk of chunks) {
    for (const line of lines.push(Buffer.from(chunk))) {
      if (signal.aborted) {
        return;
      }
      takeEvent(JSON.parse(line), onLease);
    }
  }
}

function takeEvent(event: unknown, onLease: (lease: LeaseRecord | undefined) => void): void {
  const { type, object } = record(event);
  switch (text(type)) {
    case 'ADDED':
    case 'MODIFIED':
      onLease(parseLease(object));
      break;
    case 'DELETED':
      onLease(undefined);
      break;
    default:
      throw new RangeError(`the watch of the Lease sent ${text(type) || 'no type'}`);
  }
}
