// The route tables as one sorted list, filtered and paged. Export tags are shown as the names of the peers
// that they stand for; a path that peers see with different AS paths stands once for each of these. Sorting a table costs as much as it is large, so the order is kept with the table.

import type { Decision, PeerSession } from '@herald/decision';
import {
  comparePrefixes,
  type Address,
  type Path,
  type Prefix,
  type PrefixRoutes,
  type RouteTable,
} from '@herald/net';
import { asPathTowards, peersOfTable, receives } from './audience.ts';
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
  /** Only what this peer sees is asked for. */
  readonly only: PeerSession | undefined;
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
  const { peer: only } = query;
  if (only === 'none' || (only !== undefined && !peers.includes(only))) {
    return [];
  }
  return candidates(table, query)
    .map((routes) => ({ table: name, peers, routes, paths: matchingPaths(routes, query), only }))
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

function renderRoute(found: Found): RouteView {
  const { table, routes, paths } = found;
  return {
    prefix: routes.prefix.text,
    family: familyName(routes.prefix.family),
    table,
    paths: paths.flatMap((path) => renderPath(found, path)),
  };
}

function renderPath({ routes, peers, only }: Found, path: Path): PathView[] {
  const audiences = alikeAudiences(
    peers.filter((peer) => receives(peer, routes.prefix, path)),
    path.attributes.asPath,
  );
  return audiences
    .filter((audience) => only === undefined || audience.peers.includes(only))
    .map((audience) =>
      Object.assign(
        {
          nextHop: path.nextHop.text,
          pathId: path.pathId,
          peers: audience.peers.map((peer) => peer.name),
        },
        renderAttributes(path.attributes, audience.asPath),
      ),
    );
}

interface Audience {
  readonly peers: readonly PeerSession[];
  readonly asPath: readonly number[];
}

/** Peers that see the same AS path together; a path that nobody receives is shown as it is. */
function alikeAudiences(peers: readonly PeerSession[], asPath: readonly number[]): Audience[] {
  if (peers.length === 0 || asPath.length === 0) {
    return [{ peers, asPath }];
  }
  const alike = Map.groupBy(peers, (peer) => asPathTowards(peer, asPath).join(' '));
  return Array.from(alike.values(), (group) => ({
    peers: group,
    asPath: group[0] === undefined ? asPath : asPathTowards(group[0], asPath),
  }));
}
