// Keeps one collection in the stores: entries and changes become one change of the snapshot each, with the
// resource versions and generations beside it and the faults of the objects that are not as they should be.
//
// An object that cannot be used any more stays as it last could; its fault says so.

import type { Fault } from '@herald/api';
import type { KubeObject, ObjectKind, ObjectRef } from '../stores/object-set.ts';
import type { Stores } from '../stores/stores.ts';
import type { Change, Entry, Extent, Keeper } from '../watch/collection.ts';

export class ObjectKeeper implements Keeper<KubeObject> {
  readonly #kind: ObjectKind;
  readonly #stores: Stores;
  readonly #onTaken: () => void;
  readonly #versions = new Map<string, string>();
  readonly #generations = new Map<string, number>();
  readonly #faults = new Map<string, readonly Fault[]>();

  /** `onTaken` is called after each change of the stores. */
  constructor(kind: ObjectKind, stores: Stores, onTaken: () => void) {
    this.#kind = kind;
    this.#stores = stores;
    this.#onTaken = onTaken;
  }

  /** Every object that the server has, usable or not. */
  get size(): number {
    return this.#versions.size;
  }

  faults(): readonly Fault[] {
    return [...this.#faults.values()].flat();
  }

  resourceVersion(key: string): string | undefined {
    return this.#versions.get(key);
  }

  /** Of the spec that the stores show, or that the faults are about. */
  generation(key: string): number | undefined {
    return this.#generations.get(key);
  }

  replace(entries: readonly Entry<KubeObject>[], extent: Extent): void {
    const listed = new Set(entries.map(({ key }) => key));
    const gone = extent === 'complete' ? [...this.#versions.keys()].filter((key) => !listed.has(key)) : [];
    this.#take(entries, gone);
  }

  change(changes: readonly Change<KubeObject>[]): void {
    const last = new Map(changes.map((change) => [keyOf(change), change]));
    const entries: Entry<KubeObject>[] = [];
    const gone: string[] = [];
    for (const [key, change] of last) {
      if (change.kind === 'set') {
        entries.push(change.entry);
      } else {
        gone.push(key);
      }
    }
    this.#take(entries, gone);
  }

  setAside(key: string, fault: Fault): void {
    this.#faults.set(key, [fault]);
    this.#onTaken();
  }

  /** Nobody reads the collection any more. */
  clear(): void {
    this.#take([], [...this.#versions.keys()]);
  }

  #take(entries: readonly Entry<KubeObject>[], gone: readonly string[]): void {
    for (const key of gone) {
      this.#versions.delete(key);
      this.#generations.delete(key);
      this.#faults.delete(key);
    }
    for (const { key, resourceVersion, generation, faults } of entries) {
      this.#versions.set(key, resourceVersion);
      if (generation !== undefined) {
        this.#generations.set(key, generation);
      }
      setFaults(this.#faults, key, faults);
    }
    const usable = entries.map(({ value }) => value).filter((value) => value !== undefined);
    const removed = gone.map((key): ObjectRef => ({ kind: this.#kind, key }));
    this.#stores.apply(usable, removed);
    this.#onTaken();
  }
}

function keyOf(change: Change<KubeObject>): string {
  return change.kind === 'set' ? change.entry.key : change.key;
}

function setFaults(all: Map<string, readonly Fault[]>, key: string, faults: readonly Fault[]): void {
  if (faults.length === 0) {
    all.delete(key);
  } else {
    all.set(key, faults);
  }
}
