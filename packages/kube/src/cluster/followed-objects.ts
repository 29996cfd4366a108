// A collection that is followed into the stores: the loop that watches it and the keeper that takes in what
// it brings, and how their troubles read as faults.

import type { Fault } from '@herald/api';
import type { KubeObject } from '../stores/object-set.ts';
import type { Stores } from '../stores/stores.ts';
import { ListWatch, type FollowClient } from '../watch/list-watch.ts';
import type { WatchTimes } from '../watch/watch-times.ts';
import type { ObjectCollection } from './collections.ts';
import { ObjectKeeper } from './object-keeper.ts';
import { troubleFault } from './trouble-fault.ts';
import { resourceOf, type WatchFreshness } from './watch-freshness.ts';

export interface FollowContext {
  readonly client: FollowClient;
  readonly stores: Stores;
  readonly times: WatchTimes;
  readonly random: () => number;
  /** Objects, faults or whether it is settled changed. */
  readonly onChange: () => void;
}

export class FollowedObjects {
  readonly keeper: ObjectKeeper;
  readonly #collection: ObjectCollection;
  readonly #watch: ListWatch<KubeObject>;

  constructor(collection: ObjectCollection, { client, stores, times, random, onChange }: FollowContext) {
    this.#collection = collection;
    this.keeper = new ObjectKeeper(collection.kind, stores, onChange);
    this.#watch = new ListWatch({
      client,
      collection,
      keeper: this.keeper,
      times,
      random,
      onNotice: onChange,
    });
  }

  /** Everything that there was has been taken in. */
  get filled(): boolean {
    return this.#watch.filled;
  }

  /** Nothing will come until an administrator allows it. */
  get forbidden(): boolean {
    return this.#watch.trouble?.kind === 'forbidden';
  }

  get freshAtMs(): number {
    return this.#watch.freshAtMs;
  }

  get freshness(): WatchFreshness {
    return { resource: resourceOf(this.#collection), freshAtMs: this.freshAtMs };
  }

  start(): void {
    this.#watch.start();
  }

  stop(): Promise<void> {
    return this.#watch.stop();
  }

  faults(): readonly Fault[] {
    const { trouble } = this.#watch;
    const own = trouble === undefined ? [] : [troubleFault(this.#collection.title, trouble)];
    return [...own, ...this.keeper.faults()];
  }
}
