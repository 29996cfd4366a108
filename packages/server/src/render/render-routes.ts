// The route tables as one sorted list, filtered and paged. Export tags are shown as the names of the peers
// that they stand for. Sorting a table costs as much as it is large, so the order is kept with the table.

import type { Decision, PeerSession } from '@herald/decision';
import {
  comparePrefixes,
  type Address,
  type Path,
  type Prefix,
  type PrefixRoutes,
  type RouteTable,
} from '@herald/net';
import { peersOfTable, receives } from './audience.ts';
import { pageOf, type Page, type PageQuery } from './page.ts';
import { familyName } from './plain.ts';
import { renderAttributes, type AttributesView } from './render-attributes.ts';

export interface RouteQuery extends PageQuery {
  readonly prefix: Prefix | undefined;
  readonly nextHop: Address | undefined;
  /** `none`: a peer that receives nothing. */
  readonly peer: PeerSession | 'none' | undefined;
  readonly family: 'ipv4' | 'ipv6' | undefined;
}

export interface RouteView {
  readonly prefix: string;
  readonly family: 'ipv4' | 'ipv6';
  readonly table: string;
  readonly paths: readonly PathView[];
}

export interface PathView extends AttributesView {
  readonly nextHop: string;
  readonly pathId: number;
  readonly peers: readonly string[];
}

interface Found {
  readonly table: string;
  readonly peers: readonly PeerSession[];
  readonly routes: PrefixRoutes;
  readonly paths: readonly Path[];
}

const sortedTables = new WeakMap<RouteTable, readonly PrefixRoutes[]>();

export function renderRoutes(decision: Decision, query: RouteQuery): Page<RouteView> {
  const found = tablesOf(decision).flatMap(([name, table]) => findRoutes(decision, name, table, query));
  return pageOf(found, query, renderRoute);
}

function tablesOf(decision: Decision): [string, RouteTable][] {
  const views = [...decision.tables.views].sort(([a], [b]) => (a < b ? -1 : 1));
  return [['shared', decision.tables.shared], ...views];
}

function findRoutes(decision: Decision, name: string, table: RouteTable, query: RouteQuery): Found[] {
  const peers = peersOfTable(decision, name);
  if (query.peer === 'none' || (query.peer !== undefined && !peers.includes(query.peer))) {
    return [];
  }
  return candidates(table, query)
    .map((routes) => ({ table: name, peers, routes, paths: matchingPaths(routes, query) }))
    .filter((found) => found.paths.length > 0);
}

function candidates(table: RouteTable, query: RouteQuery): readonly PrefixRoutes[] {
  if (query.prefix !== undefined) {
    const routes = table.get(query.prefix.text);
    return routes === undefined ? [] : [routes];
  }
  return sorted(table);
}

function matchingPaths(routes: PrefixRoutes, query: RouteQuery): readonly Path[] {
  if (query.family !== undefined && familyName(routes.prefix.family) !== query.family) {
    return [];
  }
  const { peer, nextHop } = query;
  if (peer === undefined && nextHop === undefined) {
    return routes.paths;
  }
  return routes.paths.filter(
    (path) =>
      (nextHop === undefined || path.nextHop.text === nextHop.text) &&
      (peer === undefined || (peer !== 'none' && receives(peer, routes.prefix, path))),
  );
}

function sorted(table: RouteTable): readonly PrefixRoutes[] {
  const known = sortedTables.get(table);
  if (known !== undefined) {
    return known;
  }
  const routes = [...table.values()].sort((a, b) => comparePrefixes(a.prefix, b.prefix));
  sortedTables.set(table, routes);
  return routes;
}

function renderRoute({ table, peers, routes, paths }: Found): RouteView {
  return {
    prefix: routes.prefix.text,
    family: familyName(routes.prefix.family),
    table,
    paths: paths.map((path) => renderPath(routes.prefix, path, peers)),
  };
}

function renderPath(prefix: Prefix, path: Path, peers: readonly PeerSession[]): PathView {
  return Object.assign(
    {
      nextHop: path.nextHop.text,
      pathId: path.pathId,
      peers: peers.filter((peer) => receives(peer, prefix, path)).map((peer) => peer.name),
    },
    renderAttributes(path.attributes),
  );
}
