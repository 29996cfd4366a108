// The life of a session and its ends, row by row: each step with the words and octets that it says.

import { describe, expect, it } from 'vitest';
import {
  administrativeShutdown,
  endOfRib,
  notification,
  step,
  type SessionEvent,
  type SessionSettings,
  type SessionState,
} from '../../src/index.ts';
import { sessionReset } from '../../src/wire/problem.ts';
import { hex, toHex } from '../octets.ts';
import { DIAL, DOWN, expired, LISTEN, line, received, REDIAL, REMOTE, stateOf } from './lines.ts';

const CONNECT = stateOf('connect', 0);
const ACTIVE = stateOf('active');
const OPEN_SENT = stateOf('open-sent');
const OPEN_CONFIRM = stateOf('open-confirm');
const ESTABLISHED = stateOf('established');
const KEEPALIVE = received({ kind: 'keepalive' });
const STOP: SessionEvent = { kind: 'stop', communication: 'bye' };
const GONE: SessionEvent = { kind: 'disconnected', text: 'reset by peer' };
const BROKEN: SessionEvent = { kind: 'malformed', problem: sessionReset(3, 1, 'a broken UPDATE', hex('aa')) };
const SHUTDOWN = `send notification 6/2 03${toHex(new TextEncoder().encode('bye'))}`;
type Row = [
  name: string,
  settings: SessionSettings,
  from: SessionState,
  event: SessionEvent,
  to: string,
  actions: readonly string[],
];

const ROWS: readonly Row[] = [
  [
    'is established by a KEEPALIVE',
    DIAL,
    OPEN_CONFIRM,
    KEEPALIVE,
    'established',
    ['start hold 30000', 'begin'],
  ],
  [
    'expects no UPDATE before',
    DIAL,
    OPEN_CONFIRM,
    received(endOfRib(4)),
    'active',
    [
      'report UnexpectedMessage: the peer sent update in state open-confirm',
      'send notification 5/2',
      ...REDIAL,
    ],
  ],
  [
    'keeps the session alive',
    DIAL,
    ESTABLISHED,
    expired('keepalive'),
    'established',
    ['send keepalive', 'start keepalive 10000'],
  ],
  [
    'keeps a session alive that is being confirmed',
    DIAL,
    OPEN_CONFIRM,
    expired('keepalive'),
    'open-confirm',
    ['send keepalive', 'start keepalive 10000'],
  ],
  ['is kept alive by a KEEPALIVE', DIAL, ESTABLISHED, KEEPALIVE, 'established', ['start hold 30000']],
  [
    'is kept alive by an UPDATE',
    DIAL,
    ESTABLISHED,
    received(endOfRib(4)),
    'established',
    ['start hold 30000'],
  ],
  [
    'ends with the hold timer',
    DIAL,
    ESTABLISHED,
    expired('hold'),
    'active',
    ['report HoldTimerExpired: the peer was silent for the hold time', 'send notification 4/0', ...REDIAL],
  ],
  [
    'expects no second OPEN',
    DIAL,
    ESTABLISHED,
    received(REMOTE),
    'active',
    ['report UnexpectedMessage: the peer sent open in state established', 'send notification 5/3', ...REDIAL],
  ],
  [
    'refreshes a family',
    DIAL,
    ESTABLISHED,
    received({ kind: 'route-refresh', afi: 1, safi: 1, subtype: 0 }),
    'established',
    ['start hold 30000', 'refresh 4'],
  ],
  [
    'refreshes no family that was not negotiated',
    DIAL,
    ESTABLISHED,
    received({ kind: 'route-refresh', afi: 2, safi: 1, subtype: 0 }),
    'established',
    ['start hold 30000'],
  ],
  [
    'refreshes no family that is unknown',
    DIAL,
    ESTABLISHED,
    received({ kind: 'route-refresh', afi: 1, safi: 128, subtype: 0 }),
    'established',
    ['start hold 30000'],
  ],
  [
    'ignores marks of a refresh',
    DIAL,
    ESTABLISHED,
    received({ kind: 'route-refresh', afi: 1, safi: 1, subtype: 1 }),
    'established',
    ['start hold 30000'],
  ],
  [
    'says what a NOTIFICATION says',
    DIAL,
    ESTABLISHED,
    received(administrativeShutdown('bye')),
    'active',
    ['report NotificationReceived: code 6 subcode 2: bye', ...REDIAL],
  ],
  [
    'says what a hard reset stands for',
    DIAL,
    ESTABLISHED,
    received(notification(6, 9, hex('0604'))),
    'active',
    ['report NotificationReceived: hard reset, code 6 subcode 4', ...REDIAL],
  ],
  [
    'never answers a NOTIFICATION',
    DIAL,
    OPEN_SENT,
    received(notification(2, 2)),
    'active',
    ['report NotificationReceived: code 2 subcode 2', ...REDIAL],
  ],
  [
    'answers a malformed message',
    DIAL,
    ESTABLISHED,
    BROKEN,
    'active',
    ['report MalformedMessage: a broken UPDATE', 'send notification 3/1 aa', ...REDIAL],
  ],
  [
    'ends a lost connection',
    DIAL,
    ESTABLISHED,
    GONE,
    'active',
    ['report ConnectionLost: reset by peer', ...REDIAL],
  ],
  ['stops with Cease', DIAL, ESTABLISHED, STOP, 'idle', [SHUTDOWN, ...DOWN]],
  ['stops with Cease before it is established', DIAL, OPEN_SENT, STOP, 'idle', [SHUTDOWN, ...DOWN]],
  ['stops a dial', DIAL, CONNECT, STOP, 'idle', DOWN],
  ['stops waiting', LISTEN, ACTIVE, STOP, 'idle', DOWN],
];

describe('a session that is established, or stops', () => {
  it.each(ROWS)('%s', (...[, settings, from, event, to, actions]) => {
    const next = step(settings, from, event);
    expect(next.state.kind).toBe(to);
    expect(next.actions.map(line)).toEqual(actions);
  });
});
