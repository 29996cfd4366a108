// Names and contents of the filters that stand between the feed and the routers.
//
// The content of a filter is a function of its name, so that editing one never becomes necessary:
// route-map edits reach bgpd's sessions late (delay-timer) and would be the one way in which a change
// to one peer could reach another. Routes are steered by the tags they carry, never from here.
//
// A peer of the shared instance gets what carries its own number or 0 (RFC 8092 large communities under
// a reserved administrator); a peer with its own view gets all of the view. The marker route, by which
// the controller sees that its table has arrived, is never exported. From routers nothing is accepted.
//
// There are three kinds of both, by what the router is to us, because the AS number that is prepended differs:
// external peers, internal ones (-internal), and those that know us by another AS number (-asN).

import { EVERY_PEER, INTERNAL_ADMINISTRATOR, exportTag, prefix } from '@herald/net';
import type { Prefix } from '@herald/net';
import type { PeerSession } from '@herald/decision';
import { DRESSED_LIST, DRESSING_LISTS, WELL_KNOWN_MAP, prependMap } from './dressing.ts';
import type { FilterList, RouteMap, RouteMapClause } from './frr-config.ts';

/** IPv4 dummy address of RFC 7600: never a service's, never on a wire. */
export const MARKER_PREFIX: Prefix = prefix('192.0.0.8/32');

/** Deny all, towards the feed and from routers. */
export const DENY_ALL = 'herald-deny';
const VIEW_EXPORT = 'herald-view-out';
const PREPEND = 'herald-prepend';

const MARKER_LIST = 'herald-marker';
const TAG_LIST = 'herald-tags';

/** What the router is to us: external, internal, or external and knowing us by another AS number. */
interface Relation {
  readonly suffix: string;
  /** The AS number that is prepended; undefined where none may be. */
  readonly asn: number | undefined;
}

const INTERNAL: Relation = { suffix: '-internal', asn: undefined };

function external(asn: number): Relation {
  return { suffix: '', asn };
}

function relationOf({ internal, localAs }: PeerSession, localAsn: number): Relation {
  if (internal) {
    return INTERNAL;
  }
  return localAs === undefined || localAs === localAsn
    ? external(localAsn)
    : { suffix: `-as${localAs}`, asn: localAs };
}

/** The filter towards the router. */
export function exportName(peer: PeerSession, localAsn: number): string {
  const { suffix } = relationOf(peer, localAsn);
  return peer.instance.kind === 'view' ? `${VIEW_EXPORT}${suffix}` : `herald-out-${peer.number}${suffix}`;
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
  ...DRESSING_LISTS,
];

/** Those that are called come before those that call them. */
export function routeMaps(peers: readonly PeerSession[], localAsn: number): RouteMap[] {
  const own = peers.map((peer) => relationOf(peer, localAsn));
  const relations = [external(localAsn), INTERNAL, ...own];
  const common = [...new Map(relations.map((relation) => [relation.suffix, relation])).values()];
  const shared = peers.filter((peer) => peer.instance.kind === 'shared');
  return [
    { name: DENY_ALL, clauses: [{ header: `route-map ${DENY_ALL} deny 10`, lines: [] }] },
    WELL_KNOWN_MAP,
    ...common.flatMap(({ suffix, asn }) =>
      asn === undefined ? [] : [prependMap(`${PREPEND}${suffix}`, asn)],
    ),
    ...common.map((relation) => exportMap(`${VIEW_EXPORT}${relation.suffix}`, relation, [])),
    ...shared.map((peer) => peerExport(peer, localAsn)),
  ];
}

function peerExport(peer: PeerSession, localAsn: number): RouteMap {
  const tagged = [`match large-community ${tagListName(peer.number)}`];
  return exportMap(exportName(peer, localAsn), relationOf(peer, localAsn), tagged);
}

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

function exportMap(name: string, { suffix, asn }: Relation, matches: readonly string[]): RouteMap {
  const clause = (action: string, ...lines: readonly string[]): RouteMapClause => ({
    header: `route-map ${name} ${action}`,
    lines,
  });
  const dress = (action: string, map: string): RouteMapClause =>
    clause(action, `match large-community ${DRESSED_LIST}`, `call ${map}`, 'on-match next');
  return {
    name,
    clauses: [
      clause('deny 10', `match ip address prefix-list ${MARKER_LIST}`),
      dress('permit 15', WELL_KNOWN_MAP.name),
      ...(asn === undefined ? [] : [dress('permit 16', `${PREPEND}${suffix}`)]),
      clause('permit 20', ...matches, `set large-comm-list ${TAG_LIST} delete`),
      clause('deny 30'),
    ],
  };
}
