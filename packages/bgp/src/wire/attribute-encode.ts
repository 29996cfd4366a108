// Path attributes to octets (RFC 4271 section 4.3 and 5, RFC 1997, 4360, 4456, 8092): attributes in, one run
// of octets out, in ascending order of type as RFC 4271 section 5 wants it. AS numbers always have four octets
// (RFC 6793): the FSM refuses a peer that cannot read them. The multiprotocol attributes are in reach.ts.

import { addressBytes, type Address, type LargeCommunity, type StandardCommunity } from '@herald/net';
import type { Aggregator, AsSegment, Attributes, ExtendedCommunity, UnknownAttribute } from './message.ts';
import { joined, uint16, uint32, uint32s } from './octets.ts';
import { NO_DATA } from './problem.ts';
import { ATTRIBUTE, ATTRIBUTE_FLAG, LINK_BANDWIDTH, SEGMENT_TYPE } from './registry.ts';

const { optional: OPTIONAL, transitive: TRANSITIVE, extendedLength: EXTENDED_LENGTH } = ATTRIBUTE_FLAG;
const OPTIONAL_TRANSITIVE = OPTIONAL | TRANSITIVE;

const ORIGIN_VALUE = { igp: 0, egp: 1, incomplete: 2 } as const;
const SEGMENT_VALUE = {
  sequence: SEGMENT_TYPE.sequence,
  set: SEGMENT_TYPE.set,
  'confed-sequence': SEGMENT_TYPE.confedSequence,
  'confed-set': SEGMENT_TYPE.confedSet,
} as const;

type Piece = readonly [type: number, octets: Uint8Array];

//  +-+-+-+-+-------+---------------+----------------------+-----------------+
//  |O|T|P|E| 0 0 0 0 |   Type code   | Length (1, or 2 if E) | Value ...       |
//  +-+-+-+-+-------+---------------+----------------------+-----------------+
export function encodeAttribute(flags: number, type: number, value: Uint8Array): Uint8Array {
  const base = flags & ~EXTENDED_LENGTH;
  const head =
    value.length > 255
      ? Uint8Array.of(base | EXTENDED_LENGTH, type, value.length >>> 8, value.length)
      : Uint8Array.of(base, type, value.length);
  return joined([head, value]);
}

export function encodeAttributes(attributes: Attributes): Uint8Array {
  const pieces = [...wellKnown(attributes), ...optional(attributes), ...unknown(attributes.unknown ?? [])];
  pieces.sort(([a], [b]) => a - b);
  return joined(pieces.map(([, octets]) => octets));
}

function wellKnown(attributes: Attributes): Piece[] {
  const { origin, asPath, nextHop, localPref, atomicAggregate } = attributes;
  return [
    ...piece(TRANSITIVE, ATTRIBUTE.origin, origin && Uint8Array.of(ORIGIN_VALUE[origin])),
    ...piece(TRANSITIVE, ATTRIBUTE.asPath, asPath && joined(asPath.map(segmentOctets))),
    ...piece(TRANSITIVE, ATTRIBUTE.nextHop, nextHop && addressBytes(nextHop)),
    ...piece(TRANSITIVE, ATTRIBUTE.localPref, localPref === undefined ? undefined : uint32(localPref)),
    ...piece(TRANSITIVE, ATTRIBUTE.atomicAggregate, atomicAggregate && NO_DATA),
  ];
}

function optional(attributes: Attributes): Piece[] {
  const { med, aggregator, communities, originatorId, clusterList } = attributes;
  const { extendedCommunities, largeCommunities } = attributes;
  return [
    ...piece(OPTIONAL, ATTRIBUTE.med, med === undefined ? undefined : uint32(med)),
    ...piece(OPTIONAL_TRANSITIVE, ATTRIBUTE.aggregator, aggregator && aggregatorOctets(aggregator)),
    ...list(OPTIONAL_TRANSITIVE, ATTRIBUTE.communities, communities, communityOctets),
    ...piece(OPTIONAL, ATTRIBUTE.originatorId, originatorId && addressBytes(originatorId)),
    ...list(OPTIONAL, ATTRIBUTE.clusterList, clusterList, clusterOctets),
    ...list(OPTIONAL_TRANSITIVE, ATTRIBUTE.extendedCommunities, extendedCommunities, extendedOctets),
    ...list(OPTIONAL_TRANSITIVE, ATTRIBUTE.largeCommunities, largeCommunities, largeOctets),
  ];
}

function unknown(attributes: readonly UnknownAttribute[]): Piece[] {
  return attributes.map(({ flags, type, value }) => [type, encodeAttribute(flags, type, value)]);
}

function piece(flags: number, type: number, value: Uint8Array | undefined): Piece[] {
  return value === undefined ? [] : [[type, encodeAttribute(flags, type, value)]];
}

/** An attribute that lists things is left out when it lists none: a list of none is malformed (RFC 7606). */
function list<T>(
  flags: number,
  type: number,
  items: readonly T[] | undefined,
  octets: (items: readonly T[]) => Uint8Array,
): Piece[] {
  return items === undefined || items.length === 0 ? [] : piece(flags, type, octets(items));
}

function communityOctets(communities: readonly StandardCommunity[]): Uint8Array {
  return uint32s(communities.map(({ value }) => value));
}

function largeOctets(communities: readonly LargeCommunity[]): Uint8Array {
  return uint32s(communities.flatMap(({ global, local1, local2 }) => [global, local1, local2]));
}

function clusterOctets(clusters: readonly Address[]): Uint8Array {
  return joined(clusters.map(addressBytes));
}

function extendedOctets(communities: readonly ExtendedCommunity[]): Uint8Array {
  return joined(communities.map(extendedCommunityOctets));
}

//  +--------------+-------------------------+------------------------+
//  | Segment type | Count of ASNs (1 octet) | ASNs, four octets each |  repeats
//  +--------------+-------------------------+------------------------+
function segmentOctets({ kind, asns }: AsSegment): Uint8Array {
  return joined([Uint8Array.of(SEGMENT_VALUE[kind], asns.length), uint32s(asns)]);
}

function aggregatorOctets({ asn, address }: Aggregator): Uint8Array {
  return joined([uint32(asn), addressBytes(address)]);
}

//  +---------------+---------------+-------------------------------+
//  | 0x00 or 0x40  |     0x04      |  Administrator (two octets)   |
//  +---------------+---------------+-------------------------------+
//  |          Bytes per second, IEEE 754 single                    |
//  +---------------------------------------------------------------+
function extendedCommunityOctets(community: ExtendedCommunity): Uint8Array {
  if (community.kind === 'other') {
    return community.octets;
  }
  const type = community.transitive ? LINK_BANDWIDTH.transitive : LINK_BANDWIDTH.nonTransitive;
  const octets = joined([uint16(type), uint16(community.asn), uint32(0)]);
  new DataView(octets.buffer).setFloat32(4, community.bytesPerSecond);
  return octets;
}
