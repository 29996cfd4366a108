// What is still to be looked at: everything (a walk), or single files and how their text came. Requests are
// merged until a run takes them all at once. Looks at nothing itself.

import type { Arrival } from './manifest-content.ts';

export interface Work {
  readonly walk: boolean;
  /** By path relative to the root; undefined: look again, nothing new is known of how it came. */
  readonly arrivals: ReadonlyMap<string, Arrival | undefined>;
}

export class PendingWork {
  #walk = false;
  #arrivals = new Map<string, Arrival | undefined>();

  get isEmpty(): boolean {
    return !this.#walk && this.#arrivals.size === 0;
  }

  add({ walk, arrivals }: Work): void {
    this.#walk ||= walk;
    for (const [path, arrival] of arrivals) {
      this.#arrivals.set(path, strongest(this.#arrivals.get(path), arrival));
    }
  }

  take(): Work {
    const work = { walk: this.#walk, arrivals: this.#arrivals };
    this.#walk = false;
    this.#arrivals = new Map();
    return work;
  }
}

/** `written` is the careful one of two reports about the same file. */
function strongest(known: Arrival | undefined, next: Arrival | undefined): Arrival | undefined {
  return known === 'written' ? known : (next ?? known);
}

/** Without the files of which nothing new is known. */
export function knownArrivals({ arrivals }: Work): ReadonlyMap<string, Arrival> {
  return new Map([...arrivals].filter((entry): entry is [string, Arrival] => entry[1] !== undefined));
}
