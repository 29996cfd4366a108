// Sessions, events and actions of the state machine in the words of the tests that are tables.

import { address } from '@herald/net';
import {
  negotiate,
  type Message,
  type OpenMessage,
  type SessionAction,
  type SessionEvent,
  type SessionSettings,
  type SessionState,
  type Timer,
} from '../../src/index.ts';
import { toHex } from '../octets.ts';

export function open(fields: Partial<OpenMessage> = {}): OpenMessage {
  return {
    kind: 'open',
    asn: 65000,
    holdTimeSeconds: 30,
    identifier: address('10.0.0.2'),
    capabilities: [
      { kind: 'multiprotocol', afi: 1, safi: 1 },
      { kind: 'four-octet-asn', asn: 65000 },
    ],
    ...fields,
  };
}

export const REMOTE = open({ identifier: address('10.0.0.1') });
export const DIAL: SessionSettings = { role: 'dial', open: open(), remoteAsn: 65000 };
export const LISTEN: SessionSettings = { ...DIAL, role: 'listen' };

/** After `attempts` failures in a row. */
export function stateOf(kind: SessionState['kind'], attempts = 2): SessionState {
  switch (kind) {
    case 'idle':
      return { kind };
    case 'connect':
    case 'active':
    case 'open-sent':
      return { kind, attempts };
    case 'open-confirm':
    case 'established':
      return { kind, attempts, negotiated: negotiate(DIAL.open, REMOTE) };
  }
}

export const received = (message: Message): SessionEvent => ({ kind: 'received', message });
export const expired = (timer: Timer): SessionEvent => ({ kind: 'expired', timer });

/** One action as a line that people read. */
export function line(action: SessionAction): string {
  switch (action.kind) {
    case 'send':
      return action.message.kind === 'notification'
        ? `send notification ${action.message.code}/${action.message.subcode} ${toHex(action.message.data)}`.trim()
        : `send ${action.message.kind}`;
    case 'start-timer':
      return `start ${action.timer} ${action.milliseconds}`;
    case 'stop-timer':
      return `stop ${action.timer}`;
    case 'report':
      return `report ${action.reason}: ${action.text}`;
    case 'refresh':
      return `refresh ${action.family}`;
    case 'dial':
    case 'listen':
    case 'adopt':
    case 'drop':
    case 'begin':
      return action.kind;
  }
}

const STOPPED = ['stop connect-retry', 'stop hold', 'stop keepalive'];
export const DOWN = [...STOPPED, 'drop'];
/** After two failed attempts. */
export const REDIAL = [...DOWN, 'start connect-retry 800'];
export const HANDSHAKE = [...STOPPED, 'adopt', 'send open', 'start hold 60000'];
