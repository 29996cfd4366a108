// UPDATE (RFC 4271 section 4.3 and 6.3, RFC 7606): body octets in, message and problems out, and back;
// End-of-RIB (RFC 4724 section 2) as the UPDATE that it is.
//
// A problem that lets the session live is applied before the message is handed out: with treat-as-withdraw its
// announcements have become withdrawals. The list of problems is for the log; only a session reset has no
// message. Sizes are the caller's business: an UPDATE that does not fit must not be encoded.

import type { Family } from '@herald/net';
import { encodeAttributes } from './attribute-encode.ts';
import { decodeAttributeList, type AttributeList, type ListContext } from './attribute-list.ts';
import { encodeMessage } from './header.ts';
import type { Nlri, UpdateMessage } from './message.ts';
import type { Negotiated } from './negotiated.ts';
import { decodeNlriRun, encodeNlriRun, type NlriForm } from './nlri.ts';
import { joined, OctetReader, uint16 } from './octets.ts';
import { decoded, failed, updateProblem, type Outcome, type WireProblem } from './problem.ts';
import { encodeReach, encodeUnreach } from './reach.ts';
import { ATTRIBUTE, MESSAGE_TYPE, UPDATE_ERROR } from './registry.ts';

export interface DecodedUpdate {
  readonly message: UpdateMessage;
  readonly problems: readonly WireProblem[];
}

/** The families whose prefixes carry path identifiers, of the direction at hand. */
export type AddPathFamilies = readonly Family[];

const NOTHING: Omit<UpdateMessage, 'kind'> = {
  withdrawn: [],
  attributes: {},
  announced: [],
  reach: undefined,
  unreach: undefined,
};

export function updateMessage(parts: Partial<Omit<UpdateMessage, 'kind'>>): UpdateMessage {
  return { kind: 'update', ...NOTHING, ...parts };
}

/** RFC 4724 section 2: for IPv4 an empty UPDATE, for IPv6 one with an empty MP_UNREACH_NLRI. */
export function endOfRib(family: Family): UpdateMessage {
  return updateMessage(family === 4 ? {} : { unreach: { family, nlri: [] } });
}

/** The family whose End-of-RIB this is, if it is one. Ask only for a message that was decoded without problems. */
export function endOfRibFamily(message: UpdateMessage): Family | undefined {
  const { withdrawn, attributes, announced, reach, unreach } = message;
  const silent = withdrawn.length === 0 && announced.length === 0 && reach === undefined;
  if (!silent || Object.keys(attributes).length > 0) {
    return undefined;
  }
  if (unreach === undefined) {
    return 4;
  }
  return unreach.nlri.length === 0 ? unreach.family : undefined;
}

//  +-----------------------------+----------------------+
//  | Withdrawn routes length (2) | Withdrawn routes ... |   IPv4 unicast
//  +-----------------------------+----------------------+
//  | Total attribute length (2)  | Path attributes ...  |   RFC 7606 5.1: multiprotocol attributes first
//  +-----------------------------+----------------------+
//  | NLRI ... (to the end)                              |   IPv4 unicast
//  +----------------------------------------------------+
export function encodeUpdate(message: UpdateMessage, addPath: AddPathFamilies): Uint8Array {
  const { withdrawn, attributes, announced, reach, unreach } = message;
  const withdrawnOctets = encodeNlriRun(withdrawn, formOf(addPath, 4));
  const attributeOctets = joined([
    ...(reach === undefined ? [] : [encodeReach(reach, formOf(addPath, reach.family))]),
    ...(unreach === undefined ? [] : [encodeUnreach(unreach, formOf(addPath, unreach.family))]),
    encodeAttributes(attributes),
  ]);
  return encodeMessage(MESSAGE_TYPE.update, [
    uint16(withdrawnOctets.length),
    withdrawnOctets,
    uint16(attributeOctets.length),
    attributeOctets,
    encodeNlriRun(announced, formOf(addPath, 4)),
  ]);
}

