// The way to a session, row by row: each step with the words and octets that it says.

import { describe, expect, it } from 'vitest';
import { IDLE, step, type SessionEvent, type SessionSettings, type SessionState } from '../../src/index.ts';
import {
  DIAL,
  DOWN,
  expired,
  HANDSHAKE,
  LISTEN,
  line,
  open,
  received,
  REDIAL,
  REMOTE,
  stateOf,
} from './lines.ts';

const CONNECT = stateOf('connect', 0);
const ACTIVE = stateOf('active');
const OPEN_SENT = stateOf('open-sent');
const ESTABLISHED = stateOf('established');
const KEEPALIVE = received({ kind: 'keepalive' });
const GONE: SessionEvent = { kind: 'disconnected', text: 'reset by peer' };
type Row = [
  name: string,
  settings: SessionSettings,
  from: SessionState,
  event: SessionEvent,
  to: string,
  actions: readonly string[],
];

const ROWS: readonly Row[] = [
  ['dials when started', DIAL, IDLE, { kind: 'start' }, 'connect', ['dial', 'start connect-retry 5000']],
  ['listens when started', LISTEN, IDLE, { kind: 'start' }, 'active', ['listen']],
  ['starts once', DIAL, ESTABLISHED, { kind: 'start' }, 'established', []],
  ['sends its OPEN on a connection', DIAL, CONNECT, { kind: 'connected' }, 'open-sent', HANDSHAKE],
  ['takes the connection of the peer', LISTEN, ACTIVE, { kind: 'connected' }, 'open-sent', HANDSHAKE],
  ['takes no connection before it started', LISTEN, IDLE, { kind: 'connected' }, 'idle', []],
  [
    'prefers the newest connection',
    LISTEN,
    ESTABLISHED,
    { kind: 'connected' },
    'open-sent',
    ['report ConnectionReplaced: the peer opened a new connection', 'drop', ...HANDSHAKE],
  ],
  [
    'dials again later when refused',
    DIAL,
    CONNECT,
    GONE,
    'active',
    ['report ConnectFailed: reset by peer', ...DOWN, 'start connect-retry 200'],
  ],
  [
    'gives up a dial that takes too long',
    DIAL,
    CONNECT,
    expired('connect-retry'),
    'active',
    ['report ConnectFailed: the connection was not made in time', ...DOWN, 'start connect-retry 200'],
  ],
  [
    'dials after the pause',
    DIAL,
    ACTIVE,
    expired('connect-retry'),
    'connect',
    ['dial', 'start connect-retry 5000'],
  ],
  ['never dials when it listens', LISTEN, ACTIVE, expired('connect-retry'), 'active', []],
  [
    'waits for the peer when it listens',
    LISTEN,
    ESTABLISHED,
    GONE,
    'active',
    ['report ConnectionLost: reset by peer', ...DOWN],
  ],
  [
    'accepts the OPEN',
    DIAL,
    OPEN_SENT,
    received(REMOTE),
    'open-confirm',
    ['send keepalive', 'start keepalive 10000', 'start hold 30000'],
  ],
  [
    'runs no timers with hold time 0',
    DIAL,
    OPEN_SENT,
    received({ ...REMOTE, holdTimeSeconds: 0 }),
    'open-confirm',
    ['send keepalive', 'stop hold'],
  ],
  [
    'refuses another AS',
    DIAL,
    OPEN_SENT,
    received({ ...REMOTE, asn: 65001 }),
    'active',
    ['report OpenRefused: the peer is AS 65001, not 65000', 'send notification 2/2', ...REDIAL],
  ],
  [
    'refuses its own identifier',
    DIAL,
    OPEN_SENT,
    received(open()),
    'active',
    ['report OpenRefused: the peer has our own identifier 10.0.0.2', 'send notification 2/3', ...REDIAL],
  ],
  [
    'refuses AS numbers of two octets',
    DIAL,
    OPEN_SENT,
    received({ ...REMOTE, capabilities: [] }),
    'active',
    [
      'report OpenRefused: the peer has no four-octet AS numbers',
      'send notification 2/7 41040000fde8',
      ...REDIAL,
    ],
  ],
  [
    'expects an OPEN first',
    DIAL,
    OPEN_SENT,
    KEEPALIVE,
    'active',
    [
      'report UnexpectedMessage: the peer sent keepalive in state open-sent',
      'send notification 5/1',
      ...REDIAL,
    ],
  ],
  [
    'waits for the OPEN only so long',
    DIAL,
    OPEN_SENT,
    expired('hold'),
    'active',
    ['report HoldTimerExpired: the peer sent no OPEN', 'send notification 4/0', ...REDIAL],
  ],
];

describe('a session before it is established', () => {
  it.each(ROWS)('%s', (...[, settings, from, event, to, actions]) => {
    const next = step(settings, from, event);
    expect(next.state.kind).toBe(to);
    expect(next.actions.map(line)).toEqual(actions);
  });
});
