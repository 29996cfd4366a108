// How current what is kept of a resource is, for those who watch the watches.

import type { Collection } from '../watch/collection.ts';

export interface WatchFreshness {
  /** Plural name of the resource. */
  readonly resource: string;
  /** When the watch was last known to be current; 0 before the first time. */
  readonly freshAtMs: number;
}

export function resourceOf({ path }: Pick<Collection<unknown>, 'path'>): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** Several watches of one resource count as their oldest. */
export function oldestByResource(watches: readonly WatchFreshness[]): readonly WatchFreshness[] {
  const oldest = new Map<string, WatchFreshness>();
  for (const watch of watches) {
    const known = oldest.get(watch.resource);
    if (known === undefined || watch.freshAtMs < known.freshAtMs) {
      oldest.set(watch.resource, watch);
    }
  }
  return [...oldest.values()];
}
