import { expect, test } from 'vitest';

import { Readiness } from '../src/readiness.ts';
import type { ReadinessFacts } from '../src/readiness.ts';
import { inView, peer, plan, session, sessions } from './session-plan.ts';

const PATIENCE_MS = 30_000;

const BOTH = sessions({ 'tor-1': session('Established'), 'tor-2': session('Established') });

const READY: ReadinessFacts = {
  synced: true,
  tableInBgpd: true,
  sessions: plan(peer('tor-1'), inView('tor-2', 'plain')),
  states: BOTH,
  decidedFrom: BOTH,
  running: new Map([
    ['tor-1', 'default'],
    ['tor-2', 'plain'],
  ]),
};

function reasons(readiness: Readiness, facts: Partial<ReadinessFacts>, nowMs = 0): string[] {
  return readiness.check({ ...READY, ...facts }, nowMs).map(({ reason }) => reason);
}

test.for([
  { what: 'all is well', facts: {}, missing: [] },
  { what: 'the source is not read', facts: { synced: false }, missing: ['NotSynced'] },
  { what: 'the table is not in bgpd', facts: { tableInBgpd: false }, missing: ['TableNotInBgpd'] },
  { what: 'neither', facts: { synced: false, tableInBgpd: false }, missing: ['NotSynced'] },
  {
    what: 'one router is missing',
    facts: { states: sessions({ 'tor-1': session('Established'), 'tor-2': session('Active') }) },
    missing: ['SessionDown'],
  },
  {
    what: 'nothing is known of any router',
    facts: { states: sessions({}) },
    missing: ['SessionDown', 'SessionDown'],
  },
  {
    what: 'one router is to move to the shared table',
    facts: { sessions: plan(peer('tor-1'), peer('tor-2')) },
    missing: ['SessionDown'],
  },
  {
    what: 'nobody decided yet where a router is to stay',
    facts: { decidedFrom: sessions({ 'tor-1': session('Established') }) },
    missing: ['SessionDown'],
  },
  { what: 'there is no peer', facts: { sessions: plan(), states: sessions({}) }, missing: [] },
  {
    what: 'the missing router is shut down',
    facts: { sessions: plan(peer('tor-9', { shutdown: true })), states: sessions({}) },
    missing: [],
  },
])('$what: $missing', ({ facts, missing }) => {
  expect(reasons(new Readiness(), facts)).toEqual(missing);
});

test('a missing router is named', () => {
  const states = sessions({ 'tor-1': session('Established') });
  const [missing] = new Readiness().check({ ...READY, states }, 0);
  expect(missing?.message).toContain('tor-2');
});

test('a router is waited for so long and no longer, counted from the table in bgpd', () => {
  const readiness = new Readiness();
  const down = { states: sessions({}) };
  expect(reasons(readiness, { ...down, tableInBgpd: false }, 0)).toEqual(['TableNotInBgpd']);
  expect(reasons(readiness, down, 40_000)).toHaveLength(2);
  expect(reasons(readiness, down, 40_000 + PATIENCE_MS - 1)).toHaveLength(2);
  expect(reasons(readiness, down, 40_000 + PATIENCE_MS)).toEqual([]);
});

test.for([
  { what: 'the source goes away', facts: { synced: false } },
  { what: 'bgpd restarts', facts: { tableInBgpd: false } },
  { what: 'every router goes away', facts: { states: sessions({}) } },
  { what: 'a peer is added', facts: { sessions: plan(peer('tor-3')) } },
])('once ready, ready for good: $what', ({ facts }) => {
  const readiness = new Readiness();
  expect(reasons(readiness, {})).toEqual([]);
  expect(reasons(readiness, facts, 1)).toEqual([]);
});
