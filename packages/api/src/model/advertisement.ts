// A BGPAdvertisement with its defaults applied and its values parsed: which Services are announced to
// whom, from which nodes, and with which attributes. An empty selection means everything of that kind.

import type { Community } from '@herald/net';
import type { LabelSelector } from './label-selector.ts';
import type { Meta } from './meta.ts';

export interface Aggregation {
  readonly length: number | undefined;
  readonly lengthV6: number | undefined;
  /** The operator's word that the router drops what nobody has; without it aggregates loop packets. */
  readonly unassigned: 'RouterDiscards' | undefined;
}

export interface AdvertisedNextHops {
  readonly from: 'EndpointNodes' | 'AllNodes';
  readonly max: number | undefined;
  readonly weight: 'Equal' | 'Endpoints';
}

export interface Advertisement extends Meta {
  readonly kind: 'BGPAdvertisement';
  /** Names; together with poolSelectors: a pool is selected by either. Both empty: every pool. */
  readonly pools: readonly string[];
  readonly poolSelectors: readonly LabelSelector[];
  readonly serviceSelectors: readonly LabelSelector[];
  /** Names; together with peerSelectors: a peer is selected by either. Both empty: every peer. */
  readonly peers: readonly string[];
  readonly peerSelectors: readonly LabelSelector[];
  readonly nodeSelectors: readonly LabelSelector[];
  readonly aggregation: Aggregation;
  readonly localPref: number | undefined;
  readonly med: number | undefined;
  readonly asPathPrepend: number;
  readonly communities: readonly Community[];
  readonly nextHops: AdvertisedNextHops;
}
