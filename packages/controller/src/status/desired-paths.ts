// How many paths each peer should have, by family, and how many prefixes and routes there are in all: counted up
// and down as tables change, so that one changed prefix among thousands costs one prefix. (tables, the last
// tally) -> tally, the same object when the tables are the same.
//
// In the shared table a path carries the numbers of its peers as export tags, or 0 for all of them; a view is
// its peer's as a whole.

import type { PeerSession, Tables } from '@herald/decision';
import { EVERY_PEER, PersistentMap, exportedTo } from '@herald/net';
import type { Family, Path, PrefixRoutes, RouteTable } from '@herald/net';

interface TableTally {
  readonly table: RouteTable;
  readonly routes: number;
  /** By tag and family. */
  readonly paths: ReadonlyMap<string, number>;
}

export interface Tally {
  readonly tables: Tables;
  readonly shared: TableTally;
  readonly views: ReadonlyMap<string, TableTally>;
  /** Prefix -> in how many tables it stands. */
  readonly prefixes: PersistentMap<number>;
}

const NO_TABLE: RouteTable = PersistentMap.empty<PrefixRoutes>();
const NO_PATHS: TableTally = { table: NO_TABLE, routes: 0, paths: new Map() };

export const EMPTY_TALLY: Tally = {
  tables: { shared: NO_TABLE, views: new Map() },
  shared: NO_PATHS,
  views: new Map(),
  prefixes: PersistentMap.empty(),
};

export function tallyPaths(tables: Tables, before: Tally): Tally {
  if (tables === before.tables) {
    return before;
  }
  const views = Array.from(tables.views, ([name, table]): [string, TableTally] => [
    name,
    tallyTable(table, before.views.get(name) ?? NO_PATHS, allOfIt),
  ]);
  return {
    tables,
    shared: tallyTable(tables.shared, before.shared, exportTags),
    views: new Map(views),
    prefixes: countTables(tables, before),
  };
}

export function desiredPaths(peer: PeerSession, family: Family, { shared, views }: Tally): number {
  if (peer.instance.kind === 'view') {
    return views.get(peer.instance.name)?.paths.get(keyOf(EVERY_PEER, family)) ?? 0;
  }
  const tags = [EVERY_PEER, peer.number];
  return tags.reduce((sum, tag) => sum + (shared.paths.get(keyOf(tag, family)) ?? 0), 0);
}

export function routesIn({ shared, views }: Tally): number {
  return Array.from(views.values()).reduce((sum, { routes }) => sum + routes, shared.routes);
}

type TagsOf = (path: Path) => readonly number[];

function tallyTable(table: RouteTable, before: TableTally, tagsOf: TagsOf): TableTally {
  if (table === before.table) {
    return before;
  }
  const paths = new Map(before.paths);
  let { routes } = before;
  for (const prefix of table.changedKeys(before.table)) {
    const [now, then] = [tagsAt(table, prefix, tagsOf), tagsAt(before.table, prefix, tagsOf)];
    now.keys.forEach((key) => paths.set(key, (paths.get(key) ?? 0) + 1));
    then.keys.forEach((key) => paths.set(key, (paths.get(key) ?? 0) - 1));
    routes += now.routes - then.routes;
  }
  return { table, routes, paths };
}

function tagsAt(table: RouteTable, prefix: string, tagsOf: TagsOf): { routes: number; keys: string[] } {
  const found = table.get(prefix);
  if (found === undefined) {
    return { routes: 0, keys: [] };
  }
  const keys = found.paths.flatMap(tagsOf).map((tag) => keyOf(tag, found.prefix.family));
  return { routes: found.paths.length, keys };
}

function exportTags({ attributes }: Path): readonly number[] {
  return exportedTo(attributes.largeCommunities);
}

function allOfIt(): readonly number[] {
  return [EVERY_PEER];
}

function countTables(tables: Tables, { tables: last, prefixes }: Tally): PersistentMap<number> {
  const counts = new Map<string, number>();
  for (const [table, before] of tablePairs(tables, last)) {
    for (const prefix of table.changedKeys(before)) {
      const step = Number(table.has(prefix)) - Number(before.has(prefix));
      counts.set(prefix, (counts.get(prefix) ?? prefixes.get(prefix) ?? 0) + step);
    }
  }
  const left = [...counts].filter(([, tablesWithIt]) => tablesWithIt > 0);
  const gone = [...counts].filter(([, tablesWithIt]) => tablesWithIt === 0).map(([prefix]) => prefix);
  return prefixes.with(left, gone);
}

function tablePairs(now: Tables, before: Tables): [RouteTable, RouteTable][] {
  const names = new Set([...now.views.keys(), ...before.views.keys()]);
  const views = [...names].map((name): [RouteTable, RouteTable] => [
    now.views.get(name) ?? NO_TABLE,
    before.views.get(name) ?? NO_TABLE,
  ]);
  return [[now.shared, before.shared], ...views];
}

function keyOf(tag: number, family: Family): string {
  return `${tag}/${family}`;
}
