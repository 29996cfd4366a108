// One raw object -> what is kept of it. A projection that throws is contained here: the object is set aside
// with a fault that names it, and the others go on.

import { fault, type Projected } from '@herald/api';
import type { Collection, Entry } from './collection.ts';
import { MalformedStream } from './malformed-stream.ts';

interface RawMetadata {
  readonly name?: unknown;
  readonly namespace?: unknown;
  readonly resourceVersion?: unknown;
  readonly generation?: unknown;
}

export function metadataOf(object: unknown): RawMetadata {
  const { metadata } = (object ?? {}) as { metadata?: RawMetadata };
  return typeof metadata === 'object' && metadata !== null ? metadata : {};
}

export function resourceVersionOf(object: unknown): string {
  const { resourceVersion } = metadataOf(object);
  return typeof resourceVersion === 'string' ? resourceVersion : '';
}

function generationOf(object: unknown): number | undefined {
  const { generation } = metadataOf(object);
  return typeof generation === 'number' ? generation : undefined;
}

/** Without a name there is no object: then the stream cannot be trusted either. */
export function keyOf(object: unknown): string {
  const { name, namespace } = metadataOf(object);
  if (typeof name !== 'string' || name === '') {
    throw new MalformedStream('an object without a name');
  }
  return typeof namespace === 'string' && namespace !== '' ? `${namespace}/${name}` : name;
}

export function readEntry<T>(collection: Collection<T>, object: unknown): Entry<T> {
  const key = keyOf(object);
  const result = projectSafely(collection, key, object);
  return {
    key,
    resourceVersion: resourceVersionOf(object),
    generation: generationOf(object),
    value: result.ok ? result.value : undefined,
    faults: result.faults,
  };
}

function projectSafely<T>(collection: Collection<T>, key: string, object: unknown): Projected<T> {
  try {
    return collection.project(object);
  } catch (error) {
    const rule = `could not be read (${(error as Error).name}), so its last good state stays`;
    return { ok: false, faults: [fault(`${collection.kind} ${key}`, '', rule, 'Unreadable')] };
  }
}
