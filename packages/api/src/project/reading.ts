// One object being read: who it is, and the faults found so far. Parts that cannot be read are left out
// and said; whether the object is usable without them is for the projection of its kind to decide.

import type { Parsed } from '@herald/net';
import { fault, unusable, type Fault, type Projected } from '../fault.ts';
import type { Meta } from '../model/meta.ts';
import type { Reason } from '../reason.ts';
import { record, text, textMap, type JsonRecord } from './untrusted.ts';

export interface NamedMeta extends Meta {
  /** '' for a cluster-scoped object. */
  readonly namespace: string;
  /** namespace/name, or the name alone. */
  readonly key: string;
}

export class Reading {
  readonly subject: string;
  readonly meta: NamedMeta;
  readonly metadata: JsonRecord;
  readonly faults: Fault[] = [];

  constructor(kind: string, object: unknown) {
    this.metadata = record(record(object)['metadata']);
    this.meta = readMeta(this.metadata);
    this.subject = `${kind} ${this.meta.name === '' ? 'without a name' : this.meta.key}`;
  }

  note(field: string, rule: string, reason?: Reason): void {
    this.faults.push(fault(this.subject, field, rule, reason));
  }

  /** The parsed value; undefined, with a fault, when the text cannot be read. */
  take<T>(field: string, parsed: Parsed<T>, reason: Reason = 'Unreadable'): T | undefined {
    if (parsed.ok) {
      return parsed.value;
    }
    this.note(field, `is wrong: ${parsed.problem}`, reason);
    return undefined;
  }

  /** What can be read of a list, in its order. */
  takeAll<T>(field: string, texts: readonly string[], parse: (text: string) => Parsed<T>): T[] {
    return texts.flatMap((item, index) => {
      const value = this.take(`${field}[${index}]`, parse(item));
      return value === undefined ? [] : [value];
    });
  }

  /** Usable with whatever faults there are, as long as the object has a name. */
  finish<T>(value: T): Projected<T> {
    if (this.meta.name === '') {
      this.note('metadata.name', 'is required');
      return unusable(this.faults);
    }
    return { ok: true, value, faults: this.faults };
  }

  get deleting(): boolean {
    return this.metadata['deletionTimestamp'] !== undefined && this.metadata['deletionTimestamp'] !== null;
  }
}

/** The part of the metadata that cluster-scoped objects keep. */
export function clusterMeta({ name, uid, createdAt, labels }: NamedMeta): Meta {
  return { name, uid, createdAt, labels };
}

function readMeta(metadata: JsonRecord): NamedMeta {
  const name = text(metadata['name']) ?? '';
  const namespace = text(metadata['namespace']) ?? '';
  const createdAt = Date.parse(text(metadata['creationTimestamp']) ?? '');
  return {
    name,
    namespace,
    key: namespace === '' ? name : `${namespace}/${name}`,
    uid: text(metadata['uid']) ?? '',
    createdAt: Number.isNaN(createdAt) ? 0 : createdAt,
    labels: textMap(metadata['labels']),
  };
}
