// The Secrets that peers name, each followed by a watch of its own, since no right to list Secrets is wanted.
// Given all names every time; what is not named any more is neither watched nor kept.
//
// A Secret that may not be read is said and holds nothing up: its peer waits, everything else goes on.

import type { Fault } from '@herald/api';
import { secretCollection } from './collections.ts';
import { FollowedObjects, type FollowContext } from './followed-objects.ts';
import type { WatchFreshness } from './watch-freshness.ts';

export class NamedSecrets {
  readonly #namespace: string;
  readonly #context: FollowContext;
  readonly #followed = new Map<string, FollowedObjects>();
  readonly #stopping = new Set<Promise<void>>();

  constructor(namespace: string, context: FollowContext) {
    this.#namespace = namespace;
    this.#context = context;
  }

  set(names: ReadonlySet<string>): void {
    for (const name of names) {
      if (!this.#followed.has(name)) {
        const followed = new FollowedObjects(secretCollection(this.#namespace, name), this.#context);
        this.#followed.set(name, followed);
        followed.start();
      }
    }
    for (const [name, followed] of this.#followed) {
      if (!names.has(name)) {
        this.#followed.delete(name);
        this.#letGo(followed);
      }
    }
  }

  /** Whether nothing more is to be waited for. */
  get settled(): boolean {
    return [...this.#followed.values()].every(({ filled, forbidden }) => filled || forbidden);
  }

  /** Of those that may be read. */
  freshAtMs(): readonly number[] {
    return this.watches().map(({ freshAtMs }) => freshAtMs);
  }

  watches(): readonly WatchFreshness[] {
    return [...this.#followed.values()]
      .filter(({ forbidden }) => !forbidden)
      .map(({ freshness }) => freshness);
  }

  faults(): readonly Fault[] {
    return [...this.#followed.values()].flatMap((followed) => followed.faults());
  }

  async stop(): Promise<void> {
    await Promise.all([
      ...this.#stopping,
      ...[...this.#followed.values()].map((followed) => followed.stop()),
    ]);
  }

  #letGo(followed: FollowedObjects): void {
    const stopped = followed.stop();
    followed.keeper.clear();
    this.#stopping.add(stopped);
    void stopped.finally(() => this.#stopping.delete(stopped));
  }
}