export function formOf(addPath: AddPathFamilies, family: Family): NlriForm {
  return addPath.includes(family) ? 'add-path' : 'plain';
}

export function decodeUpdate(body: Uint8Array, session: Negotiated): Outcome<DecodedUpdate> {
  const reader = new OctetReader(body);
  const withdrawnOctets = reader.take(reader.uint16());
  const attributeOctets = reader.take(reader.uint16());
  if (reader.overrun) {
    const text = 'the lengths of withdrawn routes and attributes exceed the message';
    return failed(updateProblem('session-reset', UPDATE_ERROR.malformedAttributeList, text));
  }
  const form = formOf(session.addPathReceive, 4);
  const withdrawn = decodeNlriRun(withdrawnOctets, 4, form);
  const announced = decodeNlriRun(reader.take(reader.remaining), 4, form);
  if (withdrawn === undefined || announced === undefined) {
    const text = 'an IPv4 prefix is too long or overruns its field';
    return failed(updateProblem('session-reset', UPDATE_ERROR.invalidNetworkField, text));
  }
  const list = decodeAttributeList(attributeOctets, listContext(session));
  const problems = [...list.problems, ...missing(list, announced, session)];
  const { attributes, reach, unreach, present } = list;
  const message = updateMessage({ withdrawn, attributes, announced, reach, unreach });
  return settled(message, present.has(ATTRIBUTE.mpReach), problems);
}

function listContext(session: Negotiated): ListContext {
  return {
    asnOctets: session.asnOctets,
    formOf: (family) =>
      session.families.includes(family) ? formOf(session.addPathReceive, family) : undefined,
  };
}

/** RFC 4271 section 6.3, RFC 7606 section 3 (d): what has to be there when something is announced. */
function missing(list: AttributeList, announced: readonly Nlri[], session: Negotiated): WireProblem[] {
  if (announced.length === 0 && list.reach === undefined) {
    return [];
  }
  const required = [
    ATTRIBUTE.origin,
    ATTRIBUTE.asPath,
    ...(announced.length > 0 ? [ATTRIBUTE.nextHop] : []),
    ...(session.peering === 'internal' ? [ATTRIBUTE.localPref] : []),
  ];
  return required
    .filter((type) => !list.present.has(type))
    .map((type) => {
      const text = `attribute ${type} is missing`;
      return updateProblem('treat-as-withdraw', UPDATE_ERROR.missingWellKnown, text, Uint8Array.of(type));
    });
}

/** Lets the severest problem decide what is left of the message. */
function settled(
  message: UpdateMessage,
  hasReach: boolean,
  problems: readonly WireProblem[],
): Outcome<DecodedUpdate> {
  const fatal = problems.find(({ disposition }) => disposition === 'session-reset');
  const withdraw = problems.find(({ disposition }) => disposition === 'treat-as-withdraw');
  if (fatal !== undefined) {
    return failed(fatal);
  }
  if (withdraw === undefined) {
    return decoded({ message, problems });
  }
  // RFC 7606 section 5.2: with no announcement in sight the prefixes may have been missed.
  return message.announced.length === 0 && !hasReach
    ? failed({ ...withdraw, disposition: 'session-reset' })
    : decoded({ message: asWithdrawal(message), problems });
}

function asWithdrawal({ withdrawn, announced, reach, unreach }: UpdateMessage): UpdateMessage {
  const parts = [unreach, reach].filter((part) => part !== undefined);
  const ofFamily = (family: Family): Nlri[] =>
    parts.filter((part) => part.family === family).flatMap(({ nlri }) => nlri);
  const six = ofFamily(6);
  return updateMessage({
    withdrawn: [...withdrawn, ...announced, ...ofFamily(4)],
    unreach: six.length === 0 ? undefined : { family: 6, nlri: six },
  });
}
