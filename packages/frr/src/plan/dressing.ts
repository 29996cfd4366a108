// What a router is to see on a path but bgpd must not, because bgpd would act on it itself:
//   - well-known communities, by which it keeps a path from our routers (RFC 1997, RFC 9494);
//   - our AS number in the path, which it and internal peers take for a loop (RFC 4271 section 9.1.2).
// On the feed they travel as internal large communities; the filter towards the router puts in their place
// what they stand for. Attributes as decided -> attributes for the feed, and the route-maps that undo it.
//
// The AS number is prepended for external peers only, in the number that the router knows us by.

import {
  INTERNAL_ADMINISTRATOR,
  community,
  largeCommunity,
  pathAttributes,
  standardCommunity,
} from '@herald/net';
import type { LargeCommunity, PathAttributes, StandardCommunity } from '@herald/net';
import type { FilterList, RouteMap, RouteMapClause } from './frr-config.ts';

/** First local parts of the large communities; 1 is for export tags, 2 for the marker. */
const PREPEND_KIND = 3;
const COMMUNITY_KIND = 4;

/** Counts are put together from these, so that five clauses do for every count up to 31. */
const PREPEND_BITS: readonly number[] = [1, 2, 4, 8, 16];

/** Our name (see @herald/net) -> bgpd's spelling, where it differs. */
const WELL_KNOWN: readonly (readonly [name: string, spelling: string])[] = [
  ['graceful-shutdown', 'graceful-shutdown'],
  ['accept-own', 'accept-own'],
  ['llgr-stale', 'llgr-stale'],
  ['no-llgr', 'no-llgr'],
  ['blackhole', 'blackhole'],
  ['no-export', 'no-export'],
  ['no-advertise', 'no-advertise'],
  ['local-as', 'local-AS'],
  ['no-peer', 'no-peer'],
];

const WELL_KNOWN_VALUES: ReadonlySet<number> = new Set(
  WELL_KNOWN.map(([name]) => community(name)).flatMap((each) => (each.kind === 'standard' ? each.value : [])),
);

export const DRESSED_LIST = 'herald-dressed';

/** The same object where there is nothing to take off. */
export function feedAttributes(attributes: PathAttributes): PathAttributes {
  const { asPath, communities, largeCommunities } = attributes;
  const wellKnown = communities.filter(isWellKnown);
  if (asPath.length + wellKnown.length === 0) {
    return attributes;
  }
  const prepends = PREPEND_BITS.filter((bit) => (asPath.length & bit) !== 0).map(prependTag);
  return pathAttributes({
    ...attributes,
    asPath: [],
    communities: communities.filter((each) => !isWellKnown(each)),
    largeCommunities: [...largeCommunities, ...prepends, ...wellKnown.map(communityTag)],
  });
}

/**
 * What the feed's attributes stand for. Which AS number was prepended is not on the feed: there are as many zeros.
 * The same object where there is nothing to undo.
 */
export function decidedAttributes(attributes: PathAttributes): PathAttributes {
  const { communities, largeCommunities } = attributes;
  const prepends = largeCommunities.filter((each) => isKind(each, PREPEND_KIND));
  const wellKnown = largeCommunities.filter((each) => isKind(each, COMMUNITY_KIND));
  if (prepends.length + wellKnown.length === 0) {
    return attributes;
  }
  const count = prepends.reduce((sum, { local2 }) => sum + local2, 0);
  return pathAttributes({
    ...attributes,
    asPath: Array.from({ length: count }, () => 0),
    communities: [...communities, ...wellKnown.map(({ local2 }) => standardCommunity(local2))],
    largeCommunities: largeCommunities.filter(
      (each) => !prepends.includes(each) && !wellKnown.includes(each),
    ),
  });
}

export const DRESSING_LISTS: readonly FilterList[] = [
  {
    name: DRESSED_LIST,
    lines: [
      // Matched against all large communities of a path at once, hence without a beginning.
      `bgp large-community-list expanded ${DRESSED_LIST} seq 10 permit ` +
        `${INTERNAL_ADMINISTRATOR}:[${PREPEND_KIND}${COMMUNITY_KIND}]:`,
    ],
  },
  ...PREPEND_BITS.map((bit) => tagList(prependListName(bit), prependTag(bit))),
  ...WELL_KNOWN.map(([name]) => tagList(communityListName(name), communityTagOf(name))),
];

export const WELL_KNOWN_MAP: RouteMap = actionMap(
  'herald-well-known',
  WELL_KNOWN.map(([name, spelling]) => [communityListName(name), `set community ${spelling} additive`]),
);

export function prependMap(name: string, asn: number): RouteMap {
  return actionMap(
    name,
    PREPEND_BITS.map((bit) => [prependListName(bit), `set as-path prepend ${repeated(asn, bit)}`]),
  );
}

/** One clause for each tag; a path may have several, and one without any passes as it is. */
function actionMap(name: string, actions: readonly (readonly [list: string, action: string])[]): RouteMap {
  const clauses = actions.map(([list, action], index): RouteMapClause => ({
    header: `route-map ${name} permit ${10 * (index + 1)}`,
    lines: [`match large-community ${list}`, action, 'on-match next'],
  }));
  return { name, clauses: [...clauses, { header: `route-map ${name} permit 1000`, lines: [] }] };
}

function tagList(name: string, tag: LargeCommunity): FilterList {
  return { name, lines: [`bgp large-community-list standard ${name} seq 10 permit ${tag.text}`] };
}

function prependListName(bit: number): string {
  return `herald-prepend-${bit}`;
}

function communityListName(name: string): string {
  return `herald-well-known-${name}`;
}

function prependTag(bit: number): LargeCommunity {
  return largeCommunity(INTERNAL_ADMINISTRATOR, PREPEND_KIND, bit);
}

function communityTag({ value }: StandardCommunity): LargeCommunity {
  return largeCommunity(INTERNAL_ADMINISTRATOR, COMMUNITY_KIND, value);
}

function communityTagOf(name: string): LargeCommunity {
  const known = community(name);
  if (known.kind !== 'standard') {
    throw new RangeError(`${name} is no standard community`);
  }
  return communityTag(known);
}

function isKind({ global, local1 }: LargeCommunity, kind: number): boolean {
  return global === INTERNAL_ADMINISTRATOR && local1 === kind;
}

function isWellKnown({ value }: StandardCommunity): boolean {
  return WELL_KNOWN_VALUES.has(value);
}

function repeated(asn: number, count: number): string {
  return Array.from({ length: count }, () => asn).join(' ');
}
