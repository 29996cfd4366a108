// What bgpd's table holds, path by path: the answers to `show bgp ... unicast detail json` (a whole table)
// and `show bgp ... unicast PREFIX json` (one prefix) -> paths. Pure.
//
// Per-path truth is only here: `advertised-routes json` shows one path per prefix, its `detail` form
// repeats one next hop, and the table without `detail` has no path ids. An ADD-PATH id is the one the feed
// gave (RFC 7911), not the one bgpd sends.

import { arrayField, asObject, isTrue, numberField, objectField, textField } from './json-fields.ts';
import type { JsonObject } from './json-fields.ts';

export interface HeldPath {
  readonly prefix: string;
  readonly nextHop: string;
  /** 0 where the feed sends no path ids. */
  readonly pathId: number;
  readonly med: number | undefined;
  readonly selected: boolean;
  readonly communities: readonly string[];
  readonly largeCommunities: readonly string[];
  /** Addresses of the neighbours that it was sent to. */
  readonly advertisedTo: readonly string[];
}

export interface HeldTable {
  readonly paths: readonly HeldPath[];
  readonly prefixCount: number;
  readonly pathCount: number;
}

export function parseTable(json: unknown): HeldTable {
  const table = asObject(json);
  const routes = objectField(table, 'routes');
  const paths = Object.keys(routes).flatMap((prefix) =>
    arrayField(routes, prefix).map((path) => heldPath(prefix, asObject(path))),
  );
  return {
    paths,
    prefixCount: numberField(table, 'totalRoutes') ?? Object.keys(routes).length,
    pathCount: numberField(table, 'totalPaths') ?? paths.length,
  };
}

/** An empty list for a prefix that bgpd does not hold. */
export function parsePrefix(json: unknown): HeldPath[] {
  const entry = asObject(json);
  const prefix = textField(entry, 'prefix') ?? '';
  return arrayField(entry, 'paths').map((path) => heldPath(prefix, asObject(path)));
}

/** Whether the route that was sent last has arrived and counts: selected, and with this community. */
export function markerSeen(json: unknown, largeCommunity: string): boolean {
  return parsePrefix(json).some((path) => path.selected && path.largeCommunities.includes(largeCommunity));
}

function heldPath(prefix: string, path: JsonObject): HeldPath {
  return {
    prefix,
    nextHop: nextHopOf(path),
    pathId: numberField(path, 'addpathRxId') ?? 0,
    med: numberField(path, 'metric'),
    selected: isTrue(objectField(path, 'bestpath'), 'overall'),
    communities: communityTexts(path, 'community'),
    largeCommunities: communityTexts(path, 'largeCommunity'),
    advertisedTo: Object.keys(objectField(path, 'advertisedTo')),
  };
}

export function nextHopOf(path: JsonObject): string {
  const hops = arrayField(path, 'nexthops').map(asObject);
  const used = hops.find((hop) => isTrue(hop, 'used')) ?? hops[0] ?? {};
  return textField(used, 'ip') ?? '';
}

function communityTexts(path: JsonObject, name: string): string[] {
  return arrayField(objectField(path, name), 'list').filter((text) => typeof text === 'string');
}
