// The finite state machine of RFC 4271 section 8.2.2 as a function: settings, state and event in, the next state
// and what has to be done out. No clock, no socket, no memory of its own; timers and messages are actions.
//
// Left out, because our two roles do not need them: collision detection (session.ts says why), delayed OPEN,
// jitter (the peer is on the same machine) and automatic stop. Added: a hold time before the OPEN (8.2.2 asks
// for "a large value"), error subcodes of RFC 6608, a new connection that takes the place of a dead one
// (RFC 4724 section 4.2), and a pause between dials that doubles.

import type { Message, NotificationMessage } from '../wire/message.ts';
import { negotiate } from '../wire/negotiated.ts';
import { administrativeShutdown, notification, notificationOf } from '../wire/notification.ts';
import { ERROR_CODE, FSM_ERROR } from '../wire/registry.ts';
import {
  holdTimer,
  keepaliveTimer,
  notificationText,
  refresh,
  report,
  send,
  startTimer,
  stopTimers,
} from './actions.ts';
import { openProblem } from './open-check.ts';
import type {
  SessionAction,
  SessionEvent,
  SessionReason,
  SessionSettings,
  SessionState,
  Step,
  Timer,
} from './session.ts';

/** How long a dial may take before it is given up. */
const DIAL_TIMEOUT_MS = 5000;
/** How long the peer may take for its OPEN. RFC 4271 suggests four minutes; ours is on the same machine. */
const OPEN_TIMEOUT_MS = 60_000;
const FIRST_PAUSE_MS = 200;
const LONGEST_PAUSE_MS = 2000;
export const IDLE: SessionState = { kind: 'idle' };

type Connected = Extract<SessionState, { kind: 'open-sent' | 'open-confirm' | 'established' }>;

export function step(settings: SessionSettings, state: SessionState, event: SessionEvent): Step {
  switch (event.kind) {
    case 'start':
      return state.kind === 'idle' ? started(settings) : stay(state);
    case 'stop':
      return stopped(state, event.communication);
    case 'connected':
      return connected(settings, state);
    case 'disconnected':
      return disconnected(settings, state, event.text);
    case 'malformed':
      return isConnected(state)
        ? refused(settings, state, 'MalformedMessage', event.problem.text, notificationOf(event.problem))
        : stay(state);
    case 'received':
      return isConnected(state) ? received(settings, state, event.message) : stay(state);
    case 'expired':
      return expired(settings, state, event.timer);
  }
}

function started({ role }: SessionSettings): Step {
  return role === 'dial'
    ? dialling(0)
    : { state: { kind: 'active', attempts: 0 }, actions: [{ kind: 'listen' }] };
}

function dialling(attempts: number): Step {
  return {
    state: { kind: 'connect', attempts },
    actions: [{ kind: 'dial' }, startTimer('connect-retry', DIAL_TIMEOUT_MS)],
  };
}

function stopped(state: SessionState, communication: string): Step {
  const cease: SessionAction[] = isConnected(state) ? [send(administrativeShutdown(communication))] : [];
  return { state: IDLE, actions: [...cease, ...stopTimers(), { kind: 'drop' }] };
}

function connected(settings: SessionSettings, state: SessionState): Step {
  if (state.kind === 'idle') {
    return stay(state);
  }
  const replaced: SessionAction[] = isConnected(state)
    ? [report('ConnectionReplaced', 'the peer opened a new connection'), { kind: 'drop' }]
    : [];
  return {
    state: { kind: 'open-sent', attempts: state.attempts },
    actions: [
      ...replaced,
      ...stopTimers(),
      { kind: 'adopt' },
      send(settings.open),
      startTimer('hold', OPEN_TIMEOUT_MS),
    ],
  };
}

function disconnected(settings: SessionSettings, state: SessionState, text: string): Step {
  if (state.kind === 'idle' || state.kind === 'active') {
    return stay(state);
  }
  return lost(settings, state, [report(state.kind === 'connect' ? 'ConnectFailed' : 'ConnectionLost', text)]);
}

function expired(settings: SessionSettings, state: SessionState, timer: Timer): Step {
  if (timer === 'connect-retry') {
    return retryTimerExpired(settings, state);
  }
  if (!isConnected(state)) {
    return stay(state);
  }
  if (timer === 'keepalive') {
    return state.kind === 'open-sent' ? stay(state) : kept(state);
  }
  const text = state.kind === 'open-sent' ? 'the peer sent no OPEN' : 'the peer was silent for the hold time';
  return refused(settings, state, 'HoldTimerExpired', text, notification(ERROR_CODE.holdTimerExpired, 0));
}

