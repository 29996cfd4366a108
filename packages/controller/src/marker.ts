// The marker route: the last entry of every table that a feed sends, never exported to a router. Once
// bgpd has selected it, bgpd has read and processed everything before it, since TCP keeps the order. It
// carries a generation in a large community, so that "the tags of the new peer are in bgpd" can be told
// from "some older table is in bgpd".

import { MARKER_PREFIX } from '@herald/frr';
import { INTERNAL_ADMINISTRATOR, largeCommunity, pathAttributes } from '@herald/net';
import type { PrefixRoutes, RouteTable } from '@herald/net';

/** First local part of the marker's large community; 1 is for export tags (see exportTag). */
const GENERATION_KIND = 2;

export function markerCommunity(generation: number): string {
  return largeCommunity(INTERNAL_ADMINISTRATOR, GENERATION_KIND, generation).text;
}

/** Adds the marker to tables: the same object for the same generation, so that it is sent only once. */
export class Marker {
  #generation = 0;
  #routes = markerRoutes(0);

  addTo(table: RouteTable, generation: number): RouteTable {
    if (generation !== this.#generation) {
      this.#generation = generation;
      this.#routes = markerRoutes(generation);
    }
    return table.set(MARKER_PREFIX.text, this.#routes);
  }
}

function markerRoutes(generation: number): PrefixRoutes {
  const attributes = pathAttributes({
    asPath: [],
    localPref: 100,
    med: 0,
    communities: [],
    largeCommunities: [largeCommunity(INTERNAL_ADMINISTRATOR, GENERATION_KIND, generation)],
    linkBandwidth: undefined,
  });
  return { prefix: MARKER_PREFIX, paths: [{ pathId: 1, nextHop: MARKER_PREFIX.address, attributes }] };
}
