// Changes of a table as UPDATE messages: the prefixes that share a next hop and attributes go together, as many
// as fit in a message of the negotiated size. Pure, and lazy: a message is made when it is asked for.
//
// All announcements come before all withdrawals, so that a prefix whose next hops change is never without one
// (make before break). IPv4 prefixes stand in the classic fields, which bgpd packs and reads fastest, IPv6 in
// MP_REACH_NLRI and MP_UNREACH_NLRI. A path that cannot be said is refused with a reason and withdrawn instead,
// so that an older version of it does not stay behind.

import type { Family, Path, PathAttributes, Prefix } from '@herald/net';
import { encodeAttributes } from '../wire/attribute-encode.ts';
import type { AsSegment, Attributes, ExtendedCommunity, Nlri, UpdateMessage } from '../wire/message.ts';
import { nlriOctets, type NlriForm } from '../wire/nlri.ts';
import { formOf, updateMessage } from '../wire/update.ts';
import type { Change } from './diff.ts';

export interface PackOptions {
  /** Families with path identifiers. */
  readonly addPath: readonly Family[];
  /** Octets of the longest message that the peer takes. */
  readonly maximumLength: number;
}

export type RefusalReason = 'NextHopOfOtherFamily' | 'AttributesTooLong';

export interface Refusal {
  readonly kind: 'refusal';
  readonly reason: RefusalReason;
  readonly prefix: Prefix;
  readonly path: Path;
}

interface Group {
  readonly family: Family;
  readonly path: Path;
  readonly nlri: Nlri[];
}

/** Header 19, two length fields of 2 (RFC 4271 section 4.3). */
const UPDATE_FIXED_OCTETS = 23;
/** Flags, type and two octets of length. */
const ATTRIBUTE_HEAD_OCTETS = 4;
/** AFI, SAFI, length of the next hop, the next hop of IPv6, reserved octet (RFC 4760 section 3). */
const REACH_FIXED_OCTETS = ATTRIBUTE_HEAD_OCTETS + 2 + 1 + 1 + 16 + 1;
/** AFI, SAFI (RFC 4760 section 4). */
const UNREACH_FIXED_OCTETS = ATTRIBUTE_HEAD_OCTETS + 2 + 1;
/** Path identifier, length, 16 octets of prefix. */
const LONGEST_NLRI_OCTETS = 21;
/** RFC 4271 section 4.3: the count of AS numbers in a segment has one octet. */
const LONGEST_SEGMENT = 255;

export function* pack(
  changes: readonly Change[],
  options: PackOptions,
): Generator<UpdateMessage | Refusal, void, undefined> {
  const withdrawn: Record<Family, Nlri[]> = { 4: [], 6: [] };
  for (const change of changes) {
    for (const pathId of change.withdrawn) {
      withdrawn[change.prefix.family].push({ pathId, prefix: change.prefix });
    }
  }
  for (const group of grouped(changes, options)) {
    const attributes = announcedAttributes(group);
    const room = announcementRoom(group.family, attributes, options);
    const reason = refusalReason(group, room);
    if (reason === undefined) {
      yield* announcements(
        group,
        attributes,
        portions(group.nlri, formOf(options.addPath, group.family), room),
      );
      continue;
    }
    withdrawn[group.family].push(...group.nlri);
    for (const { prefix } of group.nlri) {
      yield { kind: 'refusal', reason, prefix, path: group.path };
    }
  }
  yield* withdrawals(withdrawn[4], 4, options);
  yield* withdrawals(withdrawn[6], 6, options);
}

/** Groups by what an UPDATE says once: family, next hop and attributes. */
function grouped(changes: readonly Change[], { addPath }: PackOptions): Iterable<Group> {
  const groups = new Map<string, Group>();
  const known: Record<Family, Map<Path, Group>> = { 4: new Map(), 6: new Map() };
  for (const { prefix, announced } of changes) {
    const ofFamily = known[prefix.family];
    const hasIds = addPath.includes(prefix.family);
    for (const path of announced) {
      let group = ofFamily.get(path);
      if (group === undefined) {
        group = groupOf(groups, prefix.family, path);
        ofFamily.set(path, group);
      }
      group.nlri.push({ pathId: hasIds ? path.pathId : 0, prefix });
    }
  }
  return groups.values();
}

