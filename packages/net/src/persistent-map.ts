// A map from strings to values that never changes: `set` and `delete` return a new map that shares all
// but one shard with the old one, and `changedKeys` finds what differs between two maps by comparing
// shards by identity. That makes "whole state in, whole state out" cost what changed, not what exists.
//
// Not a general collection: no order is kept (callers that print sort), and a value that is replaced by
// the same reference leaves the map itself unchanged, so `a === b` means "nothing happened".

const SHARDS = 1024;
const FNV_OFFSET = 0x811c9dc5;
const FNV_PRIME = 0x01000193;

type Shard<V> = ReadonlyMap<string, V>;

const EMPTY_SHARD: Shard<never> = new Map<string, never>();

/** FNV-1a over UTF-16 code units, reduced to a shard number. */
function shardOf(key: string): number {
  let hash = FNV_OFFSET;
  for (let i = 0; i < key.length; i++) {
    hash = Math.imul(hash ^ key.charCodeAt(i), FNV_PRIME);
  }
  return (hash ^ (hash >>> 15)) & (SHARDS - 1);
}

export class PersistentMap<V> implements Iterable<[string, V]> {
  static readonly #empty: PersistentMap<never> = new PersistentMap<never>(
    Array.from({ length: SHARDS }, () => EMPTY_SHARD),
    0,
  );

  readonly size: number;
  readonly #shards: readonly Shard<V>[];

  private constructor(shards: readonly Shard<V>[], size: number) {
    this.#shards = shards;
    this.size = size;
  }

  static empty<V>(): PersistentMap<V> {
    return PersistentMap.#empty;
  }

  static from<V>(entries: Iterable<readonly [string, V]>): PersistentMap<V> {
    return PersistentMap.empty<V>().with(entries);
  }

  get(key: string): V | undefined {
    return this.#shards[shardOf(key)]?.get(key);
  }

  has(key: string): boolean {
    return this.#shards[shardOf(key)]?.has(key) ?? false;
  }

  set(key: string, value: V): PersistentMap<V> {
    return this.with([[key, value]]);
  }

  delete(key: string): PersistentMap<V> {
    return this.with([], [key]);
  }

  /** All changes at once: each touched shard is copied once, however many keys it gains or loses. */
  with(entries: Iterable<readonly [string, V]>, removed: Iterable<string> = []): PersistentMap<V> {
    const draft = new Draft(this.#shards, this.size);
    for (const key of removed) {
      draft.delete(key);
    }
    for (const [key, value] of entries) {
      draft.set(key, value);
    }
    return draft.touched ? new PersistentMap(draft.shards, draft.size) : this;
  }

  *[Symbol.iterator](): Iterator<[string, V]> {
    for (const shard of this.#shards) {
      yield* shard as Map<string, V>;
    }
  }

  *keys(): IterableIterator<string> {
    for (const shard of this.#shards) {
      yield* shard.keys();
    }
  }

  *values(): IterableIterator<V> {
    for (const shard of this.#shards) {
      yield* shard.values();
    }
  }

  /** Keys whose value is not the same reference in both maps, in no particular order. */
  changedKeys(previous: PersistentMap<V>): string[] {
    const changed: string[] = [];
    for (let i = 0; i < SHARDS; i++) {
      const before = previous.#shards[i] ?? EMPTY_SHARD;
      const after = this.#shards[i] ?? EMPTY_SHARD;
      if (before !== after) {
        collectChanges(before, after, changed);
      }
    }
    return changed;
  }
}

function collectChanges<V>(before: Shard<V>, after: Shard<V>, changed: string[]): void {
  for (const [key, value] of after) {
    if (before.get(key) !== value || !before.has(key)) {
      changed.push(key);
    }
  }
  for (const key of before.keys()) {
    if (!after.has(key)) {
      changed.push(key);
    }
  }
}

/** The mutable middle of one `with`: copies a shard the first time it is written to. */
class Draft<V> {
  shards: Shard<V>[];
  size: number;
  touched = false;
  readonly #owned = new Map<number, Map<string, V>>();
  readonly #base: readonly Shard<V>[];

  constructor(base: readonly Shard<V>[], size: number) {
    this.#base = base;
    this.shards = base as Shard<V>[];
    this.size = size;
  }

  set(key: string, value: V): void {
    const index = shardOf(key);
    const current = this.shards[index] ?? EMPTY_SHARD;
    const known = current.has(key);
    if (known && current.get(key) === value) {
      return;
    }
    this.#own(index).set(key, value);
    this.size += known ? 0 : 1;
  }

  delete(key: string): void {
    const index = shardOf(key);
    if (this.shards[index]?.has(key)) {
      this.#own(index).delete(key);
      this.size -= 1;
    }
  }

  #own(index: number): Map<string, V> {
    const owned = this.#owned.get(index);
    if (owned) {
      return owned;
    }
    if (!this.touched) {
      this.shards = [...this.#base];
      this.touched = true;
    }
    const copy = new Map(this.shards[index]);
    this.#owned.set(index, copy);
    this.shards[index] = copy;
    return copy;
  }
}
