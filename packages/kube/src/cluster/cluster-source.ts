// A Kubernetes cluster as a source: every collection that a decision reads, followed by list and watch into
// the stores. Synced once all of them were complete; from then on nothing but evidence removes an object.
//
// Does not write. `current` is for those who do: the resource version belongs to a request, not to the World.

import type { Fault, Service } from '@herald/api';
import type { Source } from '../source.ts';
import type { Unsubscribe } from '../stores/change-signal.ts';
import type { ObjectKind, ObjectSet } from '../stores/object-set.ts';
import { Stores } from '../stores/stores.ts';
import type { FollowClient } from '../watch/list-watch.ts';
import { WATCH_TIMES, type WatchTimes } from '../watch/watch-times.ts';
import { COLLECTIONS } from './collections.ts';
import { FollowedObjects, type FollowContext } from './followed-objects.ts';
import { NamedSecrets } from './named-secrets.ts';
import { withOneUnreachable } from './trouble-fault.ts';
import { oldestByResource, type WatchFreshness } from './watch-freshness.ts';

export interface ClusterOptions {
  readonly client: FollowClient;
  /** Where Herald runs, and where the Secrets of its peers are. */
  readonly namespace: string;
  readonly settings: { readonly suspectListMs: number };
  readonly times?: Partial<WatchTimes>;
  readonly random?: () => number;
}

/** What a Service is now, for a write that must not overwrite anything newer. */
export interface CurrentService {
  readonly service: Service;
  readonly resourceVersion: string;
}

export class ClusterSource implements Source {
  readonly #stores = new Stores();
  readonly #followed: readonly FollowedObjects[];
  readonly #services: FollowedObjects | undefined;
  readonly #secrets: NamedSecrets;
  #peers: ObjectSet['peers'] | undefined;
  #saidFaults = '[]';
  #closed = false;

  constructor({ client, namespace, settings, times, random = Math.random }: ClusterOptions) {
    const context: FollowContext = {
      client,
      stores: this.#stores,
      times: { ...WATCH_TIMES, suspectListMs: settings.suspectListMs, ...times },
      random,
      onChange: () => this.#settle(),
    };
    this.#followed = COLLECTIONS.map((collection) => new FollowedObjects(collection, context));
    this.#services = this.#followed[COLLECTIONS.findIndex(({ kind }) => kind === 'Service')];
    this.#secrets = new NamedSecrets(namespace, context);
  }

  /** Begins; `synced` tells when everything is there. */
  start(): Promise<void> {
    this.#followed.forEach((followed) => followed.start());
    return Promise.resolve();
  }

  snapshot(): ObjectSet {
    return this.#stores.snapshot();
  }

  get synced(): boolean {
    return this.#stores.synced;
  }

  onChange(listener: () => void): Unsubscribe {
    return this.#stores.onChange(listener);
  }

  faults(): readonly Fault[] {
    const all = [...this.#followed.flatMap((followed) => followed.faults()), ...this.#secrets.faults()];
    return withOneUnreachable(all);
  }

  /** Of the collection that was heard of longest ago. */
  get freshAtMs(): number {
    return Math.min(...this.#followed.map(({ freshAtMs }) => freshAtMs), ...this.#secrets.freshAtMs());
  }

  /** Of each resource, Secrets that may be read included. */
  get watches(): readonly WatchFreshness[] {
    const all = [...this.#followed.map(({ freshness }) => freshness), ...this.#secrets.watches()];
    return oldestByResource(all);
  }

  /** The Service in the snapshot, and which version of it that is. */
  current(serviceKey: string): CurrentService | undefined {
    const service = this.#stores.snapshot().services.get(serviceKey);
    const resourceVersion = this.#services?.keeper.resourceVersion(serviceKey);
    return service === undefined || resourceVersion === undefined ? undefined : { service, resourceVersion };
  }

  /** Of the spec that the snapshot shows or the faults are about; undefined for what is not there. */
  generation(kind: ObjectKind, key: string): number | undefined {
    return this.#followed[COLLECTIONS.findIndex((one) => one.kind === kind)]?.keeper.generation(key);
  }

  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all(this.#followed.map((followed) => followed.stop()));
    await this.#secrets.stop();
  }

  #settle(): void {
    if (this.#closed) {
      return;
    }
    this.#followSecrets();
    if (this.#followed.every(({ filled }) => filled) && this.#secrets.settled) {
      this.#stores.markSynced();
    }
    this.#sayFaults();
  }

  #followSecrets(): void {
    const { peers } = this.#stores.snapshot();
    if (peers !== this.#peers) {
      this.#peers = peers;
      const named = [...peers.values()].map(({ passwordSecret }) => passwordSecret?.name);
      this.#secrets.set(new Set(named.filter((name) => name !== undefined)));
    }
  }

  #sayFaults(): void {
    const faults = JSON.stringify(this.faults());
    if (faults !== this.#saidFaults) {
      this.#saidFaults = faults;
      this.#stores.raise();
    }
  }
}
