// Prefixes on the wire (RFC 4271 section 4.3, RFC 7911 section 3): a run of NLRI to octets and back.
//
// Encoding writes into a given array at a given place, because 200,000 of these make a table. Decoding
// returns undefined for a run that cannot be cut into prefixes; what follows from that depends on where the
// run stood (RFC 7606 section 5.3). Bits behind the prefix length are ignored, as RFC 4271 says.

import { addressBits, addressBytes, addressFromBytes, prefixOf, type Family } from '@herald/net';
import type { Nlri } from './message.ts';
import { OctetReader } from './octets.ts';

/** Whether path identifiers stand before the prefixes, as negotiated for the family and direction. */
export type NlriForm = 'plain' | 'add-path';

const PATH_ID_OCTETS = 4;

export function nlriOctets(nlri: Nlri, form: NlriForm): number {
  return (form === 'add-path' ? PATH_ID_OCTETS : 0) + 1 + ((nlri.prefix.length + 7) >>> 3);
}

export function nlriRunOctets(run: readonly Nlri[], form: NlriForm): number {
  let octets = 0;
  for (const nlri of run) {
    octets += nlriOctets(nlri, form);
  }
  return octets;
}

//  +---------------------------+----------------+------------------------------+
//  | Path identifier (4, only  | Length in bits | Prefix: as many whole octets |
//  | with ADD-PATH)            | (1 octet)      | as the bits need             |
//  +---------------------------+----------------+------------------------------+
/** Returns the offset behind what was written. */
export function writeNlriRun(
  run: readonly Nlri[],
  form: NlriForm,
  target: Uint8Array,
  offset: number,
): number {
  let at = offset;
  for (const { pathId, prefix } of run) {
    if (form === 'add-path') {
      target[at++] = pathId >>> 24;
      target[at++] = pathId >>> 16;
      target[at++] = pathId >>> 8;
      target[at++] = pathId;
    }
    target[at++] = prefix.length;
    const bytes = addressBytes(prefix.address);
    const octets = (prefix.length + 7) >>> 3;
    for (let i = 0; i < octets; i++) {
      target[at++] = bytes[i] ?? 0;
    }
  }
  return at;
}

export function encodeNlriRun(run: readonly Nlri[], form: NlriForm): Uint8Array {
  const octets = new Uint8Array(nlriRunOctets(run, form));
  writeNlriRun(run, form, octets, 0);
  return octets;
}

export function decodeNlriRun(octets: Uint8Array, family: Family, form: NlriForm): Nlri[] | undefined {
  const reader = new OctetReader(octets);
  const run: Nlri[] = [];
  while (reader.remaining > 0) {
    const nlri = readNlri(reader, family, form);
    if (nlri === undefined) {
      return undefined;
    }
    run.push(nlri);
  }
  return run;
}

function readNlri(reader: OctetReader, family: Family, form: NlriForm): Nlri | undefined {
  const pathId = form === 'add-path' ? reader.uint32() : 0;
  const length = reader.uint8();
  if (length > addressBits(family)) {
    return undefined;
  }
  const significant = reader.take((length + 7) >>> 3);
  if (reader.overrun) {
    return undefined;
  }
  const bytes = new Uint8Array(addressBits(family) / 8);
  bytes.set(significant);
  return { pathId, prefix: prefixOf(addressFromBytes(bytes), length) };
}
