// A map of statuses, brought up to date for some of its keys. An entry that comes out equal keeps its
// reference, and a map in which nothing changed is the same map.

import { sameProjected } from '@herald/api';
import type { PersistentMap } from '@herald/net';

/** `render` gives undefined for what is to have no entry. */
export function refresh<T>(
  before: PersistentMap<T>,
  keys: Iterable<string>,
  render: (key: string, known: T | undefined) => T | undefined,
): PersistentMap<T> {
  const entries: [string, T][] = [];
  const gone: string[] = [];
  for (const key of keys) {
    const known = before.get(key);
    const now = render(key, known);
    if (now === undefined) {
      gone.push(key);
    } else if (known === undefined || !sameProjected(known, now)) {
      entries.push([key, now]);
    }
  }
  return before.with(entries, gone);
}

/** Keys of both, for maps that are small enough to go through. */
export function keysOfBoth(a: PersistentMap<unknown>, b: PersistentMap<unknown>): Set<string> {
  return new Set([...a.keys(), ...b.keys()]);
}
