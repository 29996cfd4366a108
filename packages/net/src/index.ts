export type { Address, Family } from './address.ts';
export {
  address,
  addressBits,
  addressBytes,
  addressFromBytes,
  addressFromValue,
  compareAddresses,
  isLinkLocal,
  isLoopback,
  isMulticast,
  isUnspecified,
  parseAddress,
} from './address.ts';
export type { Asn } from './asn.ts';
export { AS_TRANS, isFourOctet, parseAsn } from './asn.ts';
export { pathAttributes } from './attributes.ts';
export type { Community, LargeCommunity, StandardCommunity } from './community.ts';
export {
  EVERY_PEER,
  INTERNAL_ADMINISTRATOR,
  community,
  compareCommunities,
  exportTag,
  exportedTo,
  isExportTag,
  isLarge,
  isStandard,
  largeCommunity,
  parseCommunity,
  standardCommunity,
} from './community.ts';
export { hash32 } from './hash.ts';
export { JsonNesting } from './json-nesting.ts';
export type { Parsed } from './parsed.ts';
export { accepted, literal, refused } from './parsed.ts';
export { PersistentMap } from './persistent-map.ts';
export type { Prefix } from './prefix.ts';
export {
  comparePrefixes,
  contains,
  covers,
  firstAddress,
  hostPrefix,
  lastAddress,
  overlaps,
  parsePrefix,
  prefix,
  prefixOf,
} from './prefix.ts';
export type { AddressRange } from './range.ts';
export {
  compareRanges,
  parseRange,
  prefixRange,
  range,
  rangeContains,
  rangePrefixes,
  rangeSize,
  rangesOverlap,
} from './range.ts';
export type { HashedMembers } from './rendezvous.ts';
export { hashMembers, rendezvous, rendezvousAmong } from './rendezvous.ts';
export type { LinkBandwidth, Path, PathAttributes, PrefixRoutes, RouteTable } from './route.ts';
