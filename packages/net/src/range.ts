// A range of addresses of one family, as pools are written: a prefix, "first-last", or one address.
// Text -> AddressRange, its relations, and the fewest prefixes that hold exactly its addresses.
//
// A range knows nothing of what is free in it. Spaces around the dash are allowed, as MetalLB allows them.

import { addressBits, addressFromValue, compareAddresses, parseAddress } from './address.ts';
import type { Address, Family } from './address.ts';
import { accepted, literal, quoted, refused } from './parsed.ts';
import type { Parsed } from './parsed.ts';
import { firstAddress, lastAddress, parsePrefix, prefixOf } from './prefix.ts';
import type { Prefix } from './prefix.ts';

export interface AddressRange {
  readonly family: Family;
  readonly first: Address;
  readonly last: Address;
  /** Canonical, however it was written: one address, a prefix if it is one, else "first-last". */
  readonly text: string;
}

export function parseRange(text: string): Parsed<AddressRange> {
  const dash = text.indexOf('-');
  if (dash >= 0) {
    return parseEnds(text, text.slice(0, dash).trimEnd(), text.slice(dash + 1).trimStart());
  }
  if (text.includes('/')) {
    const parsed = parsePrefix(text);
    return parsed.ok ? accepted(prefixRange(parsed.value)) : parsed;
  }
  const parsed = parseAddress(text);
  return parsed.ok ? accepted(rangeBetween(parsed.value, parsed.value)) : parsed;
}

function parseEnds(text: string, firstText: string, lastText: string): Parsed<AddressRange> {
  const first = parseAddress(firstText);
  if (!first.ok) {
    return notARange(text, first.problem);
  }
  const last = parseAddress(lastText);
  if (!last.ok) {
    return notARange(text, last.problem);
  }
  if (first.value.family !== last.value.family) {
    return notARange(text, 'one end is IPv4, the other IPv6');
  }
  return compareAddresses(first.value, last.value) > 0
    ? notARange(text, `it is reversed, write ${last.value.text}-${first.value.text}`)
    : accepted(rangeBetween(first.value, last.value));
}

function notARange(text: string, problem: string): Parsed<never> {
  return refused(`${quoted(text)} is not a range of addresses: ${problem}`);
}

/** For ranges written in source code; throws RangeError. */
export function range(text: string): AddressRange {
  return literal(parseRange(text));
}

export function prefixRange(of: Prefix): AddressRange {
  return rangeBetween(firstAddress(of), lastAddress(of));
}

/** Both ends are of one family and in order. */
function rangeBetween(first: Address, last: Address): AddressRange {
  return { family: first.family, first, last, text: rangeText(first, last) };
}

function rangeText(first: Address, last: Address): string {
  if (first.text === last.text) {
    return first.text;
  }
  const block = largestPrefix(first, last.value);
  return lastAddress(block).text === last.text ? block.text : `${first.text}-${last.text}`;
}

export function rangeContains(outer: AddressRange, inside: Address): boolean {
  return compareAddresses(outer.first, inside) <= 0 && compareAddresses(inside, outer.last) <= 0;
}

export function rangesOverlap(a: AddressRange, b: AddressRange): boolean {
  return compareAddresses(a.first, b.last) <= 0 && compareAddresses(b.first, a.last) <= 0;
}

/** How many addresses it holds. */
export function rangeSize(of: AddressRange): bigint {
  return of.last.value - of.first.value + 1n;
}

/** IPv4 before IPv6, then by first address, then the smaller one first. */
export function compareRanges(a: AddressRange, b: AddressRange): number {
  return compareAddresses(a.first, b.first) || compareAddresses(a.last, b.last);
}

/** The fewest prefixes that together hold exactly the addresses of the range, in order. */
export function rangePrefixes(of: AddressRange): Prefix[] {
  const prefixes: Prefix[] = [];
  const end = of.last.value;
  let next = of.first.value;
  while (next <= end) {
    const block = largestPrefix(addressFromValue(of.family, next), end);
    prefixes.push(block);
    next = lastAddress(block).value + 1n;
  }
  return prefixes;
}

/** The largest prefix that begins at `first` and does not reach beyond `end`. */
function largestPrefix(first: Address, end: bigint): Prefix {
  const room = end - first.value + 1n;
  let length: number = addressBits(first.family);
  let size = 1n;
  while (length > 0 && size * 2n <= room && (first.value & (size * 2n - 1n)) === 0n) {
    size *= 2n;
    length -= 1;
  }
  return prefixOf(first, length);
}
