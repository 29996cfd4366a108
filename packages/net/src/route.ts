// What is announced: a route is a prefix, a next hop and attributes (RFC 4271 section 1.1). Because
// thousands of prefixes share a next hop and attributes, the part without the prefix is a value of its
// own, a path (RFC 7911), and one path object is shared by every prefix that it serves.
//
// Paths are compared by reference on hot paths: whoever makes them interns them, so that equal content is
// the same object. `attributes.key` is equal exactly when the attributes are equal.

import type { Address } from './address.ts';
import type { LargeCommunity, StandardCommunity } from './community.ts';
import type { PersistentMap } from './persistent-map.ts';
import type { Prefix } from './prefix.ts';

export interface PathAttributes {
  /** AS numbers put before whatever bgpd adds; empty unless a policy prepends. */
  readonly asPath: readonly number[];
  /** Always present: bgpd treats a path without LOCAL_PREF on an iBGP session as withdrawn. */
  readonly localPref: number;
  readonly med: number;
  /** Sorted, without duplicates. */
  readonly communities: readonly StandardCommunity[];
  /** Sorted, without duplicates; holds the internal export tags too. */
  readonly largeCommunities: readonly LargeCommunity[];
  /** Relative weight carried by the transitive link-bandwidth community (type 0x0004), or none. */
  readonly linkBandwidth: LinkBandwidth | undefined;
  /** Canonical text; equal keys mean equal attributes. */
  readonly key: string;
}

export interface LinkBandwidth {
  /** Two-octet administrator of the extended community. */
  readonly asn: number;
  /** Bytes per second, sent as an IEEE 754 single. */
  readonly bytesPerSecond: number;
}

export interface Path {
  /** RFC 7911 path identifier on the feed: stable, depends on next hop and class, never on rank or weight. */
  readonly pathId: number;
  readonly nextHop: Address;
  readonly attributes: PathAttributes;
}

export interface PrefixRoutes {
  readonly prefix: Prefix;
  /** Sorted by path id; never empty in a table. */
  readonly paths: readonly Path[];
}

/** Keyed by the prefix's canonical text. An entry that is the same reference has the same content. */
export type RouteTable = PersistentMap<PrefixRoutes>;
