// NOTIFICATION (RFC 4271 section 4.5): body octets in, message out, and back; the words of an administrator in
// a Cease (RFC 9003) and what is inside a Hard Reset (RFC 8538 section 3.1). An unknown code is no error: a
// NOTIFICATION is never answered by another one (RFC 4271 section 6.4).

import { encodeMessage } from './header.ts';
import type { NotificationMessage } from './message.ts';
import { copied, joined } from './octets.ts';
import { NO_DATA, type WireProblem } from './problem.ts';
import { CEASE, ERROR_CODE, MESSAGE_TYPE } from './registry.ts';

/** RFC 9003 section 2. */
const LONGEST_COMMUNICATION_OCTETS = 255;

//  +------------+---------------+----------+
//  | Error code | Error subcode | Data ... |
//  +------------+---------------+----------+
export function encodeNotification(message: NotificationMessage): Uint8Array {
  return encodeMessage(MESSAGE_TYPE.notification, [
    Uint8Array.of(message.code, message.subcode),
    message.data,
  ]);
}

/** The header check guarantees two octets. */
export function decodeNotification(body: Uint8Array): NotificationMessage {
  return notification(body[0] ?? 0, body[1] ?? 0, copied(body.subarray(2)));
}

export function notification(code: number, subcode: number, data = NO_DATA): NotificationMessage {
  return { kind: 'notification', code, subcode, data };
}

export function notificationOf({ code, subcode, data }: WireProblem): NotificationMessage {
  return notification(code, subcode, data);
}

/** Cease / Administrative Shutdown with a text, which is cut at 255 octets but never within a character. */
export function administrativeShutdown(communication: string): NotificationMessage {
  const octets = new Uint8Array(LONGEST_COMMUNICATION_OCTETS);
  const { written } = new TextEncoder().encodeInto(communication, octets);
  const data = joined([Uint8Array.of(written), octets.subarray(0, written)]);
  return notification(ERROR_CODE.cease, CEASE.administrativeShutdown, data);
}

/** The administrator's text, if there is one and its length is right; unreadable characters are replaced. */
export function communicationOf({ code, subcode, data }: NotificationMessage): string | undefined {
  const carries = subcode === CEASE.administrativeShutdown || subcode === CEASE.administrativeReset;
  const [length = 0] = data;
  return code === ERROR_CODE.cease && carries && length > 0 && data.length > length
    ? new TextDecoder().decode(data.subarray(1, 1 + length))
    : undefined;
}

/** RFC 8538 section 3.1: the NOTIFICATION that a Hard Reset carries; undefined for everything else. */
export function hardResetReason({
  code,
  subcode,
  data,
}: NotificationMessage): NotificationMessage | undefined {
  const isHardReset = code === ERROR_CODE.cease && subcode === CEASE.hardReset;
  return isHardReset && data.length >= 2 ? decodeNotification(data) : undefined;
}
