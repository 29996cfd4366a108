// One value of a manifest -> projected objects. Supplies what an API server would have: the namespace
// `default` and a UID, derived from kind, namespace and name, so that it is the same on every replica and
// after every restart. Opens lists (`kind: List`, `kind: ServiceList`).
// Kinds that Herald does not read are passed over in silence: a folder may hold a whole application.

import { createHash } from 'node:crypto';
import { projectObject, type Fault } from '@herald/api';
import { objectName, type KubeObject, type ObjectKind } from '../stores/object-set.ts';
import { manifestFault } from './manifest-fault.ts';

export interface ManifestObjects {
  readonly objects: readonly KubeObject[];
  /** Names of objects that are there but cannot be used; '' when even the name cannot be read. */
  readonly rejected: readonly string[];
  readonly faults: readonly Fault[];
}

type Json = Readonly<Record<string, unknown>>;

const NAMESPACED: ReadonlySet<string> = new Set<ObjectKind>(['Service', 'Secret', 'EndpointSlice']);

const NOTHING: ManifestObjects = { objects: [], rejected: [], faults: [] };

export function readObjects(value: unknown, path: string): ManifestObjects {
  if (value === null || value === undefined) {
    return NOTHING;
  }
  if (!isRecord(value)) {
    return rejection('', [manifestFault(path, '', 'holds something that is not an object with a kind')]);
  }
  return isList(value)
    ? joinObjects(itemsOf(value).map((item) => readObjects(item, path)))
    : readObject(value, path);
}

export function joinObjects(parts: readonly ManifestObjects[]): ManifestObjects {
  return {
    objects: parts.flatMap((part) => part.objects),
    rejected: parts.flatMap((part) => part.rejected),
    faults: parts.flatMap((part) => part.faults),
  };
}

/** Items of a typed list ("ServiceList") do not say what they are. */
function itemsOf(list: Json): readonly unknown[] {
  const kind = String(list['kind']).slice(0, -'List'.length);
  const items = list['items'] as readonly unknown[];
  const type = kind === '' ? {} : { apiVersion: list['apiVersion'], kind };
  return items.map((item) => (isRecord(item) ? Object.assign({}, type, item) : item));
}

function readObject(value: Json, path: string): ManifestObjects {
  const { kind, apiVersion } = value;
  if (typeof kind !== 'string' || typeof apiVersion !== 'string') {
    return rejection('', [manifestFault(path, 'kind', 'and apiVersion must both be given, as text')]);
  }
  const metadata = isRecord(value['metadata']) ? value['metadata'] : {};
  const name = textOr(metadata['name'], '');
  const scope = NAMESPACED.has(kind) ? { namespace: textOr(metadata['namespace'], 'default') } : {};
  const key = scope.namespace === undefined ? name : `${scope.namespace}/${name}`;
  const id = name === '' ? '' : objectName({ kind: kind as ObjectKind, key });
  const uid = textOr(metadata['uid'], derivedUid(id));
  const result = projectObject({ ...value, metadata: { ...metadata, ...scope, uid } }, 'manifest');
  if (result === undefined) {
    return NOTHING;
  }
  return result.ok
    ? { objects: [result.value], rejected: [], faults: result.faults }
    : rejection(id, result.faults);
}

/** A UUID of version 8 (RFC 9562: content chosen by whoever makes it) out of the object's identity. */
function derivedUid(id: string): string {
  const digest = createHash('sha256').update(id).digest();
  digest.writeUInt8((digest.readUInt8(6) & 0x0f) | 0x80, 6);
  digest.writeUInt8((digest.readUInt8(8) & 0x3f) | 0x80, 8);
  const hex = digest.toString('hex', 0, 16);
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}

function isList(value: Json): boolean {
  return typeof value['kind'] === 'string' && value['kind'].endsWith('List') && Array.isArray(value['items']);
}

function isRecord(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function textOr(value: unknown, fallback: string): string {
  return typeof value === 'string' && value !== '' ? value : fallback;
}

function rejection(name: string, faults: readonly Fault[]): ManifestObjects {
  return { objects: [], rejected: [name], faults };
}
