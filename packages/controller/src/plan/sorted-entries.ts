// The entries of a map in the order of their keys, by code unit: the same on every machine.

export function sortedEntries<T>(map: Iterable<readonly [string, T]>): (readonly [string, T])[] {
  return [...map].sort(([a], [b]) => compareText(a, b));
}

export function compareText(a: string, b: string): number {
  if (a === b) {
    return 0;
  }
  return a < b ? -1 : 1;
}
