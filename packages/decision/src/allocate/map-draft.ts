// A persistent map while one tick writes to it: reads see the writes, the map itself stays as it is, and
// `commit` makes the next map, which is the same reference when nothing came of it.

import type { PersistentMap } from '@herald/net';

export class MapDraft<V> {
  readonly base: PersistentMap<V>;
  readonly #writes = new Map<string, V | undefined>();

  constructor(base: PersistentMap<V>) {
    this.base = base;
  }

  get(key: string): V | undefined {
    return this.#writes.has(key) ? this.#writes.get(key) : this.base.get(key);
  }

  /** undefined removes the key. */
  set(key: string, value: V | undefined): void {
    if (this.get(key) !== value) {
      this.#writes.set(key, value);
    }
  }

  get touched(): boolean {
    return this.#writes.size > 0;
  }

  /** What was written, the last of each key. */
  writes(): ReadonlyMap<string, V | undefined> {
    return this.#writes;
  }

  commit(): PersistentMap<V> {
    const kept: [string, V][] = [];
    const removed: string[] = [];
    for (const [key, value] of this.#writes) {
      if (value === undefined) {
        removed.push(key);
      } else {
        kept.push([key, value]);
      }
    }
    return this.base.with(kept, removed);
  }
}
