// The value of each path attribute that we know, from octets (RFC 4271 section 5, RFC 1997, 4360, 4456, 6793,
// 8092): a table of type -> expected flags, how to read it, and what a malformed one costs (RFC 7606 section 7).
//
// Finding attributes in an UPDATE and acting on problems is attribute-list.ts; MP_REACH_NLRI and
// MP_UNREACH_NLRI are reach.ts.

import {
  addressFromBytes,
  isMulticast,
  isUnspecified,
  largeCommunity,
  standardCommunity,
  type Address,
} from '@herald/net';
import type { Aggregator, AsSegment, Attributes, ExtendedCommunity, Origin } from './message.ts';
import { copied, OctetReader } from './octets.ts';
import type { Disposition } from './problem.ts';
import { ATTRIBUTE, ATTRIBUTE_FLAG, LINK_BANDWIDTH, SEGMENT_TYPE, UPDATE_ERROR } from './registry.ts';

/** What a reading depends on besides the octets. */
export interface AttributeContext {
  /** AS numbers have four octets on sessions where both sides offered it (RFC 6793). */
  readonly asnOctets: 2 | 4;
}

/** The part of `Attributes` that the octets give, or the subcode of RFC 4271 section 6.3. */
type Reading = Attributes | number;

export interface AttributeRule {
  readonly name: string;
  /** The optional and transitive bits. */
  readonly flags: number;
  readonly onMalformed: Disposition;
  readonly read: (value: Uint8Array, context: AttributeContext) => Reading;
}

const WELL_KNOWN = ATTRIBUTE_FLAG.transitive;
const OPTIONAL = ATTRIBUTE_FLAG.optional;
const OPTIONAL_TRANSITIVE = ATTRIBUTE_FLAG.optional | ATTRIBUTE_FLAG.transitive;

const ORIGINS: readonly Origin[] = ['igp', 'egp', 'incomplete'];

const SEGMENT_KINDS: ReadonlyMap<number, AsSegment['kind']> = new Map([
  [SEGMENT_TYPE.set, 'set'],
  [SEGMENT_TYPE.sequence, 'sequence'],
  [SEGMENT_TYPE.confedSequence, 'confed-sequence'],
  [SEGMENT_TYPE.confedSet, 'confed-set'],
]);

function rule(
  name: string,
  flags: number,
  read: AttributeRule['read'],
  onMalformed: Disposition = 'treat-as-withdraw',
): AttributeRule {
  return { name, flags, onMalformed, read };
}

export const ATTRIBUTE_RULES: ReadonlyMap<number, AttributeRule> = new Map([
  [ATTRIBUTE.origin, rule('ORIGIN', WELL_KNOWN, readOrigin)],
  [ATTRIBUTE.asPath, rule('AS_PATH', WELL_KNOWN, readAsPath)],
  [ATTRIBUTE.nextHop, rule('NEXT_HOP', WELL_KNOWN, readNextHop)],
  [ATTRIBUTE.med, rule('MULTI_EXIT_DISC', OPTIONAL, (value) => readNumber(value, (med) => ({ med })))],
  [
    ATTRIBUTE.localPref,
    rule('LOCAL_PREF', WELL_KNOWN, (value) => readNumber(value, (localPref) => ({ localPref }))),
  ],
  [ATTRIBUTE.atomicAggregate, rule('ATOMIC_AGGREGATE', WELL_KNOWN, readAtomicAggregate, 'attribute-discard')],
  [ATTRIBUTE.aggregator, rule('AGGREGATOR', OPTIONAL_TRANSITIVE, readAggregator, 'attribute-discard')],
  [ATTRIBUTE.communities, rule('COMMUNITIES', OPTIONAL_TRANSITIVE, readCommunities)],
  [ATTRIBUTE.originatorId, rule('ORIGINATOR_ID', OPTIONAL, readOriginatorId)],
  [ATTRIBUTE.clusterList, rule('CLUSTER_LIST', OPTIONAL, readClusterList)],
  [ATTRIBUTE.extendedCommunities, rule('EXTENDED_COMMUNITIES', OPTIONAL_TRANSITIVE, readExtendedCommunities)],
  [ATTRIBUTE.largeCommunities, rule('LARGE_COMMUNITIES', OPTIONAL_TRANSITIVE, readLargeCommunities)],
]);

