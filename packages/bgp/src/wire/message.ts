// The five messages of BGP (RFC 4271 section 4, RFC 2918) as values, as they stand on the wire: an UPDATE
// keeps its classic IPv4 fields and its multiprotocol attributes apart, because where a route stood decides
// how an error in it is handled (RFC 7606). Types only.

import type { Address, Family, LargeCommunity, Prefix, StandardCommunity } from '@herald/net';
import type { AfiSafi } from './afi-safi.ts';
import type { Capability } from './capability.ts';

export interface OpenMessage {
  readonly kind: 'open';
  /** The real AS number: from the four-octet capability when there is one, else from the fixed field. */
  readonly asn: number;
  readonly holdTimeSeconds: number;
  readonly identifier: Address;
  readonly capabilities: readonly Capability[];
}

export interface UpdateMessage {
  readonly kind: 'update';
  /** IPv4 unicast, classic field. */
  readonly withdrawn: readonly Nlri[];
  readonly attributes: Attributes;
  /** IPv4 unicast, classic field. */
  readonly announced: readonly Nlri[];
  readonly reach: Reach | undefined;
  readonly unreach: Unreach | undefined;
}

/** Network layer reachability information: a prefix and, with ADD-PATH, its path identifier (else 0). */
export interface Nlri {
  readonly pathId: number;
  readonly prefix: Prefix;
}

export interface Reach {
  readonly family: Family;
  readonly nextHop: Address;
  /** RFC 2545 section 3: the second, link-local next hop. */
  readonly linkLocal: Address | undefined;
  readonly nlri: readonly Nlri[];
}

export interface Unreach {
  readonly family: Family;
  readonly nlri: readonly Nlri[];
}

export type Origin = 'igp' | 'egp' | 'incomplete';

export interface AsSegment {
  readonly kind: 'sequence' | 'set' | 'confed-sequence' | 'confed-set';
  readonly asns: readonly number[];
}

export interface Aggregator {
  readonly asn: number;
  readonly address: Address;
}

export type ExtendedCommunity =
  | {
      readonly kind: 'link-bandwidth';
      readonly transitive: boolean;
      readonly asn: number;
      /** An IEEE 754 single. */
      readonly bytesPerSecond: number;
    }
  | { readonly kind: 'other'; readonly octets: Uint8Array };

export interface UnknownAttribute {
  readonly flags: number;
  readonly type: number;
  readonly value: Uint8Array;
}

export interface Attributes {
  readonly origin?: Origin;
  readonly asPath?: readonly AsSegment[];
  readonly nextHop?: Address;
  readonly med?: number;
  readonly localPref?: number;
  readonly atomicAggregate?: true;
  readonly aggregator?: Aggregator;
  readonly communities?: readonly StandardCommunity[];
  readonly originatorId?: Address;
  readonly clusterList?: readonly Address[];
  readonly extendedCommunities?: readonly ExtendedCommunity[];
  readonly largeCommunities?: readonly LargeCommunity[];
  readonly unknown?: readonly UnknownAttribute[];
}

export interface NotificationMessage {
  readonly kind: 'notification';
  readonly code: number;
  readonly subcode: number;
  readonly data: Uint8Array;
}

export interface KeepaliveMessage {
  readonly kind: 'keepalive';
}

export interface RouteRefreshMessage extends AfiSafi {
  readonly kind: 'route-refresh';
  /** RFC 7313: 0 request, 1 begin, 2 end; others are to be ignored. */
  readonly subtype: number;
}

export type Message =
  | OpenMessage
  | UpdateMessage
  | NotificationMessage
  | KeepaliveMessage
  | RouteRefreshMessage;
