// The header of every message (RFC 4271 section 4.1) and its checks (section 6.1, RFC 8654 section 5):
// 19 octets in, the length and type or a session-reset problem out. It does not look at the body.

import { joined, uint16 } from './octets.ts';
import { decoded, failed, sessionReset, type Outcome } from './problem.ts';
import {
  ERROR_CODE,
  HEADER_ERROR,
  HEADER_LENGTH,
  MARKER_LENGTH,
  MAXIMUM_LENGTH,
  MESSAGE_TYPE,
} from './registry.ts';

export interface Header {
  /** Octets of the whole message, this header included. */
  readonly length: number;
  readonly type: number;
}

const SHORTEST: ReadonlyMap<number, number> = new Map([
  [MESSAGE_TYPE.open, 29],
  [MESSAGE_TYPE.update, 23],
  [MESSAGE_TYPE.notification, 21],
  [MESSAGE_TYPE.keepalive, HEADER_LENGTH],
  // Shorter than 23 is an error of RFC 7313 section 5, found where the body is read.
  [MESSAGE_TYPE.routeRefresh, HEADER_LENGTH],
]);

const MARKER = new Uint8Array(MARKER_LENGTH).fill(0xff);

//  0                   1                   2                   3
//  +---------------------------------------------------------------+
//  |                Marker (16 octets, all ones)                   |
//  +-------------------------------+---------------+---------------+
//  |            Length             |     Type      |   body ...
//  +-------------------------------+---------------+
export function encodeMessage(type: number, body: readonly Uint8Array[]): Uint8Array {
  const length = body.reduce((sum, part) => sum + part.length, HEADER_LENGTH);
  return joined([MARKER, uint16(length), Uint8Array.of(type), ...body]);
}

/** Needs at least 19 octets; `maximumLength` is what the session allows the peer to send. */
export function decodeHeader(bytes: Uint8Array, maximumLength: number): Outcome<Header> {
  for (let i = 0; i < MARKER_LENGTH; i++) {
    if (bytes[i] !== 0xff) {
      return failed(
        sessionReset(ERROR_CODE.header, HEADER_ERROR.notSynchronized, 'the marker is not all ones'),
      );
    }
  }
  const length = (bytes[MARKER_LENGTH] ?? 0) * 0x100 + (bytes[MARKER_LENGTH + 1] ?? 0);
  const type = bytes[MARKER_LENGTH + 2] ?? 0;
  return checkedHeader({ length, type }, maximumLength);
}

function checkedHeader(header: Header, maximumLength: number): Outcome<Header> {
  const { length, type } = header;
  if (length < HEADER_LENGTH || length > maximumLength) {
    return badLength(length, `length ${length} is not between ${HEADER_LENGTH} and ${maximumLength}`);
  }
  const shortest = SHORTEST.get(type);
  if (shortest === undefined) {
    const text = `message type ${type} is unknown`;
    return failed(sessionReset(ERROR_CODE.header, HEADER_ERROR.badType, text, Uint8Array.of(type)));
  }
  if (length < shortest) {
    return badLength(length, `length ${length} is too short for message type ${type}`);
  }
  return length > longest(type, maximumLength)
    ? badLength(length, `length ${length} is too long for message type ${type}`)
    : decoded(header);
}

/** RFC 8654 section 4: OPEN and KEEPALIVE never become longer. */
function longest(type: number, maximumLength: number): number {
  if (type === MESSAGE_TYPE.keepalive) {
    return HEADER_LENGTH;
  }
  return type === MESSAGE_TYPE.open ? MAXIMUM_LENGTH : maximumLength;
}

function badLength(length: number, text: string): Outcome<never> {
  return failed(sessionReset(ERROR_CODE.header, HEADER_ERROR.badLength, text, uint16(length)));
}
