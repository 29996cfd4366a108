// Names and contents of the filters that stand between the feed and the routers.
//
// The content of a filter is a function of its name, so that editing one never becomes necessary:
// route-map edits reach bgpd's sessions late (delay-timer) and would be the one way in which a change
// to one peer could reach another. Routes are steered by the tags they carry, never from here.
//
// A peer of the shared instance gets what carries its own number or 0 (RFC 8092 large communities under
// a reserved administrator); a peer with its own view gets all of the view. The marker route, by which
// the controller sees that its table has arrived, is never exported. From routers nothing is accepted.

import { INTERNAL_ADMINISTRATOR, exportTag, prefix } from '@herald/net';
import type { Prefix } from '@herald/net';
import type { FilterList, RouteMap } from './frr-config.ts';

/** IPv4 dummy address of RFC 7600: never a service's, never on a wire. */
export const MARKER_PREFIX: Prefix = prefix('192.0.0.8/32');

/** Deny all, towards the feed and from routers. */
export const DENY_ALL = 'herald-deny';
export const VIEW_EXPORT = 'herald-view-out';

const MARKER_LIST = 'herald-marker';
const TAG_LIST = 'herald-tags';
const EVERY_PEER = 0;

export function exportName(peerNumber: number): string {
  return `herald-out-${peerNumber}`;
}

function tagListName(peerNumber: number): string {
  return `herald-peer-${peerNumber}`;
}

export const COMMON_LISTS: readonly FilterList[] = [
  {
    name: MARKER_LIST,
    lines: [`ip prefix-list ${MARKER_LIST} seq 10 permit ${MARKER_PREFIX.text}`],
  },
  {
    name: TAG_LIST,
    lines: [`bgp large-community-list expanded ${TAG_LIST} seq 10 permit ^${INTERNAL_ADMINISTRATOR}:`],
  },
];

export const COMMON_ROUTE_MAPS: readonly RouteMap[] = [
  { name: DENY_ALL, clauses: [{ header: `route-map ${DENY_ALL} deny 10`, lines: [] }] },
  exportMap(VIEW_EXPORT, []),
];

export function tagList(peerNumber: number): FilterList {
  const name = tagListName(peerNumber);
  const line = `bgp large-community-list standard ${name}`;
  return {
    name,
    lines: [
      `${line} seq 10 permit ${exportTag(peerNumber).text}`,
      `${line} seq 20 permit ${exportTag(EVERY_PEER).text}`,
    ],
  };
}

export function peerExport(peerNumber: number): RouteMap {
  return exportMap(exportName(peerNumber), [`match large-community ${tagListName(peerNumber)}`]);
}

function exportMap(name: string, matches: readonly string[]): RouteMap {
  return {
    name,
    clauses: [
      {
        header: `route-map ${name} deny 10`,
        lines: [`match ip address prefix-list ${MARKER_LIST}`],
      },
      {
        header: `route-map ${name} permit 20`,
        lines: [...matches, `set large-comm-list ${TAG_LIST} delete`],
      },
      { header: `route-map ${name} deny 30`, lines: [] },
    ],
  };
}
