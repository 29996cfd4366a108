// The Lease object as the election sees it: raw JSON -> LeaseRecord, and what the election wants -> the JSON
// that is sent. Whatever others put on the object's metadata is kept. Fields that hold something else than
// they should are read as absent: a Lease that nobody can read is a Lease that nobody holds.

import { record, text, wholeNumber, type JsonRecord } from '../transport/json.ts';

/** Where the term of the latest leadership is kept, beside the Lease's own fields. */
const TERM_ANNOTATION = 'heraldbgp.io/term';

/** Routes carry 4,000,000,000 minus the term as their MED, so a term beyond is somebody's mistake. */
export const MAX_TERM = 3_999_999_999;
const TERM_TEXT = /^[1-9]\d{0,9}$/;

export interface LeaseRecord {
  readonly uid: string;
  readonly resourceVersion: string;
  /** '' when nobody holds it. */
  readonly holder: string;
  readonly durationMs: number | undefined;
  /** 0 when none is written. */
  readonly term: number;
  readonly acquireTime: string;
  readonly transitions: number;
  readonly metadata: JsonRecord;
}

/** What a write makes of the Lease; the previous record is replaced only if it is still that one. */
export interface LeaseWrite {
  readonly previous: LeaseRecord | undefined;
  readonly holder: string;
  readonly term: number;
  readonly durationMs: number;
}

/**
 * Throws when the object has no uid or version: a write that builds on it would replace whatever is there, or
 * make a Lease where one was deleted (a PUT of a Lease may create it unless its uid forbids that).
 */
export function parseLease(object: unknown): LeaseRecord {
  const metadata = record(record(object)['metadata']);
  if (text(metadata['uid']) === '' || text(metadata['resourceVersion']) === '') {
    throw new RangeError('the answer is no Lease');
  }
  const spec = record(record(object)['spec']);
  const seconds = wholeNumber(spec['leaseDurationSeconds']);
  return {
    uid: text(metadata['uid']),
    resourceVersion: text(metadata['resourceVersion']),
    holder: text(spec['holderIdentity']),
    durationMs: seconds === undefined || seconds <= 0 ? undefined : seconds * 1000,
    term: parseTerm(record(metadata['annotations'])[TERM_ANNOTATION]),
    acquireTime: text(spec['acquireTime']),
    transitions: Math.max(0, wholeNumber(spec['leaseTransitions']) ?? 0),
    metadata,
  };
}

function parseTerm(annotation: unknown): number {
  const term = TERM_TEXT.test(text(annotation)) ? Number(annotation) : 0;
  return term <= MAX_TERM ? term : 0;
}

export function leaseBody(name: string, namespace: string, write: LeaseWrite, wallMs: number): JsonRecord {
  const kept = write.previous?.metadata ?? {};
  const annotations = { ...record(kept['annotations']), [TERM_ANNOTATION]: String(write.term) };
  return {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    // Sent back, managedFields would be taken as an edit of them.
    metadata: { ...kept, name, namespace, annotations, managedFields: undefined },
    spec: {
      holderIdentity: write.holder,
      leaseDurationSeconds: Math.max(1, Math.ceil(write.durationMs / 1000)),
      renewTime: microTime(wallMs),
      ...historyOf(write, wallMs),
    },
  };
}

/** Since when the holder holds it, and how often holders changed; a release is no change of holder yet. */
function historyOf(write: LeaseWrite, wallMs: number): JsonRecord {
  const { previous, holder, term } = write;
  const goesOn = holder === '' || (previous?.holder === holder && previous.term === term);
  const acquireTime = goesOn && previous?.acquireTime ? previous.acquireTime : microTime(wallMs);
  const passed = !goesOn && previous !== undefined && previous.holder !== holder;
  return { acquireTime, leaseTransitions: (previous?.transitions ?? 0) + (passed ? 1 : 0) };
}

export function microTime(wallMs: number): string {
  return new Date(wallMs).toISOString().replace('Z', '000Z');
}
