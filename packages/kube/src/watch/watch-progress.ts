// How far a watch has come: the resource version to go on from, and the objects of a streamed list that is
// still arriving. Batches of events -> what there is to do about them. Pure.

import type { Change, Collection, Entry } from './collection.ts';
import type { Listing } from './paged-list.ts';
import { keyOf, readEntry } from './read-entry.ts';
import { runsBackwards } from './resource-version.ts';
import type { WatchEvent } from './watch-event.ts';

/** What a batch of events amounts to; the listing comes before the changes. */
export interface Step<T> {
  /** A streamed list that has arrived as a whole. */
  listing: Listing<T> | undefined;
  readonly changes: Change<T>[];
  /**
   * rewound: the server's data went back in time. error: an ERROR event. Events behind it do not count, those
   * before it do.
   */
  end: undefined | { readonly kind: 'rewound' } | { readonly kind: 'error'; readonly object: unknown };
  /** The stream cannot be trusted. */
  failure: unknown;
}

export class WatchProgress<T> {
  readonly #collection: Collection<T>;
  #version: string | undefined;
  #arriving = new Map<string, Entry<T>>();

  constructor(collection: Collection<T>) {
    this.#collection = collection;
  }

  /** Where the next watch begins; undefined: with a list. */
  get version(): string | undefined {
    return this.#version;
  }

  /** A new watch or list begins from there. */
  begin(version: string | undefined): void {
    this.#version = version;
    this.#arriving = new Map();
  }

  take(events: readonly WatchEvent[]): Step<T> {
    const step: Step<T> = { listing: undefined, changes: [], end: undefined, failure: undefined };
    try {
      for (const event of events) {
        this.#takeOne(event, step);
        if (step.end !== undefined) {
          break;
        }
      }
    } catch (error) {
      step.failure = error;
    }
    return step;
  }

  #takeOne(event: WatchEvent, step: Step<T>): void {
    if (event.kind === 'error') {
      step.end = { kind: 'error', object: event.object };
    } else if (this.#version === undefined) {
      this.#arrive(event, step);
    } else if (runsBackwards(this.#version, event.resourceVersion)) {
      step.end = { kind: 'rewound' };
    } else {
      this.#advance(event, step.changes);
    }
  }

  /** An event of a streamed list. */
  #arrive(event: Exclude<WatchEvent, { kind: 'error' }>, step: Step<T>): void {
    if (event.kind === 'set') {
      const entry = readEntry(this.#collection, event.object);
      this.#arriving.set(entry.key, entry);
    } else if (event.kind === 'removed') {
      this.#arriving.delete(keyOf(event.object));
    } else if (event.kind === 'bookmark' && event.initialEnd) {
      const entries = [...this.#arriving.values()];
      step.listing = { entries, extent: 'complete', resourceVersion: event.resourceVersion };
      this.begin(event.resourceVersion);
    }
  }

  #advance(event: Exclude<WatchEvent, { kind: 'error' }>, changes: Change<T>[]): void {
    if (event.kind === 'set') {
      changes.push({ kind: 'set', entry: readEntry(this.#collection, event.object) });
    } else if (event.kind === 'removed') {
      changes.push({ kind: 'removed', key: keyOf(event.object) });
    }
    if (event.resourceVersion !== '') {
      this.#version = event.resourceVersion;
    }
  }
}
