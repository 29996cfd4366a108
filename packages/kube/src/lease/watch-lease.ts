// One watch of one Lease, from the version that a read has shown: stream of lines -> Lease, or undefined when
// it was deleted. It ends as the stream ends, or when it shows nothing for too long; whatever ended it, the elector
// reads again and opens another. So a replica that follows hears from the API server whether anybody leads or not.
// Nothing depends on it for safety: a watch that lags or shows too little makes the election slower only.

import type { ApiClient } from '../transport/api-client.ts';
import { TimeLimit } from '../transport/time-limit.ts';
import { LineSplitter } from '../watch/line-splitter.ts';
import { record, text } from '../transport/json.ts';
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

interface LeaseWatch {
  readonly resourceVersion: string;
  /** The longest pause between two changes that is waited for. */
  readonly quietMs: number;
  readonly signal: AbortSignal;
  readonly onOpen: () => void;
  readonly onLease: (lease: LeaseRecord | undefined) => void;
}

export async function watchLease(
  client: Pick<ApiClient, 'stream'>,
  place: LeasePlace,
  { resourceVersion, quietMs, signal, onOpen, onLease }: LeaseWatch,
): Promise<void> {
  const query = {
    watch: 'true',
    fieldSelector: place.fieldSelector,
    resourceVersion,
    timeoutSeconds: String(WATCH_SECONDS),
  };
  const limit = new TimeLimit(quietMs, signal);
  const lines = new LineSplitter(LONGEST_LINE);
  try {
    const chunks = await client.stream({ method: 'GET', path: place.collection, query }, limit.signal);
    onOpen();
    for await (const chunk of chunks) {
      limit.restart(quietMs);
      takeEvents(lines.push(Buffer.from(chunk)), signal, onLease);
    }
  } finally {
    limit.clear();
  }
}

/** Taking one in may end the watch. */
function takeEvents(lines: Iterable<string>, signal: AbortSignal, onLease: LeaseWatch['onLease']): void {
  for (const line of lines) {
    if (signal.aborted) {
      return;
    }
    takeEvent(JSON.parse(line), onLease);
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
