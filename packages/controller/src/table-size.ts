// How many paths tables have, by family: what bgpd must hold of a feed before its table is complete. Walks
// the tables, so it is asked for only while an instance has not been seen complete.

import type { Tables } from '@herald/decision';

/** The marker is one more IPv4 path in every table. */
const MARKER_PATHS = 1;

export function pathsOf(tables: Tables, instance: string): { readonly 4: number; readonly 6: number } {
  const table = instance === 'default' ? tables.shared : tables.views.get(instance);
  const count = { 4: MARKER_PATHS, 6: 0 };
  for (const entry of table?.values() ?? []) {
    count[entry.prefix.family] += entry.paths.length;
  }
  return count;
}
