// The attributes of one UPDATE as a list: finds each, checks flags, length and repetition, reads it, and
// collects every problem with its disposition (RFC 4271 section 6.3, RFC 7606 sections 3, 4 and 7).
//
// Octets in; attributes, multiprotocol parts and problems out. What the problems do to the whole message is
// decided in update.ts.

import { ATTRIBUTE_RULES, type AttributeContext, type AttributeRule } from './attribute-decode.ts';
import type { Attributes, Reach, UnknownAttribute, Unreach } from './message.ts';
import { copied, OctetReader } from './octets.ts';
import { updateProblem, type Outcome, type WireProblem } from './problem.ts';
import { decodeReach, decodeUnreach, type FormOf } from './reach.ts';
import { ATTRIBUTE, ATTRIBUTE_FLAG, UPDATE_ERROR } from './registry.ts';

export interface AttributeList {
  attributes: Attributes;
  reach: Reach | undefined;
  unreach: Unreach | undefined;
  /** The types that stood there, readable or not. */
  readonly present: Set<number>;
  readonly problems: WireProblem[];
}

export interface ListContext extends AttributeContext {
  readonly formOf: FormOf;
}

interface RawAttribute {
  readonly flags: number;
  readonly type: number;
  readonly value: Uint8Array;
}

const SPEAKER_BITS = ATTRIBUTE_FLAG.optional | ATTRIBUTE_FLAG.transitive;

export function decodeAttributeList(octets: Uint8Array, context: ListContext): AttributeList {
  const reader = new OctetReader(octets);
  const list: AttributeList = {
    attributes: {},
    reach: undefined,
    unreach: undefined,
    present: new Set(),
    problems: [],
  };
  while (reader.remaining > 0) {
    const raw = readRaw(reader);
    if (raw === undefined) {
      // RFC 7606 section 4: the total length still says where the prefixes are.
      const text = 'an attribute is longer than what is left of the attributes';
      list.problems.push(updateProblem('treat-as-withdraw', UPDATE_ERROR.malformedAttributeList, text));
      return list;
    }
    if (list.present.has(raw.type)) {
      list.problems.push(repeated(raw.type));
      continue;
    }
    list.present.add(raw.type);
    readAttribute(raw, context, list);
  }
  return list;
}

function readRaw(reader: OctetReader): RawAttribute | undefined {
  const flags = reader.uint8();
  const type = reader.uint8();
  const length = (flags & ATTRIBUTE_FLAG.extendedLength) === 0 ? reader.uint8() : reader.uint16();
  const value = reader.take(length);
  return reader.overrun ? undefined : { flags, type, value };
}

/** RFC 7606 section 3 (g): the first counts, unless it is about the prefixes themselves. */
function repeated(type: number): WireProblem {
  const fatal = type === ATTRIBUTE.mpReach || type === ATTRIBUTE.mpUnreach;
  return updateProblem(
    fatal ? 'session-reset' : 'attribute-discard',
    UPDATE_ERROR.malformedAttributeList,
    `attribute ${type} stands there twice`,
  );
}

function readAttribute(raw: RawAttribute, context: ListContext, list: AttributeList): void {
  if (raw.type === ATTRIBUTE.mpReach) {
    list.reach = accept(decodeReach(raw.value, context.formOf), list);
    return;
  }
  if (raw.type === ATTRIBUTE.mpUnreach) {
    list.unreach = accept(decodeUnreach(raw.value, context.formOf), list);
    return;
  }
  const rule = ATTRIBUTE_RULES.get(raw.type);
  if (rule === undefined) {
    readUnknown(raw, context, list);
  } else {
    readKnown(raw, rule, context, list);
  }
}

function accept<T>(outcome: Outcome<T>, list: AttributeList): T | undefined {
  if (outcome.ok) {
    return outcome.value;
  }
  list.problems.push(outcome.problem);
  return undefined;
}

function readKnown(raw: RawAttribute, rule: AttributeRule, context: ListContext, list: AttributeList): void {
  if ((raw.flags & SPEAKER_BITS) !== rule.flags) {
    const text = `${rule.name} has wrong flags`;
    list.problems.push(updateProblem('treat-as-withdraw', UPDATE_ERROR.attributeFlags, text, octetsOf(raw)));
    return;
  }
  const reading = rule.read(raw.value, context);
  if (typeof reading === 'number') {
    const text = `${rule.name} is malformed`;
    list.problems.push(updateProblem(rule.onMalformed, reading, text, octetsOf(raw)));
    return;
  }
  list.attributes = { ...list.attributes, ...reading };
}

function readUnknown(raw: RawAttribute, context: ListContext, list: AttributeList): void {
  if ((raw.flags & ATTRIBUTE_FLAG.optional) === 0) {
    const text = `attribute ${raw.type} is well-known, but not to us`;
    list.problems.push(
      updateProblem('session-reset', UPDATE_ERROR.unrecognizedWellKnown, text, octetsOf(raw)),
    );
    return;
  }
  if (context.asnOctets === 4 && isFourOctetTransition(raw.type)) {
    const text = `attribute ${raw.type} has no place between speakers of four-octet AS numbers (RFC 6793)`;
    list.problems.push(updateProblem('attribute-discard', UPDATE_ERROR.optionalAttribute, text));
    return;
  }
  const unknown: UnknownAttribute = {
    flags: raw.flags & ~ATTRIBUTE_FLAG.extendedLength,
    type: raw.type,
    value: copied(raw.value),
  };
  list.attributes = { ...list.attributes, unknown: [...(list.attributes.unknown ?? []), unknown] };
}

function isFourOctetTransition(type: number): boolean {
  return type === ATTRIBUTE.as4Path || type === ATTRIBUTE.as4Aggregator;
}

/** What RFC 4271 section 6.3 wants as the data of a NOTIFICATION: type, length and value of the attribute. */
function octetsOf({ flags, type, value }: RawAttribute): Uint8Array {
  const octets = new Uint8Array(value.length + 4);
  octets.set([flags | ATTRIBUTE_FLAG.extendedLength, type, value.length >>> 8, value.length & 0xff]);
  octets.set(value, 4);
  return octets;
}
