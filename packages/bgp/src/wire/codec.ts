// One message to octets and octets to one message, for a session whose rules are known: the door of wire/.
//
// `decode` takes exactly one message as the framer cuts it. It never throws: what cannot be understood is a
// problem with its RFC 7606 disposition and the codes of the NOTIFICATION that would answer it.

import { decodeHeader, encodeMessage } from './header.ts';
import type { Message } from './message.ts';
import type { Negotiated } from './negotiated.ts';
import { decodeNotification, encodeNotification } from './notification.ts';
import { uint16 } from './octets.ts';
import { decodeOpen, encodeOpen } from './open.ts';
import { sessionReset, type Outcome, type WireProblem } from './problem.ts';
import { ERROR_CODE, HEADER_ERROR, HEADER_LENGTH, MESSAGE_TYPE } from './registry.ts';
import { decodeRouteRefresh, encodeRouteRefresh } from './route-refresh.ts';
import { decodeUpdate, encodeUpdate } from './update.ts';

export type Decoded =
  | {
      readonly ok: true;
      readonly message: Message;
      /** Already applied to the message; never a session reset. */
      readonly problems: readonly WireProblem[];
    }
  | { readonly ok: false; readonly problem: WireProblem };

/** An UPDATE must fit `maximumLength`; see pack.ts for who sees to that. */
export function encode(message: Message, session: Pick<Negotiated, 'addPathSend'>): Uint8Array {
  switch (message.kind) {
    case 'open':
      return encodeOpen(message);
    case 'update':
      return encodeUpdate(message, session.addPathSend);
    case 'notification':
      return encodeNotification(message);
    case 'keepalive':
      return encodeMessage(MESSAGE_TYPE.keepalive, []);
    case 'route-refresh':
      return encodeRouteRefresh(message);
  }
}

export function decode(bytes: Uint8Array, session: Negotiated): Decoded {
  if (bytes.length < HEADER_LENGTH) {
    return wrongLength(bytes);
  }
  const header = decodeHeader(bytes, session.maximumLength);
  if (!header.ok) {
    return header;
  }
  return header.value.length === bytes.length
    ? decodeBody(header.value.type, bytes, session)
    : wrongLength(bytes);
}

function decodeBody(type: number, bytes: Uint8Array, session: Negotiated): Decoded {
  const body = bytes.subarray(HEADER_LENGTH);
  switch (type) {
    case MESSAGE_TYPE.open:
      return alone(decodeOpen(body));
    case MESSAGE_TYPE.update: {
      const update = decodeUpdate(body, session);
      return update.ok ? { ok: true, ...update.value } : update;
    }
    case MESSAGE_TYPE.notification:
      return { ok: true, message: decodeNotification(body), problems: [] };
    case MESSAGE_TYPE.routeRefresh:
      return alone(decodeRouteRefresh(body, bytes));
    default: // the header check lets no other type through than KEEPALIVE
      return { ok: true, message: { kind: 'keepalive' }, problems: [] };
  }
}

function alone(outcome: Outcome<Message>): Decoded {
  return outcome.ok ? { ok: true, message: outcome.value, problems: [] } : outcome;
}

function wrongLength({ length }: Uint8Array): Decoded {
  const text = `there are ${length} octets, which is not what the header says`;
  return {
    ok: false,
    problem: sessionReset(ERROR_CODE.header, HEADER_ERROR.badLength, text, uint16(length)),
  };
}
