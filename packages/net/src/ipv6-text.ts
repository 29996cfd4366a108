// The text of IPv6 addresses: read by RFC 4291 section 2.2 (all three forms), written by RFC 5952.
// Text -> eight 16-bit groups or the sentence that says what is wrong; groups -> the one canonical text.
//
// Zone ids, brackets and ports are not part of an address and never reach this file.

import { isDottedQuad, octetsOf } from './ipv4-text.ts';
import { quoted, shortened } from './parsed.ts';

const GROUPS = 8;

/** Eight groups, or a string that says why there are none. */
export function readGroups(text: string): number[] | string {
  const [head = '', tail, surplus] = hexadecimal(text).split('::');
  if (surplus !== undefined) {
    return '"::" may appear only once';
  }
  const before = readHalf(head);
  if (typeof before === 'string' || tail === undefined) {
    return typeof before === 'string' ? before : exactly(before);
  }
  const after = readHalf(tail);
  return typeof after === 'string' ? after : filled(before, after);
}

function exactly(groups: number[]): number[] | string {
  return groups.length === GROUPS ? groups : `an IPv6 address has 8 groups, this has ${groups.length}`;
}

function filled(before: number[], after: number[]): number[] | string {
  const missing = GROUPS - before.length - after.length;
  if (missing < 1) {
    return '"::" must stand for at least one group';
  }
  return [...before, ...Array.from({ length: missing }, () => 0), ...after];
}

function readHalf(half: string): number[] | string {
  const groups: number[] = [];
  if (half === '') {
    return groups;
  }
  for (const field of half.split(':')) {
    const problem = groupProblem(field);
    if (problem !== undefined) {
      return problem;
    }
    groups.push(Number.parseInt(field, 16));
  }
  return groups;
}

/** The third form of RFC 4291 section 2.2, two groups written as a dotted quad at the end, as the first form. */
function hexadecimal(text: string): string {
  const start = text.lastIndexOf(':') + 1;
  const quad = text.slice(start);
  if (!isDottedQuad(quad)) {
    return text;
  }
  const [a = 0, b = 0, c = 0, d = 0] = octetsOf(quad);
  return text.slice(0, start) + joined([(a << 8) | b, (c << 8) | d]);
}

function groupProblem(field: string): string | undefined {
  if (field === '') {
    return 'a group is empty';
  }
  if (!/^[0-9a-f]+$/i.test(field)) {
    return `${quoted(field)} is not a group of hexadecimal digits`;
  }
  return field.length > 4 ? `group ${shortened(field)} has more than 4 digits` : undefined;
}

/** ::ffff:0:0/96, RFC 4291 section 2.5.5.2. */
export function isMapped(groups: readonly number[]): boolean {
  return groups[5] === 0xffff && groups.slice(0, 5).every((group) => group === 0);
}

/** RFC 5952 section 4; mapped addresses, which only the wire can bring, in the mixed form of section 5. */
export function writeGroups(groups: readonly number[]): string {
  if (isMapped(groups)) {
    const octets = groups.slice(6).flatMap((group) => [group >> 8, group & 0xff]);
    return `::ffff:${octets.join('.')}`;
  }
  const { start, length } = longestZeroRun(groups);
  return length < 2
    ? joined(groups)
    : `${joined(groups.slice(0, start))}::${joined(groups.slice(start + length))}`;
}

function joined(groups: readonly number[]): string {
  return groups.map((group) => group.toString(16)).join(':');
}

/** The first of the longest runs. */
function longestZeroRun(groups: readonly number[]): { start: number; length: number } {
  let best = { start: 0, length: 0 };
  let start = 0;
  for (const [index, group] of groups.entries()) {
    if (group !== 0) {
      start = index + 1;
    } else if (index + 1 - start > best.length) {
      best = { start, length: index + 1 - start };
    }
  }
  return best;
}
