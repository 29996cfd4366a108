// A prefix: an address whose bits beyond a length are zero (RFC 4632 section 3.1, RFC 4291 section 2.3).
// Text, or an address and a length -> Prefix, and the relations between prefixes and addresses.
//
// Reading text refuses host bits instead of dropping them: "192.0.2.1/24" is as likely a mistyped address
// as a mistyped length. Masking is there for callers that mean it, as `prefixOf`.

import { addressBits, addressFromBytes, compareAddresses, parseAddress } from './address.ts';
import type { Address, Family } from './address.ts';
import { accepted, literal, quoted, refused } from './parsed.ts';
import type { Parsed } from './parsed.ts';

export interface Prefix {
  readonly family: Family;
  /** The first address: all host bits are zero. */
  readonly address: Address;
  readonly length: number;
  /** Canonical: equal exactly when the prefixes are equal. */
  readonly text: string;
}

function prefixAt(first: Address, length: number): Prefix {
  return { family: first.family, address: first, length, text: `${first.text}/${length}` };
}

export function parsePrefix(text: string): Parsed<Prefix> {
  const slash = text.indexOf('/');
  if (slash < 0) {
    return notAPrefix(text, 'it has no length, such as /32');
  }
  const parsed = parseAddress(text.slice(0, slash));
  if (!parsed.ok) {
    return notAPrefix(text, parsed.problem);
  }
  const bits = addressBits(parsed.value.family);
  const length = text.slice(slash + 1);
  if (!/^(0|[1-9]\d{0,2})$/.test(length) || Number(length) > bits) {
    return notAPrefix(text, `its length must be a number from 0 to ${bits}`);
  }
  const masked = prefixOf(parsed.value, Number(length));
  return masked.address.text === parsed.value.text
    ? accepted(masked)
    : notAPrefix(text, `it has host bits set, the prefix is ${masked.text}`);
}

function notAPrefix(text: string, problem: string): Parsed<never> {
  return refused(`${quoted(text)} is not a prefix: ${problem}`);
}

/** For prefixes written in source code; throws RangeError. */
export function prefix(text: string): Prefix {
  return literal(parsePrefix(text));
}

/** The prefix that holds this address alone: /32 or /128. */
export function hostPrefix(only: Address): Prefix {
  return prefixAt(only, addressBits(only.family));
}

/** The prefix of this length that holds the address; throws RangeError if the family has no such length. */
export function prefixOf(inside: Address, length: number): Prefix {
  const bits = addressBits(inside.family);
  if (!Number.isInteger(length) || length < 0 || length > bits) {
    throw new RangeError(`an IPv${inside.family} prefix has a length from 0 to ${bits}, not ${length}`);
  }
  return prefixAt(length === bits ? inside : mapHostBits(inside, length, clearBits), length);
}

export function firstAddress(of: Prefix): Address {
  return of.address;
}

export function lastAddress(of: Prefix): Address {
  return of.length === addressBits(of.family) ? of.address : mapHostBits(of.address, of.length, setBits);
}

const clearBits = (byte: number, hostBits: number): number => byte & ~hostBits;
const setBits = (byte: number, hostBits: number): number => byte | hostBits;

/** The address with each byte changed by `change`, which is told which of the byte's bits are host bits. */
function mapHostBits(of: Address, length: number, change: typeof clearBits): Address {
  const bytes = of.bytes.map((byte, i) => {
    const networkBits = Math.min(8, Math.max(0, length - 8 * i));
    return change(byte, 0xff >> networkBits);
  });
  return addressFromBytes(bytes);
}

export function contains(outer: Prefix, inside: Address): boolean {
  return outer.family === inside.family && shareBits(outer.address.bytes, inside.bytes, outer.length);
}

/** Whether every address of `inner` is in `outer`; a prefix covers itself. */
export function covers(outer: Prefix, inner: Prefix): boolean {
  return outer.length <= inner.length && contains(outer, inner.address);
}

export function overlaps(a: Prefix, b: Prefix): boolean {
  return covers(a, b) || covers(b, a);
}

function shareBits(a: Uint8Array, b: Uint8Array, length: number): boolean {
  const whole = length >> 3;
  for (let i = 0; i < whole; i++) {
    if (a[i] !== b[i]) {
      return false;
    }
  }
  const rest = length & 7;
  return rest === 0 || ((a[whole] ?? 0) ^ (b[whole] ?? 0)) >> (8 - rest) === 0;
}

/** IPv4 before IPv6, then by first address, then the shorter one first. */
export function comparePrefixes(a: Prefix, b: Prefix): number {
  return compareAddresses(a.address, b.address) || a.length - b.length;
}
