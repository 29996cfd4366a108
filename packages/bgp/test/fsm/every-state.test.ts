// Every event in every state for both roles, as one table: the next state and, in short, what is done. A cell is
// "state: actions"; "-" means that nothing happens at all.

import { describe, expect, it } from 'vitest';
import {
  administrativeShutdown,
  endOfRib,
  notification,
  step,
  type SessionAction,
  type SessionEvent,
  type SessionState,
} from '../../src/index.ts';
import { sessionReset } from '../../src/wire/problem.ts';
import { DIAL, expired, LISTEN, open, received, REMOTE, stateOf } from './lines.ts';

const EVENTS = {
  start: { kind: 'start' },
  stop: { kind: 'stop', communication: 'bye' },
  connected: { kind: 'connected' },
  disconnected: { kind: 'disconnected', text: 'reset by peer' },
  malformed: { kind: 'malformed', problem: sessionReset(3, 1, 'a broken UPDATE') },
  'OPEN, good': received(REMOTE),
  'OPEN, other AS': received({ ...REMOTE, asn: 65001 }),
  'OPEN, our identifier': received(open()),
  'OPEN, two-octet AS': received({ ...REMOTE, capabilities: [] }),
  KEEPALIVE: received({ kind: 'keepalive' }),
  UPDATE: received(endOfRib(4)),
  'ROUTE-REFRESH': received({ kind: 'route-refresh', afi: 1, safi: 1, subtype: 0 }),
  NOTIFICATION: received(notification(6, 4)),
  shutdown: received(administrativeShutdown('bye')),
  'retry timer': expired('connect-retry'),
  'hold timer': expired('hold'),
  'keepalive timer': expired('keepalive'),
} satisfies Record<string, SessionEvent>;

/** The essence of an action: stops of timers are left out. */
function short(action: SessionAction): string {
  switch (action.kind) {
    case 'send':
      return action.message.kind === 'notification'
        ? `${action.message.code}/${action.message.subcode}`
        : action.message.kind.toUpperCase();
    case 'start-timer':
      return `${action.timer}=${action.milliseconds}`;
    case 'report':
      return action.reason;
    case 'stop-timer':
      return '';
    case 'refresh':
      return `refresh${action.family}`;
    case 'dial':
    case 'listen':
    case 'adopt':
    case 'drop':
    case 'begin':
      return action.kind;
  }
}

type Cells = Partial<Record<keyof typeof EVENTS, string>>;

const OPENED = 'open-sent: adopt OPEN hold=60000';
const REPLACED = 'open-sent: ConnectionReplaced drop adopt OPEN hold=60000';

/** What a dialling session does when its connection is over, the third failure in a row. */
const over = (actions: string): string => `active: ${actions} drop connect-retry=800`;

const DIALLING: Record<SessionState['kind'], Cells> = {
  idle: {
    start: 'connect: dial connect-retry=5000',
    stop: 'idle: drop',
  },
  connect: {
    stop: 'idle: drop',
    connected: OPENED,
    disconnected: over('ConnectFailed'),
    'retry timer': over('ConnectFailed'),
  },
  active: {
    stop: 'idle: drop',
    connected: OPENED,
    'retry timer': 'connect: dial connect-retry=5000',
  },
  'open-sent': {
    stop: 'idle: 6/2 drop',
    connected: REPLACED,
    disconnected: over('ConnectionLost'),
    malformed: over('MalformedMessage 3/1'),
    'OPEN, good': 'open-confirm: KEEPALIVE keepalive=10000 hold=30000',
    'OPEN, other AS': over('OpenRefused 2/2'),
    'OPEN, our identifier': over('OpenRefused 2/3'),
    'OPEN, two-octet AS': over('OpenRefused 2/7'),
    KEEPALIVE: over('UnexpectedMessage 5/1'),
    UPDATE: over('UnexpectedMessage 5/1'),
    'ROUTE-REFRESH': over('UnexpectedMessage 5/1'),
    NOTIFICATION: over('NotificationReceived'),
    shutdown: over('NotificationReceived'),
    'hold timer': over('HoldTimerExpired 4/0'),
  },
  'open-confirm': {
    stop: 'idle: 6/2 drop',
    connected: REPLACED,
    disconnected: over('ConnectionLost'),
    malformed: over('MalformedMessage 3/1'),
    'OPEN, good': over('UnexpectedMessage 5/2'),
    'OPEN, other AS': over('UnexpectedMessage 5/2'),
    'OPEN, our identifier': over('UnexpectedMessage 5/2'),
    'OPEN, two-octet AS': over('UnexpectedMessage 5/2'),
    KEEPALIVE: 'established: hold=30000 begin',
    UPDATE: over('UnexpectedMessage 5/2'),
    'ROUTE-REFRESH': over('UnexpectedMessage 5/2'),
    NOTIFICATION: over('NotificationReceived'),
    shutdown: over('NotificationReceived'),
    'hold timer': over('HoldTimerExpired 4/0'),
    'keepalive timer': 'open-confirm: KEEPALIVE keepalive=10000',
  },
  established: {
    stop: 'idle: 6/2 drop',
    connected: REPLACED,
    disconnected: over('ConnectionLost'),
    malformed: over('MalformedMessage 3/1'),
    'OPEN, good': over('UnexpectedMessage 5/3'),
    'OPEN, other AS': over('UnexpectedMessage 5/3'),
    'OPEN, our identifier': over('UnexpectedMessage 5/3'),
    'OPEN, two-octet AS': over('UnexpectedMessage 5/3'),
    KEEPALIVE: 'established: hold=30000',
    UPDATE: 'established: hold=30000',
    'ROUTE-REFRESH': 'established: hold=30000 refresh4',
    NOTIFICATION: over('NotificationReceived'),
    shutdown: over('NotificationReceived'),
    'hold timer': over('HoldTimerExpired 4/0'),
    'keepalive timer': 'established: KEEPALIVE keepalive=10000',
  },
};

