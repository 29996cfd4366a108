// Path attributes as they are shown: without the export tags, which only bgpd sees.

import type { PathAttributes } from '@herald/net';
import { isInternalTag } from './audience.ts';

export interface AttributesView {
  readonly localPref: number;
  readonly med: number;
  readonly asPath: readonly number[];
  readonly communities: readonly string[];
  readonly largeCommunities: readonly string[];
  readonly linkBandwidthBytesPerSecond: number | null;
}

/** With the AS path as the peers in question see it. */
export function renderAttributes(attributes: PathAttributes, asPath: readonly number[]): AttributesView {
  return {
    localPref: attributes.localPref,
    med: attributes.med,
    asPath,
    communities: attributes.communities.map((community) => community.text),
    largeCommunities: attributes.largeCommunities
      .filter((community) => !isInternalTag(community))
      .map((community) => community.text),
    linkBandwidthBytesPerSecond: attributes.linkBandwidth?.bytesPerSecond ?? null,
  };
}
