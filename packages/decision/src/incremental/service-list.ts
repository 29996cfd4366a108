// A list sorted by Service key, with the items of some Services replaced: what changed costs, not what is
// listed.

import { compareText } from '../peers/peer-order.ts';

interface OfService {
  readonly serviceKey: string;
}

/** `writes`: the items that the list is to have of each Service named. The same list when nothing is written. */
export function withServiceItems<T extends OfService>(
  before: readonly T[],
  writes: ReadonlyMap<string, readonly T[]>,
): readonly T[] {
  if (writes.size === 0) {
    return before;
  }
  const kept = before.filter(({ serviceKey }) => !writes.has(serviceKey));
  const added = [...writes].sort(([a], [b]) => compareText(a, b)).flatMap(([, items]) => items);
  return merged(kept, added);
}

function merged<T extends OfService>(a: readonly T[], b: readonly T[]): readonly T[] {
  const all: T[] = [];
  let next = 0;
  for (const item of a) {
    for (let other = b[next]; other && other.serviceKey < item.serviceKey; other = b[++next]) {
      all.push(other);
    }
    all.push(item);
  }
  return [...all, ...b.slice(next)];
}
