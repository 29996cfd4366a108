import { fault, type Fault } from '@herald/api';
import { describe, expect, test } from 'vitest';

import { FaultLog, logBgpd, logFeeds, logMoves } from '../src/log-events.ts';
import { collectedLog, said } from './collected-log.ts';
import { inView, peer, plan, session, sessions } from './session-plan.ts';

const TOR = fault('BGPPeer tor-1', 'spec.peerAddress', 'must be an address');
const POOL = fault('IPAddressPool public', 'spec.addresses[0]', 'must be a range');

describe('faults', () => {
  interface Case {
    readonly what: string;
    readonly rounds: readonly (readonly Fault[])[];
    readonly objects: readonly string[];
  }

  const CASES: readonly Case[] = [
    {
      what: 'each is said once',
      rounds: [
        [TOR, POOL],
        [TOR, POOL],
        [POOL, TOR],
      ],
      objects: [TOR.object, POOL.object],
    },
    {
      what: 'a new one is said, the old one is not',
      rounds: [[TOR], [TOR, POOL]],
      objects: [TOR.object, POOL.object],
    },
    {
      what: 'one that comes back is said again',
      rounds: [[TOR], [], [TOR]],
      objects: [TOR.object, TOR.object],
    },
    {
      what: 'the same field with another rule is another fault',
      rounds: [[TOR], [fault('BGPPeer tor-1', 'spec.peerAddress', 'must be unicast')]],
      objects: [TOR.object, TOR.object],
    },
    { what: 'none is nothing to say', rounds: [[], []], objects: [] },
  ];

  test.for(CASES)('$what', ({ rounds, objects }) => {
    const { logger, lines } = collectedLog();
    const log = new FaultLog(logger);
    rounds.forEach((faults) => log.say(faults));
    expect(lines.map(({ object }) => object)).toEqual(objects);
  });

  test('object, field, rule and reason are in the line', () => {
    const { logger, lines } = collectedLog();
    new FaultLog(logger).say([TOR]);
    const { message: msg, ...fields } = TOR;
    expect(said(lines)).toEqual([{ level: 'warn', event: 'fault', ...fields, msg }]);
  });
});

function heardFeeds() {
  const { logger, lines } = collectedLog();
  const heard: string[] = [];
  const events = logFeeds(logger, {
    lost: (instance) => heard.push(`lost ${instance}`),
    synced: (instance) => heard.push(`synced ${instance}`),
  });
  return { events, lines, heard };
}

describe('feeds', () => {
  test.for([
    { state: { kind: 'idle' }, heard: ['lost default'] },
    { state: { kind: 'connecting' }, heard: ['lost default'] },
    { state: { kind: 'established', sinceMs: 1, endOfRibSent: false }, heard: [] },
  ] as const)('a feed that is $state.kind: $heard', ({ state, heard: expected }) => {
    const { events, heard } = heardFeeds();
    events.onState('default', state);
    expect(heard).toEqual(expected);
  });

  test('a problem is a warning with its reason', () => {
    const { events, lines } = heardFeeds();
    events.onProblem('plain-7', { reason: 'StrangerRefused', text: 'somebody else connected' });
    expect(said(lines)).toEqual([
      {
        level: 'warn',
        event: 'feed-problem',
        instance: 'plain-7',
        reason: 'StrangerRefused',
        msg: 'somebody else connected',
      },
    ]);
  });
});

const NOBODY = { sessions: () => undefined, instances: () => undefined };

describe('bgpd', () => {
  test('sessions are passed on, and said only when their state changes', () => {
    const { logger, lines } = collectedLog();
    const passed: number[] = [];
    const events = logBgpd(logger, { ...NOBODY, sessions: (states) => passed.push(states.size) });
    const up = session('Established');
    events.onSessions(sessions({ 'tor-1': session('Active'), 'tor-2': up }));
    events.onSessions(sessions({ 'tor-1': up, 'tor-2': session('Established', { connectionsDropped: 1 }) }));
    expect(passed).toEqual([2, 2]);
    expect(lines.map((line) => `${String(line['peer'])} ${String(line['state'])}`).sort()).toEqual([
      'tor-1 Active',
      'tor-1 Established',
      'tor-2 Established',
    ]);
  });

  test('what was changed and what was refused is said; nothing changed is nothing to say', () => {
    const { logger, lines } = collectedLog();
    const events = logBgpd(logger, NOBODY);
    events.onApplied({ changed: [], problems: [], refused: [] });
    expect(lines).toEqual([]);
    events.onApplied({
      changed: [],
      problems: [],
      refused: [{ peer: 'tor-1', reason: 'SecretInvalid', message: 'the password is empty' }],
    });
    expect(said(lines)).toEqual([
      {
        level: 'error',
        event: 'peer-refused',
        peer: 'tor-1',
        reason: 'SecretInvalid',
        msg: 'the password is empty',
      },
    ]);
  });

  test('the same problem is said once, and again after something was applied', () => {
    const { logger, lines } = collectedLog();
    const events = logBgpd(logger, NOBODY);
    events.onProblem(new Error('line 3: unknown command'));
    events.onProblem(new Error('line 3: unknown command'));
    events.onProblem(new Error('line 4: unknown command'));
    events.onApplied({ changed: [], problems: [], refused: [] });
    events.onProblem(new Error('line 4: unknown command'));
    expect(lines.map(({ event }) => event)).toEqual(['bgpd-problem', 'bgpd-problem', 'bgpd-problem']);
  });

  test('the instances that it runs are passed on', () => {
    const heard: string[] = [];
    const instances = (names: ReadonlySet<string>) => heard.push(...names);
    logBgpd(collectedLog().logger, { ...NOBODY, instances }).onInstances(new Set(['default', 'plain-7']));
    expect(heard).toEqual(['default', 'plain-7']);
  });

  test.for([
    { problem: undefined, line: { level: 'info', event: 'bgpd-reached' } },
    { problem: 'no such socket', line: { level: 'warn', event: 'bgpd-unreachable', msg: 'no such socket' } },
  ])('reach: $line.event', ({ problem, line }) => {
    const { logger, lines } = collectedLog();
    logBgpd(logger, NOBODY).onReach(problem);
    expect(lines).toMatchObject([line]);
  });
});

describe('moves of a peer between instances', () => {
  const SHARED = peer('tor-1');
  const VIEW = inView('tor-1', 'plain-7');

  test.for([
    { what: 'a new peer does not move', before: plan(), after: plan(VIEW), moves: [] },
    { what: 'a peer that goes does not move', before: plan(VIEW), after: plan(), moves: [] },
    {
      what: 'staying is no move',
      before: plan(SHARED),
      after: plan(peer('tor-1', { port: 1179 })),
      moves: [],
    },
    { what: 'into a view', before: plan(SHARED), after: plan(VIEW), moves: ['tor-1: default -> plain-7'] },
    { what: 'back', before: plan(VIEW), after: plan(SHARED), moves: ['tor-1: plain-7 -> default'] },
  ])('$what: $moves', ({ before, after, moves }) => {
    const { logger, lines } = collectedLog();
    logMoves(logger, before, after);
    expect(
      lines.map(({ peer: name, from, to }) => `${String(name)}: ${String(from)} -> ${String(to)}`),
    ).toEqual(moves);
  });
});
