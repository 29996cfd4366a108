// The words of the finite state machine: what a session is, what can happen to it and what it then wants done.
// Types only; the transitions are in step.ts. RFC 4271 section 8.
//
// A session has one role for life: `dial` never accepts and `listen` never connects, so two connections that
// collide (RFC 4271 section 6.8) cannot come about.

import type { Family } from '@herald/net';
import type { Message, OpenMessage } from '../wire/message.ts';
import type { Negotiated } from '../wire/negotiated.ts';
import type { WireProblem } from '../wire/problem.ts';

export interface SessionSettings {
  readonly role: 'dial' | 'listen';
  /** What we say in our OPEN. */
  readonly open: OpenMessage;
  readonly remoteAsn: number;
}

/** `attempts` counts what failed since a session last proved stable; it sets the pause before the next dial. */
export type SessionState =
  | { readonly kind: 'idle' }
  | { readonly kind: 'connect'; readonly attempts: number }
  | { readonly kind: 'active'; readonly attempts: number }
  | { readonly kind: 'open-sent'; readonly attempts: number }
  | { readonly kind: 'open-confirm'; readonly attempts: number; readonly negotiated: Negotiated }
  | { readonly kind: 'established'; readonly attempts: number; readonly negotiated: Negotiated };

export type Timer = 'connect-retry' | 'hold' | 'keepalive';

export type SessionEvent =
  | { readonly kind: 'start' }
  /** The text goes to the peer in a Cease (RFC 9003). */
  | { readonly kind: 'stop'; readonly communication: string }
  /** A new connection is there: the one that was dialled or one that the peer opened. */
  | { readonly kind: 'connected' }
  /** The connection could not be made, or ended. */
  | { readonly kind: 'disconnected'; readonly text: string }
  | { readonly kind: 'received'; readonly message: Message }
  | { readonly kind: 'malformed'; readonly problem: WireProblem }
  | { readonly kind: 'expired'; readonly timer: Timer };

export type SessionAction =
  | { readonly kind: 'dial' }
  | { readonly kind: 'listen' }
  /** Use the new connection. A new connection without this action is to be closed. */
  | { readonly kind: 'adopt' }
  /** Send what is queued, then close the connection, if there is one. */
  | { readonly kind: 'drop' }
  | { readonly kind: 'send'; readonly message: Message }
  | { readonly kind: 'start-timer'; readonly timer: Timer; readonly milliseconds: number }
  | { readonly kind: 'stop-timer'; readonly timer: Timer }
  | { readonly kind: 'report'; readonly reason: SessionReason; readonly text: string }
  /** Established: the table may be sent. */
  | { readonly kind: 'begin'; readonly negotiated: Negotiated }
  /** The peer wants the routes of a family again (RFC 2918). */
  | { readonly kind: 'refresh'; readonly family: Family };

export type SessionReason =
  | 'ConnectFailed'
  | 'ConnectionLost'
  | 'ConnectionReplaced'
  | 'HoldTimerExpired'
  | 'NotificationReceived'
  | 'MalformedMessage'
  | 'UnexpectedMessage'
  | 'OpenRefused';

export interface Step {
  readonly state: SessionState;
  readonly actions: readonly SessionAction[];
}
