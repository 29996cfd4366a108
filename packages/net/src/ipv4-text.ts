// The dotted quad: the only text form of an IPv4 address that is read here.
// Text -> "is it one", octets, or the sentence that says what is wrong with it.
//
// Leading zeros are refused and not read as octal or decimal, because programs disagree about which of the
// two they are (RFC 6943 section 3.1.1). Short forms such as "10.1" are refused for the same reason.

import { shortened } from './parsed.ts';

const DOT = 0x2e;
const ZERO = 0x30;

/** One pass without allocation: this runs for every endpoint address of the cluster. */
export function isDottedQuad(text: string): boolean {
  let dots = 0;
  let octet = -1;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === DOT && octet >= 0) {
      dots += 1;
      octet = -1;
    } else {
      octet = withDigit(octet, code - ZERO);
      if (octet < 0) {
        return false;
      }
    }
  }
  return dots === 3 && octet >= 0;
}

/** The octet after one more digit, or -1 if that is no digit, a leading zero or too much. */
function withDigit(octet: number, digit: number): number {
  if (digit < 0 || digit > 9 || octet === 0) {
    return -1;
  }
  const next = octet < 0 ? digit : octet * 10 + digit;
  return next > 255 ? -1 : next;
}

/** The octets of a text for which `isDottedQuad` holds. */
export function octetsOf(quad: string): number[] {
  return quad.split('.').map(Number);
}

/** Why the text is not a dotted quad; call it only when `isDottedQuad` does not hold. */
export function ipv4Problem(text: string): string {
  const fields = text.split('.');
  if (fields.some((field) => !/^\d+$/.test(field))) {
    return 'it is neither four decimal numbers nor groups of hexadecimal digits';
  }
  if (fields.length !== 4) {
    return `an IPv4 address has 4 numbers, this has ${fields.length}`;
  }
  const padded = fields.find((field) => field.length > 1 && field.startsWith('0'));
  return padded === undefined
    ? `${shortened(fields.find((field) => Number(field) > 255) ?? '')} is greater than 255`
    : `${shortened(padded)} has a leading zero`;
}
