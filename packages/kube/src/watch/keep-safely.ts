// Handing objects to whoever keeps them must not end the loop, whatever happens there. If taking in many at
// once fails, they are handed over one by one, and those that still fail are set aside with a fault.

import { fault } from '@herald/api';
import type { Change, Collection, Entry, Extent, Keeper } from './collection.ts';

export class SafeKeeper<T> {
  readonly #collection: Collection<T>;
  readonly #keeper: Keeper<T>;

  constructor(collection: Collection<T>, keeper: Keeper<T>) {
    this.#collection = collection;
    this.#keeper = keeper;
  }

  get size(): number {
    return this.#keeper.size;
  }

  replace(entries: readonly Entry<T>[], extent: Extent): void {
    try {
      this.#keeper.replace(entries, extent);
    } catch {
      entries.forEach((entry) => this.#changeOne({ kind: 'set', entry }));
    }
  }

  change(changes: readonly Change<T>[]): void {
    if (changes.length === 0) {
      return;
    }
    try {
      this.#keeper.change(changes);
    } catch {
      changes.forEach((change) => this.#changeOne(change));
    }
  }

  #changeOne(change: Change<T>): void {
    try {
      this.#keeper.change([change]);
    } catch (error) {
      const key = change.kind === 'set' ? change.entry.key : change.key;
      const rule = `could not be taken in (${(error as Error).name}), so its last good state stays`;
      this.#keeper.setAside(key, fault(`${this.#collection.kind} ${key}`, '', rule, 'Unreadable'));
    }
  }
}
