// Ranked routes -> route tables: the shared one and one for each view. An entry whose paths are the same as
// before stays the same object; a table in which nothing changed does too.

import { PersistentMap } from '@herald/net';
import type { PrefixRoutes, RouteTable } from '@herald/net';
import type { Tables } from '../decision.ts';
import type { Interner } from './interner.ts';
import { prefixRoutes } from './paths.ts';
import type { TableContext } from './paths.ts';
import { SHARED } from './peer-group.ts';
import type { Policy } from './policy.ts';
import type { PrefixState } from './prefix-state.ts';
import type { RankChange } from './rank-routes.ts';
import type { Steps } from '../steps.ts';

export function* writeTables(
  tables: Tables,
  changes: readonly RankChange[],
  prefixes: PersistentMap<PrefixState>,
  policy: Policy,
  interner: Interner,
): Steps<Tables> {
  const write = (table: string, before: RouteTable): Steps<RouteTable> =>
    written(before, changes, prefixes, tableContext(table, policy, interner));
  const names = new Set(policy.groups.map(({ fields }) => fields.table));
  names.delete(SHARED);
  const views = new Map<string, RouteTable>();
  for (const name of names) {
    views.set(name, yield* write(name, tables.views.get(name) ?? PersistentMap.empty()));
  }
  const shared = yield* write(SHARED, tables.shared);
  const viewsStay = sameViews(tables.views, views);
  return viewsStay && shared === tables.shared ? tables : { shared, views: viewsStay ? tables.views : views };
}

function tableContext(table: string, policy: Policy, interner: Interner): TableContext {
  return {
    table,
    groups: policy.groups.filter(({ fields }) => fields.table === table),
    interner,
    asn: policy.settings.asn,
    restricted: policy.restricted,
  };
}

function* written(
  table: RouteTable,
  changes: readonly RankChange[],
  prefixes: PersistentMap<PrefixState>,
  context: TableContext,
): Steps<RouteTable> {
  const entries: [string, PrefixRoutes][] = [];
  const removed: string[] = [];
  for (const { text, after } of changes) {
    const routes = after.filter(({ group }) => group.fields.table === context.table);
    const prefix = prefixes.get(text)?.prefix;
    if (prefix && routes.length > 0) {
      entries.push([text, unlessSame(table.get(text), prefixRoutes(prefix, routes, context))]);
    } else {
      removed.push(text);
    }
    yield;
  }
  return table.with(entries, removed);
}

function unlessSame(before: PrefixRoutes | undefined, after: PrefixRoutes): PrefixRoutes {
  const same =
    before?.paths.length === after.paths.length && after.paths.every((path, i) => path === before.paths[i]);
  return before && same ? before : after;
}

function sameViews(a: Tables['views'], b: Tables['views']): boolean {
  return a.size === b.size && [...b].every(([name, table]) => a.get(name) === table);
}

/** What a replica announces that only stands ready: the same tables, empty. `before` is kept if it is that. */
export function emptied({ views }: Tables, before: Tables): Tables {
  const none: RouteTable = PersistentMap.empty();
  const empty = new Map(Array.from(views.keys(), (name) => [name, none]));
  return before.shared === none && sameViews(before.views, empty) ? before : { shared: none, views: empty };
}
