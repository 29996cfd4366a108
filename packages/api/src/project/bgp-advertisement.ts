// BGPAdvertisement object -> Advertisement. Names and selectors are not resolved: what they select is
// known only with the other objects at hand.

import { compareCommunities, parseCommunity, type Community } from '@herald/net';
import type { Projected } from '../fault.ts';
import type { Advertisement } from '../model/advertisement.ts';
import { BGP_ADVERTISEMENT, type BgpAdvertisementSpec } from '../schema/bgp-advertisement.ts';
import { projectCustom, type Origin } from './custom-resource.ts';
import { clusterMeta, type Reading } from './reading.ts';
import { toSelectors } from './selector.ts';

export function projectAdvertisement(object: unknown, origin: Origin): Projected<Advertisement> {
  return projectCustom(BGP_ADVERTISEMENT, object, origin, build);
}

function build(spec: BgpAdvertisementSpec, reading: Reading): Advertisement {
  return {
    kind: 'BGPAdvertisement',
    ...clusterMeta(reading.meta),
    pools: spec.ipAddressPools ?? [],
    poolSelectors: toSelectors(spec.ipAddressPoolSelectors),
    serviceSelectors: toSelectors(spec.serviceSelectors),
    peers: spec.peers ?? [],
    peerSelectors: toSelectors(spec.peerSelectors),
    nodeSelectors: toSelectors(spec.nodeSelectors),
    aggregation: {
      length: spec.aggregation.length,
      lengthV6: spec.aggregation.lengthV6,
      unassigned: spec.aggregation.unassigned,
    },
    localPref: spec.localPref,
    med: spec.med,
    asPathPrepend: spec.asPathPrepend,
    communities: distinct(reading.takeAll('spec.communities', spec.communities ?? [], parseCommunity)),
    nextHops: { from: spec.nextHops.from, max: spec.nextHops.max, weight: spec.nextHops.weight },
  };
}

/** Sorted, each once: "65535:666" and "blackhole" are one community. */
function distinct(communities: readonly Community[]): readonly Community[] {
  const byText = new Map(communities.map((community) => [community.text, community]));
  return [...byText.values()].sort(compareCommunities);
}
