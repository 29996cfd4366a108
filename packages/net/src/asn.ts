// Autonomous system numbers: four octets (RFC 6793), read as asplain or asdot (RFC 5396).
// Text or number -> Asn, without the numbers that no speaker may use.
//
// Private numbers (RFC 6996) and those for documentation (RFC 5398) are numbers like any other here.

import { accepted, quoted, refused } from './parsed.ts';
import type { Parsed } from './parsed.ts';

/** 1 to 4294967295. */
export type Asn = number;

/** Stands for a four-octet number where only two octets fit (RFC 6793). */
export const AS_TRANS = 23456;

const TWO_OCTETS_MAX = 0xffff;
const FOUR_OCTETS_MAX = 0xffffffff;
const OCTET_PAIR = 0x10000;

const RESERVED: ReadonlyMap<number, string> = new Map([
  [0, 'AS 0 never speaks BGP (RFC 7607)'],
  [AS_TRANS, 'AS 23456 is AS_TRANS, which stands for other numbers (RFC 6793)'],
  [TWO_OCTETS_MAX, 'AS 65535 is the last two-octet number and reserved (RFC 7300)'],
  [FOUR_OCTETS_MAX, 'AS 4294967295 is the last four-octet number and reserved (RFC 7300)'],
]);

export function parseAsn(source: string | number): Parsed<Asn> {
  const shown = typeof source === 'number' ? String(source) : quoted(source);
  const asn = typeof source === 'number' ? source : readAsn(source);
  if (asn === undefined || !Number.isInteger(asn) || asn < 0 || asn > FOUR_OCTETS_MAX) {
    return refused(
      `${shown} is not an AS number: write 1 to 4294967294, or two numbers up to 65535 as in 1.10`,
    );
  }
  const reserved = RESERVED.get(asn);
  return reserved === undefined
    ? accepted(asn)
    : refused(`${shown} cannot be used as an AS number: ${reserved}`);
}

/** The number, possibly too large, or undefined if the text is neither asplain nor asdot. */
function readAsn(text: string): number | undefined {
  const match = /^(0|[1-9]\d{0,9})(?:\.(0|[1-9]\d{0,4}))?$/.exec(text);
  if (match === null) {
    return undefined;
  }
  const high = Number(match[1]);
  if (match[2] === undefined) {
    return high;
  }
  const low = Number(match[2]);
  return high > TWO_OCTETS_MAX || low > TWO_OCTETS_MAX ? undefined : high * OCTET_PAIR + low;
}

export function isFourOctet(asn: Asn): boolean {
  return asn > TWO_OCTETS_MAX;
}