function retryTimerExpired(settings: SessionSettings, state: SessionState): Step {
  if (state.kind === 'connect') {
    return lost(settings, state, [report('ConnectFailed', 'the connection was not made in time')]);
  }
  return state.kind === 'active' && settings.role === 'dial' ? dialling(state.attempts) : stay(state);
}

function kept(state: Exclude<Connected, { kind: 'open-sent' }>): Step {
  return {
    state,
    actions: [send({ kind: 'keepalive' }), ...keepaliveTimer(state.negotiated)],
  };
}

function received(settings: SessionSettings, state: Connected, message: Message): Step {
  if (message.kind === 'notification') {
    return lost(settings, state, [report('NotificationReceived', notificationText(message))]);
  }
  switch (state.kind) {
    case 'open-sent':
      return inOpenSent(settings, state, message);
    case 'open-confirm':
      return inOpenConfirm(settings, state, message);
    case 'established':
      return inEstablished(settings, state, message);
  }
}

function inOpenSent(settings: SessionSettings, state: Connected, message: Message): Step {
  if (message.kind !== 'open') {
    return unexpected(settings, state, message, FSM_ERROR.inOpenSent);
  }
  const problem = openProblem(settings.open, message, settings.remoteAsn);
  if (problem !== undefined) {
    return refused(settings, state, 'OpenRefused', problem.text, notificationOf(problem));
  }
  const negotiated = negotiate(settings.open, message);
  return {
    state: { kind: 'open-confirm', attempts: state.attempts, negotiated },
    actions: [send({ kind: 'keepalive' }), ...keepaliveTimer(negotiated), holdTimer(negotiated)],
  };
}

function inOpenConfirm(
  settings: SessionSettings,
  state: Extract<SessionState, { kind: 'open-confirm' }>,
  message: Message,
): Step {
  const { attempts, negotiated } = state;
  return message.kind === 'keepalive'
    ? {
        state: { kind: 'established', attempts, negotiated },
        actions: [holdTimer(negotiated), { kind: 'begin', negotiated }],
      }
    : unexpected(settings, state, message, FSM_ERROR.inOpenConfirm);
}

function inEstablished(
  settings: SessionSettings,
  state: Extract<SessionState, { kind: 'established' }>,
  message: Message,
): Step {
  switch (message.kind) {
    case 'keepalive': // the second one: the session outlived its first keepalive interval
      return { state: { ...state, attempts: 0 }, actions: [holdTimer(state.negotiated)] };
    case 'update':
      return { state, actions: [holdTimer(state.negotiated)] };
    case 'route-refresh':
      return { state, actions: [holdTimer(state.negotiated), ...refresh(message, state.negotiated)] };
    case 'open':
    case 'notification':
      return unexpected(settings, state, message, FSM_ERROR.inEstablished);
  }
}

function unexpected(settings: SessionSettings, state: Connected, message: Message, subcode: number): Step {
  const text = `the peer sent ${message.kind} in state ${state.kind}`;
  const answer = notification(ERROR_CODE.finiteStateMachine, subcode);
  return refused(settings, state, 'UnexpectedMessage', text, answer);
}

function refused(
  settings: SessionSettings,
  state: Connected,
  reason: SessionReason,
  text: string,
  answer: NotificationMessage,
): Step {
  return lost(settings, state, [report(reason, text), send(answer)]);
}

/** Every way out of a connection that is not a stop: clean up, then wait for the peer or for the next dial. */
function lost(
  settings: SessionSettings,
  state: Exclude<SessionState, { kind: 'idle' }>,
  first: readonly SessionAction[],
): Step {
  const { attempts } = state;
  const pause = Math.min(FIRST_PAUSE_MS * 2 ** attempts, LONGEST_PAUSE_MS);
  const retry = settings.role === 'dial' ? [startTimer('connect-retry', pause)] : [];
  return {
    state: { kind: 'active', attempts: attempts + 1 },
    actions: [...first, ...stopTimers(), { kind: 'drop' }, ...retry],
  };
}

function isConnected(state: SessionState): state is Connected {
  return state.kind === 'open-sent' || state.kind === 'open-confirm' || state.kind === 'established';
}

function stay(state: SessionState): Step {
  return { state, actions: [] };
}
