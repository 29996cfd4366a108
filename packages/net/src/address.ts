// An IP address as a value. Its identity is its canonical text (dotted quad; RFC 5952 for IPv6), so equal
// addresses have equal text; number and bytes are derived when first asked for and kept.
//
// Text, bytes or number -> Address. Says nothing about whether an address may be announced or be a next
// hop; that is for whoever knows the pools and nodes.

import { isDottedQuad, ipv4Problem, octetsOf } from './ipv4-text.ts';
import { isMapped, readGroups, writeGroups } from './ipv6-text.ts';
import { accepted, literal, quoted, refused } from './parsed.ts';
import type { Parsed } from './parsed.ts';

export type Family = 4 | 6;

export interface Address {
  readonly family: Family;
  /** Canonical: equal exactly when the addresses are equal. */
  readonly text: string;
  /** The address as an unsigned number of 32 or 128 bits. */
  readonly value: bigint;
  /** 4 or 16 bytes in network order; the same array every time, not to be written to. */
  readonly bytes: Uint8Array;
}

class CanonicalAddress implements Address {
  readonly family: Family;
  readonly text: string;
  #value: bigint | undefined;
  #bytes: Uint8Array | undefined;

  constructor(family: Family, text: string) {
    this.family = family;
    this.text = text;
  }

  get bytes(): Uint8Array {
    this.#bytes ??= this.family === 4 ? new Uint8Array(octetsOf(this.text)) : groupBytes(this.text);
    return this.#bytes;
  }

  get value(): bigint {
    this.#value ??= this.bytes.reduce((value, byte) => (value << 8n) | BigInt(byte), 0n);
    return this.#value;
  }
}

function groupBytes(text: string): Uint8Array {
  const groups = readGroups(text);
  if (typeof groups === 'string') {
    throw new RangeError(groups);
  }
  return new Uint8Array(groups.flatMap((group) => [group >> 8, group & 0xff]));
}

export function parseAddress(text: string): Parsed<Address> {
  if (isDottedQuad(text)) {
    return accepted(new CanonicalAddress(4, text));
  }
  const problem = foreignPart(text);
  if (problem !== undefined) {
    return notAnAddress(text, problem);
  }
  return text.includes(':') ? parseGroups(text) : notAnAddress(text, ipv4Problem(text));
}

function parseGroups(text: string): Parsed<Address> {
  const groups = readGroups(text);
  if (typeof groups === 'string') {
    return notAnAddress(text, groups);
  }
  if (isMapped(groups)) {
    const quad = writeGroups(groups).slice('::ffff:'.length);
    return notAnAddress(text, `an IPv4-mapped IPv6 address is ambiguous, write ${quad}`);
  }
  return accepted(new CanonicalAddress(6, writeGroups(groups)));
}

function notAnAddress(text: string, problem: string): Parsed<never> {
  return refused(`${quoted(text)} is not an IP address: ${problem}`);
}

const FOREIGN_PARTS: readonly (readonly [RegExp, string])[] = [
  [/^$/, 'it is empty'],
  [/\s/, 'it contains a space'],
  [/[[\]]/, 'leave out the brackets, and the port if there is one'],
  [/%/, 'a zone id has no meaning outside one machine'],
  [/\//, 'a prefix length does not belong here'],
  [/^[\d.]+:\d+$/, 'leave out the port'],
];

/** What belongs to a URL, a socket or a prefix rather than to an address. */
function foreignPart(text: string): string | undefined {
  return FOREIGN_PARTS.find(([pattern]) => pattern.test(text))?.[1];
}

/** For addresses written in source code; throws RangeError. */
export function address(text: string): Address {
  return literal(parseAddress(text));
}

/** Throws RangeError unless there are 4 or 16 bytes. The bytes are copied. */
export function addressFromBytes(bytes: Uint8Array): Address {
  if (bytes.length === 4) {
    return new CanonicalAddress(4, bytes.join('.'));
  }
  if (bytes.length !== 16) {
    throw new RangeError(`an address has 4 or 16 bytes, not ${bytes.length}`);
  }
  const groups = Array.from({ length: 8 }, (_, i) => ((bytes[2 * i] ?? 0) << 8) | (bytes[2 * i + 1] ?? 0));
  return new CanonicalAddress(6, writeGroups(groups));
}

/** Throws RangeError if the value does not fit the family. */
export function addressFromValue(family: Family, value: bigint): Address {
  const size = addressBits(family) / 8;
  if (value < 0n || value >> BigInt(size * 8) !== 0n) {
    throw new RangeError(`${value} is not an IPv${family} address`);
  }
  const bytes = new Uint8Array(size);
  for (let i = size - 1, rest = value; i >= 0; i--, rest >>= 8n) {
    bytes[i] = Number(rest & 0xffn);
  }
  return addressFromBytes(bytes);
}

/** 4 or 16 bytes in network order; the same array for the same object, not to be written to. */
export function addressBytes(of: Address): Uint8Array {
  return of.bytes;
}

export function addressBits(family: Family): 32 | 128 {
  return family === 4 ? 32 : 128;
}

/** IPv4 before IPv6, then by number. */
export function compareAddresses(a: Address, b: Address): number {
  return a === b ? 0 : a.family - b.family || compareBytes(a.bytes, b.bytes);
}

function compareBytes(a: Uint8Array, b: Uint8Array): number {
  for (let i = 0; i < a.length; i++) {
    const difference = (a[i] ?? 0) - (b[i] ?? 0);
    if (difference !== 0) {
      return difference;
    }
  }
  return 0;
}

export function isUnspecified(of: Address): boolean {
  return of.text === '0.0.0.0' || of.text === '::';
}

/** 127.0.0.0/8 (RFC 1122 section 3.2.1.3) and ::1 (RFC 4291 section 2.5.3). */
export function isLoopback(of: Address): boolean {
  return of.family === 4 ? of.text.startsWith('127.') : of.text === '::1';
}

/** 169.254.0.0/16 (RFC 3927) and fe80::/10 (RFC 4291 section 2.5.6). */
export function isLinkLocal(of: Address): boolean {
  return of.family === 4 ? of.text.startsWith('169.254.') : /^fe[89ab][0-9a-f]:/.test(of.text);
}

/** 224.0.0.0/4 (RFC 5771) and ff00::/8 (RFC 4291 section 2.7). */
export function isMulticast(of: Address): boolean {
  const [first = 0] = of.bytes;
  return of.family === 4 ? first >> 4 === 0b1110 : first === 0xff;
}