function groupOf(groups: Map<string, Group>, family: Family, path: Path): Group {
  const key = `${family} ${path.nextHop.text} ${path.attributes.key}`;
  const group = groups.get(key) ?? { family, path, nlri: [] };
  groups.set(key, group);
  return group;
}

function refusalReason({ family, path }: Group, room: number): RefusalReason | undefined {
  if (path.nextHop.family !== family) {
    return 'NextHopOfOtherFamily';
  }
  return room < LONGEST_NLRI_OCTETS ? 'AttributesTooLong' : undefined;
}

/** Octets that are left for prefixes. */
function announcementRoom(family: Family, attributes: Attributes, { maximumLength }: PackOptions): number {
  const fixed = UPDATE_FIXED_OCTETS + (family === 6 ? REACH_FIXED_OCTETS : 0);
  return maximumLength - fixed - encodeAttributes(attributes).length;
}

function* announcements(
  { family, path }: Group,
  attributes: Attributes,
  runs: Iterable<readonly Nlri[]>,
): Generator<UpdateMessage, void, undefined> {
  for (const nlri of runs) {
    yield family === 4
      ? updateMessage({ attributes, announced: nlri })
      : updateMessage({ attributes, reach: { family, nextHop: path.nextHop, linkLocal: undefined, nlri } });
  }
}

function* withdrawals(
  run: readonly Nlri[],
  family: Family,
  options: PackOptions,
): Generator<UpdateMessage, void, undefined> {
  const room = options.maximumLength - UPDATE_FIXED_OCTETS - (family === 6 ? UNREACH_FIXED_OCTETS : 0);
  for (const nlri of portions(run, formOf(options.addPath, family), room)) {
    yield updateMessage(family === 4 ? { withdrawn: nlri } : { unreach: { family, nlri } });
  }
}

/** Cuts a run into pieces that have at most `room` octets on the wire. */
function* portions(
  run: readonly Nlri[],
  form: NlriForm,
  room: number,
): Generator<readonly Nlri[], void, undefined> {
  let start = 0;
  let octets = 0;
  for (let index = 0; index < run.length; index++) {
    const nlri = run[index];
    const more = nlri === undefined ? 0 : nlriOctets(nlri, form);
    if (octets + more > room) {
      yield run.slice(start, index);
      start = index;
      octets = 0;
    }
    octets += more;
  }
  if (start < run.length) {
    yield run.slice(start);
  }
}

/** LOCAL_PREF and MED always: bgpd drops a path of an internal peer without the first in silence. */
function announcedAttributes({ family, path: { nextHop, attributes } }: Group): Attributes {
  return {
    origin: 'igp',
    asPath: asPath(attributes.asPath),
    ...(family === 4 ? { nextHop } : {}),
    med: attributes.med,
    localPref: attributes.localPref,
    communities: attributes.communities,
    extendedCommunities: linkBandwidth(attributes),
    largeCommunities: attributes.largeCommunities,
  };
}

function asPath(asns: readonly number[]): AsSegment[] {
  const segments: AsSegment[] = [];
  for (let start = 0; start < asns.length; start += LONGEST_SEGMENT) {
    segments.push({ kind: 'sequence', asns: asns.slice(start, start + LONGEST_SEGMENT) });
  }
  return segments;
}

/** Transitive: bgpd carries the other type but does not use it for weights. */
function linkBandwidth({ linkBandwidth: bandwidth }: PathAttributes): ExtendedCommunity[] {
  return bandwidth === undefined ? [] : [{ kind: 'link-bandwidth', transitive: true, ...bandwidth }];
}
