import { address } from '@herald/net';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  administrativeShutdown,
  endOfRib,
  IDLE,
  negotiate,
  notification,
  step,
  type Message,
  type OpenMessage,
  type SessionAction,
  type SessionEvent,
  type SessionSettings,
  type SessionState,
} from '../../src/index.ts';
import { sessionReset } from '../../src/wire/problem.ts';
import { hex, toHex } from '../octets.ts';

function open(fields: Partial<OpenMessage> = {}): OpenMessage {
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

const REMOTE = open({ identifier: address('10.0.0.1') });
const DIAL: SessionSettings = { role: 'dial', open: open(), remoteAsn: 65000 };
const LISTEN: SessionSettings = { ...DIAL, role: 'listen' };
const negotiated = negotiate(DIAL.open, REMOTE);

const CONNECT: SessionState = { kind: 'connect', attempts: 0 };
const ACTIVE: SessionState = { kind: 'active', attempts: 2 };
const OPEN_SENT: SessionState = { kind: 'open-sent', attempts: 2 };
const OPEN_CONFIRM: SessionState = { kind: 'open-confirm', attempts: 2, negotiated };
const ESTABLISHED: SessionState = { kind: 'established', attempts: 2, negotiated };
const STATES = [IDLE, CONNECT, ACTIVE, OPEN_SENT, OPEN_CONFIRM, ESTABLISHED];

const received = (message: Message): SessionEvent => ({ kind: 'received', message });
const expired = (timer: 'connect-retry' | 'hold' | 'keepalive'): SessionEvent => ({ kind: 'expired', timer });
const KEEPALIVE = received({ kind: 'keepalive' });
const STOP: SessionEvent = { kind: 'stop', communication: 'bye' };
const GONE: SessionEvent = { kind: 'disconnected', text: 'reset by peer' };
const BROKEN: SessionEvent = { kind: 'malformed', problem: sessionReset(3, 1, 'a broken UPDATE', hex('aa')) };

/** One action as a line that people read. */
function line(action: SessionAction): string {
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
const DOWN = [...STOPPED, 'drop'];
/** After two failed attempts. */
const REDIAL = [...DOWN, 'start connect-retry 800'];
const SHUTDOWN = `send notification 6/2 03${toHex(new TextEncoder().encode('bye'))}`;
const HANDSHAKE = [...STOPPED, 'adopt', 'send open', 'start hold 60000'];

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

describe('a session', () => {
  it.each(ROWS)('%s', (...[, settings, from, event, to, actions]) => {
    const next = step(settings, from, event);
    expect(next.state.kind).toBe(to);
    expect(next.actions.map(line)).toEqual(actions);
  });

  const late: readonly SessionEvent[] = [KEEPALIVE, BROKEN, GONE, expired('hold'), expired('keepalive')];

  it.each(late)('ignores in idle what comes late: $kind', (event) => {
    expect(step(DIAL, IDLE, event)).toEqual({ state: IDLE, actions: [] });
  });

  it.each(late)('ignores while it pauses what comes late: $kind', (event) => {
    expect(step(DIAL, ACTIVE, event)).toEqual({ state: ACTIVE, actions: [] });
  });
});

describe('the pause before the next dial', () => {
  it('doubles from 200 ms to 2 s', () => {
    let state: SessionState = CONNECT;
    const pauses: (number | undefined)[] = [];
    for (let i = 0; i < 6; i++) {
      const failed = step(DIAL, state, GONE);
      pauses.push(failed.actions.find((each) => each.kind === 'start-timer')?.milliseconds);
      state = step(DIAL, failed.state, expired('connect-retry')).state;
    }
    expect(pauses).toEqual([200, 400, 800, 1600, 2000, 2000]);
  });

  it('is short again after a session that outlived a keepalive', () => {
    const stable = step(DIAL, ESTABLISHED, KEEPALIVE).state;
    expect(step(DIAL, stable, GONE).actions.map(line)).toContain('start connect-retry 200');
  });

  it('stays long for a session that fails right after it was established', () => {
    const fresh = step(DIAL, OPEN_CONFIRM, KEEPALIVE).state;
    expect(step(DIAL, fresh, GONE).actions.map(line)).toContain('start connect-retry 800');
  });
});

/** Plays events and keeps what sockets and timers would hold. */
function play(settings: SessionSettings, run: readonly SessionEvent[]): void {
  let state: SessionState = IDLE;
  let connected = false;
  const timers = new Set<string>();
  for (const event of run) {
    if (event.kind === 'disconnected') {
      connected = false;
    }
    const next = step(settings, state, event);
    for (const action of next.actions) {
      if (action.kind === 'send') {
        expect(connected, 'nothing is sent without a connection').toBe(true);
      }
      connected = action.kind === 'adopt' || (connected && action.kind !== 'drop');
      if (action.kind === 'start-timer') {
        timers.add(action.timer);
      } else if (action.kind === 'stop-timer') {
        timers.delete(action.timer);
      }
      expect(action.kind, 'a role is for life').not.toBe(settings.role === 'dial' ? 'listen' : 'dial');
    }
    state = next.state;
    if (state.kind === 'idle' || state.kind === 'active') {
      expect(connected, `no connection in ${state.kind}`).toBe(false);
      expect(timers.has('hold') || timers.has('keepalive'), 'no timer of a session without one').toBe(false);
    }
  }
}

describe('whatever happens', () => {
  const events: readonly SessionEvent[] = [
    { kind: 'start' },
    STOP,
    { kind: 'connected' },
    GONE,
    BROKEN,
    KEEPALIVE,
    received(REMOTE),
    received(endOfRib(6)),
    received(notification(6, 4)),
    expired('connect-retry'),
    expired('hold'),
    expired('keepalive'),
  ];
  const anyRun = fc.array(fc.constantFrom(...events), { maxLength: 40 });

  it.each([DIAL, LISTEN])('$role leaves no connection and no timer behind', (settings) => {
    fc.assert(
      fc.property(anyRun, (run) => {
        play(settings, run);
      }),
      { numRuns: 500 },
    );
  });

  it('a stop ends in idle from everywhere', () => {
    for (const state of STATES) {
      const next = step(DIAL, state, STOP);
      expect(next.state).toEqual(IDLE);
      expect(next.actions.map(line)).toContain('drop');
    }
  });
});
