// A map from strings to values that never changes: `set` and `delete` return a new map that shares all
// but one shard with the old one, and `changedKeys` finds what differs between two maps by comparing
// shards by identity. That makes "whole state in, whole state out" cost what changed, not what exists.
//
// Not a general collection: no order is kept (callers that print sort), and a value that is replaced by
// the same reference leaves the map itself unchanged, so `a === b` means "nothing happened".

/** Shards stand in blocks, so that a write copies two short arrays and not one of all shards. */
const BLOCKS = 32;
const SHARDS_OF_A_BLOCK = 32;
const SHARDS = BLOCKS * SHARDS_OF_A_BLOCK;
const FNV_OFFSET = 0x811c9dc5;
const FNV_PRIME = 0x01000193;

type Shard<V> = ReadonlyMap<string, V>;
type Block<V> = readonly Shard<V>[];

const EMPTY_SHARD: Shard<never> = new Map<string, never>();
const EMPTY_BLOCK: Block<never> = Array.from({ length: SHARDS_OF_A_BLOCK }, () => EMPTY_SHARD);

/** FNV-1a over UTF-16 code units, reduced to a shard number. */
function shardOf(key: string): number {
  let hash = FNV_OFFSET;
  for (let i = 0; i < key.length; i++) {
    hash = Math.imul(hash ^ key.charCodeAt(i), FNV_PRIME);
  }
  return (hash ^ (hash >>> 15)) & (SHARDS - 1);
}

function shardIn<V>(blocks: readonly Block<V>[], shard: number): Shard<V> {
  return blocks[Math.floor(shard / SHARDS_OF_A_BLOCK)]?.[shard % SHARDS_OF_A_BLOCK] ?? EMPTY_SHARD;
}

export class PersistentMap<V> implements Iterable<[string, V]> {
  static readonly #empty: PersistentMap<never> = new PersistentMap<never>(
    Array.from({ length: BLOCKS }, () => EMPTY_BLOCK),
    0,
  );

  readonly size: number;
  readonly #blocks: readonly Block<V>[];

  private constructor(blocks: readonly Block<V>[], size: number) {
    this.#blocks = blocks;
    this.size = size;
  }

  static empty<V>(): PersistentMap<V> {
    return PersistentMap.#empty;
  }

  static from<V>(entries: Iterable<readonly [string, V]>): PersistentMap<V> {
    return PersistentMap.empty<V>().with(entries);
  }

  get(key: string): V | undefined {
    return shardIn(this.#blocks, shardOf(key)).get(key);
  }

  has(key: string): boolean {
    return shardIn(this.#blocks, shardOf(key)).has(key);
  }

  set(key: string, value: V): PersistentMap<V> {
    return this.with([[key, value]]);
  }

  delete(key: string): PersistentMap<V> {
    return this.with([], [key]);
  }

  /** All changes at once: each touched shard is copied once, however many keys it gains or loses. */
  with(entries: Iterable<readonly [string, V]>, removed: Iterable<string> = []): PersistentMap<V> {
    const draft = new Draft(this.#blocks, this.size);
    for (const key of removed) {
      draft.delete(key);
    }
    for (const [key, value] of entries) {
      draft.set(key, value);
    }
    return draft.blocks === this.#blocks ? this : new PersistentMap(draft.blocks, draft.size);
  }

  *[Symbol.iterator](): Iterator<[string, V]> {
    // Small maps are walked in every tick; an iterator for each empty shard would be most of a tick's garbage.
    const shards = this.#blocks.filter((block) => block !== EMPTY_BLOCK).flat();
    for (const shard of shards) {
      if (shard.size > 0) {
        yield* shard;
      }
    }
  }

  *keys(): IterableIterator<string> {
    for (const [key] of this) {
      yield key;
    }
  }

  *values(): IterableIterator<V> {
    for (const [, value] of this) {
      yield value;
    }
  }

  /** Keys whose value is not the same reference in both maps, in no particular order. */
  changedKeys(previous: PersistentMap<V>): string[] {
    const changed: string[] = [];
    for (let i = 0; i < BLOCKS; i++) {
      const before = previous.#blocks[i] ?? EMPTY_BLOCK;
      const after = this.#blocks[i] ?? EMPTY_BLOCK;
      if (before !== after) {
        compareBlocks(before, after, changed);
      }
    }
    return changed;
  }
}

function compareBlocks<V>(before: Block<V>, after: Block<V>, changed: string[]): void {
  for (let i = 0; i < SHARDS_OF_A_BLOCK; i++) {
    const left = before[i] ?? EMPTY_SHARD;
    const right = after[i] ?? EMPTY_SHARD;
    if (left !== right) {
      collectChanges(left, right, changed);
    }
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

/** The mutable middle of one `with`: copies a shard, and the arrays on the way to it, when it is first written to. */
class Draft<V> {
  blocks: readonly Block<V>[];
  size: number;
  readonly #base: readonly Block<V>[];
  readonly #ownBlocks = new Map<number, Shard<V>[]>();
  readonly #ownShards = new Map<number, Map<string, V>>();
  #ownOuter: Block<V>[] | undefined;

  constructor(base: readonly Block<V>[], size: number) {
    this.#base = base;
    this.blocks = base;
    this.size = size;
  }

  set(key: string, value: V): void {
    const index = shardOf(key);
    const current = shardIn(this.blocks, index);
    const known = current.has(key);
    if (known && current.get(key) === value) {
      return;
    }
    this.#own(index).set(key, value);
    this.size += known ? 0 : 1;
  }

  delete(key: string): void {
    const index = shardOf(key);
    if (shardIn(this.blocks, index).has(key)) {
      this.#own(index).delete(key);
      this.size -= 1;
    }
  }

  #own(index: number): Map<string, V> {
    const owned = this.#ownShards.get(index);
    if (owned) {
      return owned;
    }
    const copy = new Map(shardIn(this.blocks, index));
    this.#ownShards.set(index, copy);
    this.#ownBlock(Math.floor(index / SHARDS_OF_A_BLOCK))[index % SHARDS_OF_A_BLOCK] = copy;
    return copy;
  }

  #ownBlock(index: number): Shard<V>[] {
    const owned = this.#ownBlocks.get(index);
    if (owned) {
      return owned;
    }
    const copy = [...(this.#base[index] ?? EMPTY_BLOCK)];
    this.#ownBlocks.set(index, copy);
    this.#ownOuter ??= [...this.#base];
    this.#ownOuter[index] = copy;
    this.blocks = this.#ownOuter;
    return copy;
  }
}
