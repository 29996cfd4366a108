// Holds the projected objects of one source as immutable snapshots and tells listeners that there is a new
// one. Input: objects that may have changed and references of those that are gone. An object that is equal
// to the one that is known keeps the known reference, so a source may hand in more than what changed.
//
// Does not read, validate or order anything, and keeps no history.

import { sameProjected } from '@herald/api';
import type { PersistentMap } from '@herald/net';
import { ChangeSignal, type Unsubscribe } from './change-signal.ts';
import {
  emptyObjectSet,
  mapNames,
  objectKey,
  type KubeObject,
  type ObjectKind,
  type ObjectRef,
  type ObjectSet,
} from './object-set.ts';

export class Stores {
  #objects: ObjectSet = emptyObjectSet;
  #synced = false;
  readonly #signal = new ChangeSignal();

  snapshot(): ObjectSet {
    return this.#objects;
  }

  /** True once the source has delivered everything that it had at its start. */
  get synced(): boolean {
    return this.#synced;
  }

  onChange(listener: () => void): Unsubscribe {
    return this.#signal.subscribe(listener);
  }

  /** Takes the objects in; tells listeners only if the snapshot is a new one. */
  apply(objects: readonly KubeObject[], removed: readonly ObjectRef[] = []): void {
    const before = this.#objects;
    this.#objects = withObjects(before, objects, removed);
    if (this.#objects !== before) {
      this.#signal.raise();
    }
  }

  markSynced(): void {
    if (!this.#synced) {
      this.#synced = true;
      this.#signal.raise();
    }
  }

  /** For what a source shows beside its objects, such as its faults. */
  raise(): void {
    this.#signal.raise();
  }
}

/** The set with `objects` in and `removed` out; the same set if that changes nothing. */
export function withObjects(
  set: ObjectSet,
  objects: readonly KubeObject[],
  removed: readonly ObjectRef[] = [],
): ObjectSet {
  let result = set;
  const arriving = Map.groupBy(objects, (object) => object.kind);
  const leaving = Map.groupBy(removed, (ref) => ref.kind);
  for (const kind of new Set<ObjectKind>([...arriving.keys(), ...leaving.keys()])) {
    result = withKind(result, kind, arriving.get(kind) ?? [], leaving.get(kind) ?? []);
  }
  return result;
}

function withKind(
  set: ObjectSet,
  kind: ObjectKind,
  objects: readonly KubeObject[],
  removed: readonly ObjectRef[],
): ObjectSet {
  const name = mapNames[kind];
  // The kind decides the map, which the compiler cannot follow.
  const map = set[name] as PersistentMap<KubeObject>;
  const entries = objects.map((object) => entryOf(map, object));
  const next = map.with(
    entries,
    removed.map((ref) => ref.key),
  );
  return next === map ? set : { ...set, [name]: next };
}

function entryOf(map: PersistentMap<KubeObject>, object: KubeObject): readonly [string, KubeObject] {
  const key = objectKey(object);
  const known = map.get(key);
  return [key, known !== undefined && sameProjected(known, object) ? known : object];
}