function readOrigin(value: Uint8Array): Reading {
  if (value.length !== 1) {
    return UPDATE_ERROR.attributeLength;
  }
  const origin = ORIGINS[value[0] ?? 0];
  return origin === undefined ? UPDATE_ERROR.invalidOrigin : { origin };
}

function readAsPath(value: Uint8Array, { asnOctets }: AttributeContext): Reading {
  const reader = new OctetReader(value);
  const asPath: AsSegment[] = [];
  while (reader.remaining > 0) {
    const kind = SEGMENT_KINDS.get(reader.uint8());
    const count = reader.uint8();
    if (kind === undefined || count === 0 || reader.remaining < count * asnOctets) {
      return UPDATE_ERROR.malformedAsPath;
    }
    const asns = Array.from({ length: count }, () => (asnOctets === 4 ? reader.uint32() : reader.uint16()));
    asPath.push({ kind, asns });
  }
  return { asPath };
}

/** RFC 4271 section 6.3: besides its length, the next hop has to be an address that a host can have. */
function readNextHop(value: Uint8Array): Reading {
  if (value.length !== 4) {
    return UPDATE_ERROR.attributeLength;
  }
  const nextHop = addressFromBytes(value);
  return isUnspecified(nextHop) || isMulticast(nextHop) ? UPDATE_ERROR.invalidNextHop : { nextHop };
}

function readNumber(value: Uint8Array, named: (number: number) => Attributes): Reading {
  return value.length === 4 ? named(new OctetReader(value).uint32()) : UPDATE_ERROR.attributeLength;
}

function readAtomicAggregate(value: Uint8Array): Reading {
  return value.length === 0 ? { atomicAggregate: true } : UPDATE_ERROR.attributeLength;
}

function readAggregator(value: Uint8Array, { asnOctets }: AttributeContext): Reading {
  if (value.length !== asnOctets + 4) {
    return UPDATE_ERROR.attributeLength;
  }
  const reader = new OctetReader(value);
  const asn = asnOctets === 4 ? reader.uint32() : reader.uint16();
  const aggregator: Aggregator = { asn, address: addressFromBytes(reader.take(4)) };
  return { aggregator };
}

function readCommunities(value: Uint8Array): Reading {
  const communities = items(value, 4, (reader) => standardCommunity(reader.uint32()));
  return communities === undefined ? UPDATE_ERROR.optionalAttribute : { communities };
}

function readOriginatorId(value: Uint8Array): Reading {
  return value.length === 4 ? { originatorId: addressFromBytes(value) } : UPDATE_ERROR.attributeLength;
}

function readClusterList(value: Uint8Array): Reading {
  const clusterList = items(value, 4, (reader): Address => addressFromBytes(reader.take(4)));
  return clusterList === undefined ? UPDATE_ERROR.attributeLength : { clusterList };
}

function readExtendedCommunities(value: Uint8Array): Reading {
  const extendedCommunities = items(value, 8, readExtendedCommunity);
  return extendedCommunities === undefined ? UPDATE_ERROR.optionalAttribute : { extendedCommunities };
}

function readExtendedCommunity(reader: OctetReader): ExtendedCommunity {
  const octets = copied(reader.take(8));
  const fields = new DataView(octets.buffer);
  const type = fields.getUint16(0);
  const bytesPerSecond = fields.getFloat32(4);
  const isBandwidth = type === LINK_BANDWIDTH.transitive || type === LINK_BANDWIDTH.nonTransitive;
  return isBandwidth && Number.isFinite(bytesPerSecond)
    ? {
        kind: 'link-bandwidth',
        transitive: type === LINK_BANDWIDTH.transitive,
        asn: fields.getUint16(2),
        bytesPerSecond,
      }
    : { kind: 'other', octets };
}

function readLargeCommunities(value: Uint8Array): Reading {
  const largeCommunities = items(value, 12, (reader) =>
    largeCommunity(reader.uint32(), reader.uint32(), reader.uint32()),
  );
  return largeCommunities === undefined ? UPDATE_ERROR.optionalAttribute : { largeCommunities };
}

/** Undefined unless the value is a whole number of items, and at least one. */
function items<T>(value: Uint8Array, octets: number, read: (reader: OctetReader) => T): T[] | undefined {
  if (value.length === 0 || value.length % octets !== 0) {
    return undefined;
  }
  const reader = new OctetReader(value);
  return Array.from({ length: value.length / octets }, () => read(reader));
}
