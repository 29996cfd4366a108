// Which tables a replica announces without live data: (what was kept, what bgpd holds, peers that are left to others) ->
// tables. What bgpd holds complete, marker included, is newer than any file and is what routers have: it is said again
// just as it is, path ids and ranks included, and no router hears anything. Only where bgpd lost it the file is used, at
// the rank of content that nobody has confirmed. Pure.

import type { PeerSession, RetainedPath, RetainedTables, Tables } from '@herald/decision';
import { MARKER_PREFIX } from '@herald/frr';
import {
  EVERY_PEER,
  exportedTo,
  exportTag,
  isExportTag,
  parseAddress,
  parsePrefix,
  pathAttributes,
  PersistentMap,
  type Path,
  type PathAttributes,
  type PrefixRoutes,
  type RouteTable,
} from '@herald/net';

import type { KeptContent } from './kept-content.ts';

/** Of the shared table, as a decision calls it. */
const SHARED = '';
const NO_ROUTES: RouteTable = PersistentMap.empty();

export interface Found {
  readonly tables: Tables;
  readonly from: 'bgpd' | 'file';
}

export function foundTables({ tables, sessions }: KeptContent, retained: RetainedTables): Found {
  const held = (name: string): RouteTable | undefined => heldTable(retained.get(name));
  const names = sessions.peers.flatMap(({ instance }) => (instance.kind === 'view' ? instance.name : []));
  const views = names.map((name) => [name, held(name) ?? tables.views.get(name) ?? NO_ROUTES] as const);
  const shared = held(SHARED);
  return {
    tables: { shared: shared ?? tables.shared, views: new Map(views) },
    from: shared === undefined ? 'file' : 'bgpd',
  };
}

/** undefined where it is not complete, or where something of it is not known. */
function heldTable(held: ReadonlyMap<string, readonly RetainedPath[]> | undefined): RouteTable | undefined {
  if (held?.has(MARKER_PREFIX.text) !== true) {
    return undefined;
  }
  const known = new Map<RetainedPath, Path | undefined>();
  const pathOf = (path: RetainedPath): Path | undefined => {
    const made = known.get(path) ?? sentPath(path);
    known.set(path, made);
    return made;
  };
  const routes = [...held]
    .filter(([text]) => text !== MARKER_PREFIX.text)
    .map(([text, paths]) => [text, heldRoutes(text, paths.map(pathOf))] as const);
  const whole = routes.flatMap(([text, each]) => (each === undefined ? [] : [[text, each] as const]));
  return whole.length === routes.length ? PersistentMap.from(whole) : undefined;
}

function sentPath({ nextHop, attributes, pathId }: RetainedPath): Path | undefined {
  const parsed = parseAddress(nextHop);
  return parsed.ok && pathId !== undefined ? { pathId, nextHop: parsed.value, attributes } : undefined;
}

function heldRoutes(text: string, found: readonly (Path | undefined)[]): PrefixRoutes | undefined {
  const parsed = parsePrefix(text);
  const paths = found.filter((path) => path !== undefined).sort((a, b) => a.pathId - b.pathId);
  const areDistinct = new Set(paths.map(({ pathId }) => pathId)).size === found.length;
  return parsed.ok && areDistinct ? { prefix: parsed.value, paths } : undefined;
}

/** Nothing for the silent peers; the same tables where there are none. */
export function withoutPeers(
  { shared, views }: Tables,
  peers: readonly PeerSession[],
  silent: ReadonlySet<string>,
): Tables {
  if (silent.size === 0) {
    return { shared, views };
  }
  const spoken = peers.filter(({ name }) => !silent.has(name));
  const numbers = spoken.filter(({ instance }) => instance.kind === 'shared').map(({ number }) => number);
  const left = new Set(spoken.flatMap(({ instance }) => (instance.kind === 'view' ? instance.name : [])));
  return {
    shared: onlyFor(shared, numbers),
    views: new Map(Array.from(views, ([name, table]) => [name, left.has(name) ? table : NO_ROUTES])),
  };
}

function onlyFor(table: RouteTable, numbers: readonly number[]): RouteTable {
  const known = new Map<Path, Path | undefined>();
  const narrowed = (path: Path): Path | undefined => {
    const made = known.has(path) ? known.get(path) : narrowedPath(path, numbers);
    known.set(path, made);
    return made;
  };
  const entries = Array.from(table, ([text, { prefix, paths }]): [string, PrefixRoutes] => {
    const left = paths.map(narrowed).filter((path) => path !== undefined);
    return [text, { prefix, paths: left }];
  });
  return PersistentMap.from(entries.filter(([, { paths }]) => paths.length > 0));
}

function narrowedPath(path: Path, numbers: readonly number[]): Path | undefined {
  const tags = exportedTo(path.attributes.largeCommunities);
  const left = tags.includes(EVERY_PEER) ? numbers : tags.filter((number) => numbers.includes(number));
  return left.length === 0 ? undefined : { ...path, attributes: tagged(path.attributes, left) };
}

function tagged(attributes: PathAttributes, numbers: readonly number[]): PathAttributes {
  const others = attributes.largeCommunities.filter((each) => !isExportTag(each));
  return pathAttributes({ ...attributes, largeCommunities: [...others, ...numbers.map(exportTag)] });
}
