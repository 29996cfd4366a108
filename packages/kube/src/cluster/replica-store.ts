// What the replicas of Herald say about themselves, for the sums that the leader writes. Not a part of the
// World: nothing is decided from it.

import { type Fault, type HeraldReplicaStatus } from '@herald/api';
import { ChangeSignal, type Unsubscribe } from '../stores/change-signal.ts';
import type { Change, Collection, Entry, Extent, Keeper } from '../watch/collection.ts';
import { ListWatch, type FollowClient } from '../watch/list-watch.ts';
import { WATCH_TIMES, type WatchTimes } from '../watch/watch-times.ts';
import { replicaCollection } from './collections.ts';
import { troubleFault } from './trouble-fault.ts';
import { resourceOf, type WatchFreshness } from './watch-freshness.ts';

export interface ReplicaStoreOptions {
  readonly client: FollowClient;
  readonly namespace: string;
  readonly settings: { readonly suspectListMs: number };
  readonly times?: Partial<WatchTimes>;
  readonly random?: () => number;
}

export class ReplicaStore {
  readonly #signal = new ChangeSignal();
  readonly #collection: Collection<HeraldReplicaStatus>;
  readonly #watch: ListWatch<HeraldReplicaStatus>;
  #statuses: ReadonlyMap<string, HeraldReplicaStatus> = new Map();

  constructor({ client, namespace, settings, times, random = Math.random }: ReplicaStoreOptions) {
    this.#collection = replicaCollection(namespace);
    this.#watch = new ListWatch({
      client,
      collection: this.#collection,
      keeper: this.#keeper(),
      times: { ...WATCH_TIMES, suspectListMs: settings.suspectListMs, ...times },
      random,
      onNotice: () => this.#signal.raise(),
    });
  }

  start(): void {
    this.#watch.start();
  }

  /** By name; the same reference as long as nothing changed. */
  statuses(): ReadonlyMap<string, HeraldReplicaStatus> {
    return this.#statuses;
  }

  /** Whether the statuses are all that there are. */
  get synced(): boolean {
    return this.#watch.filled;
  }

  get freshness(): WatchFreshness {
    return { resource: resourceOf(this.#collection), freshAtMs: this.#watch.freshAtMs };
  }

  faults(): readonly Fault[] {
    const { trouble } = this.#watch;
    return trouble === undefined ? [] : [troubleFault(this.#collection.title, trouble)];
  }

  onChange(listener: () => void): Unsubscribe {
    return this.#signal.subscribe(listener);
  }

  close(): Promise<void> {
    return this.#watch.stop();
  }

  #keeper(): Keeper<HeraldReplicaStatus> {
    const size = (): number => this.#statuses.size;
    return {
      get size() {
        return size();
      },
      replace: (entries, extent) => this.#replace(entries, extent),
      change: (changes) => this.#change(changes),
      // Statuses are kept as they are: there is nothing to fail.
      setAside: () => undefined,
    };
  }

  #replace(entries: readonly Entry<HeraldReplicaStatus>[], extent: Extent): void {
    const kept = extent === 'complete' ? [] : [...this.#statuses];
    this.#set(new Map([...kept, ...entries.flatMap(statusEntry)]));
  }

  #change(changes: readonly Change<HeraldReplicaStatus>[]): void {
    const next = new Map(this.#statuses);
    for (const change of changes) {
      if (change.kind === 'removed') {
        next.delete(nameOf(change.key));
      } else {
        statusEntry(change.entry).forEach(([name, status]) => next.set(name, status));
      }
    }
    this.#set(next);
  }

  #set(statuses: ReadonlyMap<string, HeraldReplicaStatus>): void {
    this.#statuses = statuses;
    this.#signal.raise();
  }
}

function statusEntry({ key, value }: Entry<HeraldReplicaStatus>): [string, HeraldReplicaStatus][] {
  return value === undefined ? [] : [[nameOf(key), value]];
}

function nameOf(key: string): string {
  return key.slice(key.indexOf('/') + 1);
}