/** A listening session differs in three cells, and never pauses. */
function listening(kind: SessionState['kind'], cells: Cells): Cells {
  const waits = Object.fromEntries(
    Object.entries(cells).map(([event, cell]) => [event, cell.replace(' connect-retry=800', '')]),
  );
  if (kind === 'idle') {
    return { ...waits, start: 'active: listen' };
  }
  return kind === 'active' ? { ...waits, 'retry timer': '-' } : waits;
}

const KINDS = Object.keys(DIALLING) as SessionState['kind'][];
const EVENT_NAMES = Object.keys(EVENTS) as (keyof typeof EVENTS)[];

const ROWS = KINDS.flatMap((kind) =>
  EVENT_NAMES.flatMap((event) => [
    { role: 'dial', settings: DIAL, kind, event, cell: DIALLING[kind][event] ?? '-' } as const,
    {
      role: 'listen',
      settings: LISTEN,
      kind,
      event,
      cell: listening(kind, DIALLING[kind])[event] ?? '-',
    } as const,
  ]),
).filter(({ role, kind }) => role === 'dial' || kind !== 'connect'); // who listens never dials

describe('a session', () => {
  it.each(ROWS)('that would $role, in $kind, on $event: $cell', ({ settings, kind, event, cell }) => {
    const from = stateOf(kind);
    const next = step(settings, from, EVENTS[event]);
    if (cell === '-') {
      expect(next).toEqual({ state: from, actions: [] });
      expect(next.state).toBe(from);
      return;
    }
    const said = next.actions.map(short).filter((each) => each !== '');
    expect(`${next.state.kind}: ${said.join(' ')}`).toBe(cell);
  });
});

describe('the count of attempts', () => {
  const counted: [SessionState['kind'], keyof typeof EVENTS, number | undefined][] = [
    ['connect', 'connected', 2],
    ['connect', 'disconnected', 3],
    ['active', 'retry timer', 2],
    ['open-sent', 'OPEN, good', 2],
    ['open-sent', 'OPEN, other AS', 3],
    ['open-confirm', 'KEEPALIVE', 2],
    ['established', 'UPDATE', 2],
    ['established', 'ROUTE-REFRESH', 2],
    ['established', 'keepalive timer', 2],
    ['established', 'KEEPALIVE', 0],
    ['established', 'disconnected', 3],
    ['established', 'connected', 2],
    ['established', 'stop', undefined],
  ];

  it.each(counted)('in %s after %s is %s', (kind, event, attempts) => {
    const { state } = step(DIAL, stateOf(kind), EVENTS[event]);
    expect('attempts' in state ? state.attempts : undefined).toBe(attempts);
  });
});

describe('every way out of a connection', () => {
  const out = ROWS.filter(({ cell }) => cell.startsWith('active: ') && cell.includes('drop'));

  it.each(out)('stops all timers before it drops: $role, $kind, $event', ({ settings, kind, event }) => {
    const kinds = step(settings, stateOf(kind), EVENTS[event]).actions.map((action) =>
      action.kind === 'stop-timer' ? `stop ${action.timer}` : action.kind,
    );
    const drop = kinds.indexOf('drop');
    expect(kinds.slice(drop - 3, drop).toSorted()).toEqual([
      'stop connect-retry',
      'stop hold',
      'stop keepalive',
    ]);
    expect(kinds.slice(drop + 1)).toEqual(settings.role === 'dial' ? ['start-timer'] : []);
  });

  it.each(out)('reports one reason, first: $role, $kind, $event', ({ settings, kind, event }) => {
    const reports = step(settings, stateOf(kind), EVENTS[event]).actions.map((action) => action.kind);
    expect(reports.filter((each) => each === 'report')).toHaveLength(1);
    expect(reports[0]).toBe('report');
  });
});
