// The attributes of a path in canonical form: communities sorted and without duplicates, and a key that is
// equal exactly when the attributes are equal. Fields -> PathAttributes.
//
// Does not intern: whoever makes many paths keeps one object for each key.

import { compareCommunities } from './community.ts';
import type { Community } from './community.ts';
import type { LinkBandwidth, PathAttributes } from './route.ts';

export function pathAttributes(fields: Omit<PathAttributes, 'key'>): PathAttributes {
  const canonical = {
    asPath: fields.asPath,
    localPref: fields.localPref,
    med: fields.med,
    communities: sortedUnique(fields.communities),
    largeCommunities: sortedUnique(fields.largeCommunities),
    linkBandwidth: asSent(fields.linkBandwidth),
  };
  return { ...canonical, key: keyOf(canonical) };
}

function sortedUnique<C extends Community>(communities: readonly C[]): C[] {
  const byText = new Map(communities.map((each) => [each.text, each]));
  return [...byText.values()].sort(compareCommunities);
}

/** Rounded to what the wire can carry, so that two paths that look the same there are the same here. */
function asSent(bandwidth: LinkBandwidth | undefined): LinkBandwidth | undefined {
  return bandwidth && { asn: bandwidth.asn, bytesPerSecond: Math.fround(bandwidth.bytesPerSecond) };
}

function keyOf(of: Omit<PathAttributes, 'key'>): string {
  const bandwidth = of.linkBandwidth;
  return [
    of.asPath.join(' '),
    of.localPref,
    of.med,
    texts(of.communities),
    texts(of.largeCommunities),
    bandwidth ? `${bandwidth.asn}:${bandwidth.bytesPerSecond}` : '',
  ].join('|');
}

function texts(communities: readonly Community[]): string {
  return communities.map((each) => each.text).join(' ');
}
