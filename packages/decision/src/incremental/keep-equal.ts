// Newer plain values with whatever equals its predecessor replaced by it, so that identity tells what changed.

import { sameProjected } from '@herald/api';
import type { PersistentMap } from '@herald/net';

export function kept<T>(next: T, before: T | undefined): T {
  return before !== undefined && sameProjected(next, before) ? before : next;
}

/** The older map itself when nothing in it has changed. */
export function keepEqual<T>(next: PersistentMap<T>, before: PersistentMap<T>): PersistentMap<T> {
  const gone = [...before.keys()].filter((key) => !next.has(key));
  return before.with(
    [...next].map(([key, value]) => [key, kept(value, before.get(key))]),
    gone,
  );
}
