// MP_REACH_NLRI and MP_UNREACH_NLRI (RFC 4760 sections 3 and 4, RFC 2545 section 3) to octets and back.
//
// Decoding gives a problem of disposition `afi-safi-disable` where the prefixes cannot be relied on (RFC 7606
// section 5.3 and 7.11): a wrong length of the next hop, a prefix that overruns, a family that the session
// does not carry. Octets too short even for the family are a session reset.

import { addressBytes, addressFromBytes, type Address, type Family } from '@herald/net';
import { unicast, unicastFamily, type AfiSafi } from './afi-safi.ts';
import { encodeAttribute } from './attribute-encode.ts';
import type { Reach, Unreach } from './message.ts';
import { decodeNlriRun, encodeNlriRun, type NlriForm } from './nlri.ts';
import { joined, OctetReader, uint16 } from './octets.ts';
import { decoded, failed, familyProblem, updateProblem, type Outcome } from './problem.ts';
import { ATTRIBUTE, ATTRIBUTE_FLAG, UPDATE_ERROR } from './registry.ts';

/** How the prefixes of a family are written on this session; undefined for a family it does not carry. */
export type FormOf = (family: Family) => NlriForm | undefined;

//  +-------------+----------+--------------------+----------------+--------------+----------+
//  | AFI (2)     | SAFI (1) | Next hop length (1)| Next hop (var) | Reserved (1) | NLRI ... |
//  +-------------+----------+--------------------+----------------+--------------+----------+
export function encodeReach(reach: Reach, form: NlriForm): Uint8Array {
  const { afi, safi } = unicast(reach.family);
  const nextHop = joined([
    addressBytes(reach.nextHop),
    ...(reach.linkLocal === undefined ? [] : [addressBytes(reach.linkLocal)]),
  ]);
  return encodeAttribute(
    ATTRIBUTE_FLAG.optional,
    ATTRIBUTE.mpReach,
    joined([
      uint16(afi),
      Uint8Array.of(safi, nextHop.length),
      nextHop,
      Uint8Array.of(0),
      encodeNlriRun(reach.nlri, form),
    ]),
  );
}

//  +-------------+----------+--------------------+
//  | AFI (2)     | SAFI (1) | Withdrawn NLRI ... |   none at all: End-of-RIB (RFC 4724 section 2)
//  +-------------+----------+--------------------+
export function encodeUnreach(unreach: Unreach, form: NlriForm): Uint8Array {
  const { afi, safi } = unicast(unreach.family);
  const value = joined([uint16(afi), Uint8Array.of(safi), encodeNlriRun(unreach.nlri, form)]);
  return encodeAttribute(ATTRIBUTE_FLAG.optional, ATTRIBUTE.mpUnreach, value);
}

export function decodeReach(value: Uint8Array, formOf: FormOf): Outcome<Reach> {
  const reader = new OctetReader(value);
  const afiSafi = { afi: reader.uint16(), safi: reader.uint8() };
  const hops = reader.take(reader.uint8());
  reader.uint8(); // reserved
  if (reader.overrun) {
    return tooShort('MP_REACH_NLRI');
  }
  const carried = carriedFamily(afiSafi, formOf);
  if (carried === undefined) {
    return notCarried(afiSafi);
  }
  const { family, form } = carried;
  const [nextHop, linkLocal] = nextHops(hops, family);
  if (nextHop === undefined) {
    const text = `a next hop of ${hops.length} octets is not one of IPv${family}`;
    return failed(familyProblem(afiSafi, UPDATE_ERROR.optionalAttribute, text));
  }
  const nlri = decodeNlriRun(reader.take(reader.remaining), family, form);
  return nlri === undefined ? badPrefix(afiSafi) : decoded({ family, nextHop, linkLocal, nlri });
}

export function decodeUnreach(value: Uint8Array, formOf: FormOf): Outcome<Unreach> {
  const reader = new OctetReader(value);
  const afiSafi = { afi: reader.uint16(), safi: reader.uint8() };
  if (reader.overrun) {
    return tooShort('MP_UNREACH_NLRI');
  }
  const carried = carriedFamily(afiSafi, formOf);
  if (carried === undefined) {
    return notCarried(afiSafi);
  }
  const nlri = decodeNlriRun(reader.take(reader.remaining), carried.family, carried.form);
  return nlri === undefined ? badPrefix(afiSafi) : decoded({ family: carried.family, nlri });
}

function carriedFamily(afiSafi: AfiSafi, formOf: FormOf): { family: Family; form: NlriForm } | undefined {
  const family = unicastFamily(afiSafi);
  const form = family && formOf(family);
  return family === undefined || form === undefined ? undefined : { family, form };
}

/** RFC 2545 section 3: IPv6 has one address or a global and a link-local one. */
function nextHops(octets: Uint8Array, family: Family): [Address?, Address?] {
  if (family === 4) {
    return octets.length === 4 ? [addressFromBytes(octets)] : [];
  }
  if (octets.length === 32) {
    return [addressFromBytes(octets.subarray(0, 16)), addressFromBytes(octets.subarray(16))];
  }
  return octets.length === 16 ? [addressFromBytes(octets)] : [];
}

function tooShort(name: string): Outcome<never> {
  const text = `${name} is shorter than its fixed part`;
  return failed(updateProblem('session-reset', UPDATE_ERROR.optionalAttribute, text));
}

function notCarried(afiSafi: AfiSafi): Outcome<never> {
  const text = `the session does not carry AFI ${afiSafi.afi} SAFI ${afiSafi.safi}`;
  return failed(familyProblem(afiSafi, UPDATE_ERROR.optionalAttribute, text));
}

function badPrefix(afiSafi: AfiSafi): Outcome<never> {
  const text = 'a prefix in a multiprotocol attribute is too long or overruns it';
  return failed(familyProblem(afiSafi, UPDATE_ERROR.invalidNetworkField, text));
}
