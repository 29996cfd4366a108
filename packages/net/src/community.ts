// Communities: standard (RFC 1997, four octets) and large (RFC 8092, three times four octets).
// Text or numbers -> Community with canonical text: a well-known name where there is one, else decimals.
//
// Holds the tags by which the feed tells bgpd which peer a path is for. Refusing such a tag in what users
// write is a matter of policy and not done here. Extended communities are not text in any of our objects.

import { accepted, literal, quoted, refused } from './parsed.ts';
import type { Parsed } from './parsed.ts';

export interface StandardCommunity {
  readonly kind: 'standard';
  /** Unsigned 32 bits: administrator in the upper half. */
  readonly value: number;
  readonly text: string;
}

export interface LargeCommunity {
  readonly kind: 'large';
  readonly global: number;
  readonly local1: number;
  readonly local2: number;
  readonly text: string;
}

export type Community = StandardCommunity | LargeCommunity;

/** Global administrator of our own tags: the one four-octet number that no network can have (RFC 7300). */
export const INTERNAL_ADMINISTRATOR = 4294967295;

/** First local part of a tag that says "for this peer". */
const EXPORT_FUNCTION = 1;

/** IANA, "BGP Well-known Communities". */
const WELL_KNOWN: ReadonlyMap<string, number> = new Map([
  ['graceful-shutdown', 0xffff0000], // RFC 8326
  ['accept-own', 0xffff0001], // RFC 7611
  ['llgr-stale', 0xffff0006], // RFC 9494
  ['no-llgr', 0xffff0007], // RFC 9494
  ['blackhole', 0xffff029a], // RFC 7999
  ['no-export', 0xffffff01], // RFC 1997
  ['no-advertise', 0xffffff02], // RFC 1997
  ['local-as', 0xffffff03], // RFC 1997, there NO_EXPORT_SUBCONFED
  ['no-peer', 0xffffff04], // RFC 3765
]);

const ALIASES: ReadonlyMap<string, string> = new Map([['no-export-subconfed', 'local-as']]);

const NAMES: ReadonlyMap<number, string> = new Map([...WELL_KNOWN].map(([name, value]) => [value, name]));

export function parseCommunity(text: string): Parsed<Community> {
  const wellKnown = WELL_KNOWN.get(ALIASES.get(text) ?? text);
  if (wellKnown !== undefined) {
    return accepted(standardCommunity(wellKnown));
  }
  const numbers = /^(?:large:)?\d+(?::\d+)+$/.test(text) ? text.replace(/^large:/, '').split(':') : [];
  if (numbers.some((number) => number.length > 1 && number.startsWith('0'))) {
    return notACommunity(text, 'a number has a leading zero');
  }
  if (numbers.length === 3) {
    return parseLarge(text, numbers.map(Number));
  }
  return numbers.length === 2 && !text.startsWith('large:')
    ? parseStandard(text, numbers.map(Number))
    : notACommunity(text, `write 65000:100, large:65000:1:2, or one of ${[...WELL_KNOWN.keys()].join(', ')}`);
}

function parseStandard(text: string, [high = 0, low = 0]: readonly number[]): Parsed<Community> {
  return high > 0xffff || low > 0xffff
    ? notACommunity(text, 'the numbers of a standard community end at 65535; a large community has three')
    : accepted(standardCommunity(high * 0x10000 + low));
}

function parseLarge(
  text: string,
  [global = 0, local1 = 0, local2 = 0]: readonly number[],
): Parsed<Community> {
  return Math.max(global, local1, local2) > 0xffffffff
    ? notACommunity(text, 'the numbers of a large community end at 4294967295')
    : accepted(largeCommunity(global, local1, local2));
}

function notACommunity(text: string, problem: string): Parsed<never> {
  return refused(`${quoted(text)} is not a community: ${problem}`);
}

/** For communities written in source code; throws RangeError. */
export function community(text: string): Community {
  return literal(parseCommunity(text));
}

/** Throws RangeError unless the value has 32 bits. */
export function standardCommunity(value: number): StandardCommunity {
  assertUnsigned32(value);
  const text = NAMES.get(value) ?? `${value >>> 16}:${value & 0xffff}`;
  return { kind: 'standard', value, text };
}

/** Throws RangeError unless each part has 32 bits. */
export function largeCommunity(global: number, local1: number, local2: number): LargeCommunity {
  assertUnsigned32(global);
  assertUnsigned32(local1);
  assertUnsigned32(local2);
  return { kind: 'large', global, local1, local2, text: `${global}:${local1}:${local2}` };
}

function assertUnsigned32(value: number): void {
  if (value >>> 0 !== value) {
    throw new RangeError(`${value} is not an unsigned 32-bit number`);
  }
}

/** In place of a peer's number: all of them. */
export const EVERY_PEER = 0;

/** The internal tag of a path that is for one peer, or for every one. */
export function exportTag(peerNumber: number): LargeCommunity {
  return largeCommunity(INTERNAL_ADMINISTRATOR, EXPORT_FUNCTION, peerNumber);
}

/** Whether it is such a tag, for whichever peer. */
export function isExportTag({ global, local1 }: LargeCommunity): boolean {
  return global === INTERNAL_ADMINISTRATOR && local1 === EXPORT_FUNCTION;
}

/** Numbers of the peers that a path with these communities is for; `EVERY_PEER` may be one of them. */
export function exportedTo(communities: readonly LargeCommunity[]): number[] {
  return communities.filter(isExportTag).map(({ local2 }) => local2);
}

export function isStandard(each: Community): each is StandardCommunity {
  return each.kind === 'standard';
}

export function isLarge(each: Community): each is LargeCommunity {
  return each.kind === 'large';
}

/** Standard before large, then by number. */
export function compareCommunities(a: Community, b: Community): number {
  if (a.kind === 'standard') {
    return b.kind === 'standard' ? a.value - b.value : -1;
  }
  return b.kind === 'standard' ? 1 : a.global - b.global || a.local1 - b.local1 || a.local2 - b.local2;
}
