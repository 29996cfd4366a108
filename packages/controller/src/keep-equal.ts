// Two maps of plain values, the newer one with every entry replaced by the older one's object where both
// say the same: then identity tells what has changed. The older map itself when nothing has.

import { sameProjected } from '@herald/api';
import type { PersistentMap } from '@herald/net';

export function keepEqual<T>(next: PersistentMap<T>, before: PersistentMap<T>): PersistentMap<T> {
  const gone = [...before.keys()].filter((key) => !next.has(key));
  const changed = [...next].filter(([key, value]) => {
    const old = before.get(key);
    return old === undefined || !sameProjected(old, value);
  });
  return before.with(changed, gone);
}
