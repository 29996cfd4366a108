// A path class: everything about a path except its next hop, weight, rank and export tags. One for each
// set of advertisements and group of peers. Merged policy -> attributes; the rank is put in when it is known.
//
// The class has a name made of what the operator wrote, not of what it says: when a community is edited the
// path id stays, so that routers see a replaced path, never two of them at once.

import { isLarge, isStandard, pathAttributes } from '@herald/net';
import type { LargeCommunity, LinkBandwidth, PathAttributes } from '@herald/net';
import type { AdvertisementSet, MergedPolicy } from './advertisement-set.ts';
import { rankedLocalPref, rankedMed } from './rank.ts';
import type { RankRule } from './rank.ts';

export interface PathClass {
  /** For path ids; independent of rank, weight and peer numbers. */
  readonly name: string;
  /** Names of the advertisements that it comes from. */
  readonly advertisements: readonly string[];
  readonly rank: RankRule;
  /** With the MED and LOCAL_PREF that hold where the rank does not replace them. */
  readonly attributes: PathAttributes;
  /** Equal exactly when classes say the same. */
  readonly key: string;
}

/** Always sent, because bgpd drops paths without it on the feed; external peers never see it. */
const DEFAULT_LOCAL_PREF = 100;
const DEFAULT_MED = 0;

/** undefined when the advertisements contradict each other. */
export function pathClass(set: AdvertisementSet, wanted: RankRule, asn: number): PathClass | undefined {
  return set.policy.kind === 'agreed' ? agreedClass(set, set.policy.values, wanted, asn) : undefined;
}

function agreedClass(
  { key, members }: AdvertisementSet,
  policy: MergedPolicy,
  wanted: RankRule,
  asn: number,
): PathClass {
  const rank = rankLeftBy(policy, wanted);
  const attributes = pathAttributes({
    asPath: Array.from({ length: policy.asPathPrepend }, () => asn),
    localPref: policy.localPref ?? DEFAULT_LOCAL_PREF,
    med: policy.med ?? DEFAULT_MED,
    communities: policy.communities.filter(isStandard),
    largeCommunities: policy.communities.filter(isLarge),
    linkBandwidth: undefined,
  });
  return {
    name: `${key} ${rank.mode}`,
    advertisements: members.map(({ name }) => name),
    rank,
    attributes,
    key: `${attributes.key}|${rank.mode}:${rank.base}`,
  };
}

/** Where a policy owns the attribute that the rank would use, there is no rank. */
function rankLeftBy(policy: MergedPolicy, wanted: RankRule): RankRule {
  const owned =
    (wanted.mode === 'MED' && policy.med !== undefined) ||
    (wanted.mode === 'LocalPref' && policy.localPref !== undefined);
  return owned ? { mode: 'None', base: 0 } : wanted;
}

export interface Dressing {
  readonly rank: number;
  readonly tags: readonly LargeCommunity[];
  readonly linkBandwidth: LinkBandwidth | undefined;
}

export function dressed({ attributes, rank }: PathClass, dressing: Dressing): PathAttributes {
  return pathAttributes({
    ...attributes,
    med: rank.mode === 'MED' ? rankedMed(rank, dressing.rank) : attributes.med,
    localPref: rank.mode === 'LocalPref' ? rankedLocalPref(rank, dressing.rank) : attributes.localPref,
    largeCommunities: [...attributes.largeCommunities, ...dressing.tags],
    linkBandwidth: dressing.linkBandwidth,
  });
}

/** The key of attributes of which it is only known how many AS numbers were prepended. */
export function keyWithoutAsns(attributes: PathAttributes): string {
  return attributes.asPath.length === 0
    ? attributes.key
    : pathAttributes({ ...attributes, asPath: attributes.asPath.map(() => 0) }).key;
}
