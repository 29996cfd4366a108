// How many paths a table has: what bgpd must hold of a feed before its table is complete. Walks the table, so
// it is asked for only while an instance has not been seen complete.

import type { Tables } from '@herald/decision';
import { PersistentMap, type PrefixRoutes, type RouteTable } from '@herald/net';

/** The marker is one more path in every table. */
const MARKER_PATHS = 1;

const NO_ROUTES: RouteTable = PersistentMap.empty<PrefixRoutes>();

/** `default` is the instance that peers share; a view that there is no table for holds nothing. */
export function tableOf(tables: Tables, instance: string): RouteTable {
  return instance === 'default' ? tables.shared : (tables.views.get(instance) ?? NO_ROUTES);
}

export function pathsOf(tables: Tables, instance: string): number {
  return Array.from(tableOf(tables, instance).values()).reduce(
    (count, { paths }) => count + paths.length,
    MARKER_PATHS,
  );
}
