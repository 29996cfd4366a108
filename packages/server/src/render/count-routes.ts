// How many prefixes and routes (a prefix with one next hop and its attributes) each table holds, per family.
// Counting costs as much as a table is large, so the result is kept with the table.

import type { Tables } from '@herald/decision';
import type { Family, RouteTable } from '@herald/net';
import { familyName } from './plain.ts';

export interface TableCount {
  /** `shared` or the name of a view. */
  readonly table: string;
  readonly family: 'ipv4' | 'ipv6';
  readonly prefixes: number;
  readonly routes: number;
}

type Counts = Readonly<Record<Family, { readonly prefixes: number; readonly routes: number }>>;

const countedTables = new WeakMap<RouteTable, Counts>();

export function countRoutes(tables: Tables): TableCount[] {
  return [['shared', tables.shared] as const, ...tables.views].flatMap(([table, routes]) => {
    const counts = countTable(routes);
    return ([4, 6] as const).map((family) => {
      const { prefixes, routes: count } = counts[family];
      return { table, family: familyName(family), prefixes, routes: count };
    });
  });
}

function countTable(table: RouteTable): Counts {
  const known = countedTables.get(table);
  if (known !== undefined) {
    return known;
  }
  const counts = { 4: { prefixes: 0, routes: 0 }, 6: { prefixes: 0, routes: 0 } };
  for (const { prefix, paths } of table.values()) {
    counts[prefix.family].prefixes += 1;
    counts[prefix.family].routes += paths.length;
  }
  countedTables.set(table, counts);
  return counts;
}
