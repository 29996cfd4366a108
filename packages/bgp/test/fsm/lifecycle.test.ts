// What holds over many events: late ones are ignored, pauses grow and shrink, nothing is left behind.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  endOfRib,
  IDLE,
  notification,
  step,
  type SessionEvent,
  type SessionSettings,
  type SessionState,
} from '../../src/index.ts';
import { sessionReset } from '../../src/wire/problem.ts';
import { hex } from '../octets.ts';
import { DIAL, expired, LISTEN, line, received, REMOTE, stateOf } from './lines.ts';

const CONNECT = stateOf('connect', 0);
const ACTIVE = stateOf('active');
const OPEN_SENT = stateOf('open-sent');
const OPEN_CONFIRM = stateOf('open-confirm');
const ESTABLISHED = stateOf('established');
const STATES = [IDLE, CONNECT, ACTIVE, OPEN_SENT, OPEN_CONFIRM, ESTABLISHED];
const KEEPALIVE = received({ kind: 'keepalive' });
const STOP: SessionEvent = { kind: 'stop', communication: 'bye' };
const GONE: SessionEvent = { kind: 'disconnected', text: 'reset by peer' };
const BROKEN: SessionEvent = { kind: 'malformed', problem: sessionReset(3, 1, 'a broken UPDATE', hex('aa')) };
describe('what comes late', () => {
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
