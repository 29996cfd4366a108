// The actions of the state machine that are more than a literal: timers that follow from what was negotiated,
// the answer to a route refresh, the words for a NOTIFICATION. Values in, actions or text out.

import { unicastFamily } from '../wire/afi-safi.ts';
import type { Message, NotificationMessage, RouteRefreshMessage } from '../wire/message.ts';
import type { Negotiated } from '../wire/negotiated.ts';
import { communicationOf, hardResetReason } from '../wire/notification.ts';
import { ROUTE_REFRESH_SUBTYPE } from '../wire/registry.ts';
import type { SessionAction, SessionReason, Timer } from './session.ts';

/** RFC 4271 section 4.4: keepalives are a third of the hold time apart. */
const KEEPALIVES_PER_HOLD_TIME = 3;

const TIMERS: readonly Timer[] = ['connect-retry', 'hold', 'keepalive'];

export function send(message: Message): SessionAction {
  return { kind: 'send', message };
}

export function report(reason: SessionReason, text: string): SessionAction {
  return { kind: 'report', reason, text };
}

export function startTimer(timer: Timer, milliseconds: number): SessionAction {
  return { kind: 'start-timer', timer, milliseconds };
}

export function stopTimers(): SessionAction[] {
  return TIMERS.map((timer) => ({ kind: 'stop-timer', timer }));
}

export function holdTimer({ holdTimeSeconds }: Negotiated): SessionAction {
  return holdTimeSeconds === 0
    ? { kind: 'stop-timer', timer: 'hold' }
    : startTimer('hold', holdTimeSeconds * 1000);
}

export function keepaliveTimer({ holdTimeSeconds }: Negotiated): SessionAction[] {
  return holdTimeSeconds === 0
    ? []
    : [startTimer('keepalive', (holdTimeSeconds * 1000) / KEEPALIVES_PER_HOLD_TIME)];
}

export function notificationText(message: NotificationMessage): string {
  const inner = hardResetReason(message);
  if (inner !== undefined) {
    return `hard reset, ${notificationText(inner)}`;
  }
  const communication = communicationOf(message);
  const codes = `code ${message.code} subcode ${message.subcode}`;
  return communication === undefined ? codes : `${codes}: ${communication}`;
}

/** RFC 2918 section 4: a request for what was not negotiated is ignored; RFC 7313: so are other subtypes. */
export function refresh(message: RouteRefreshMessage, negotiated: Negotiated): SessionAction[] {
  const family = unicastFamily(message);
  const isRequest = message.subtype === ROUTE_REFRESH_SUBTYPE.request;
  return isRequest && family !== undefined && negotiated.families.includes(family)
    ? [{ kind: 'refresh', family }]
    : [];
}
