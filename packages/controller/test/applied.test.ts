import type { BgpdSessions } from '@herald/frr';
import { PersistentMap } from '@herald/net';
import { expect, test } from 'vitest';

import { againAtMs, identitiesOf, stage, stillStands } from '../src/applied.ts';
import { inView, peer, plan } from './session-plan.ts';

const TOR = peer('tor-1', { number: 11 });
const PLAIN = inView('plain-1', 'plain-12', { number: 12 });
const PLAN = plan(PLAIN, TOR);
const BOTH = identitiesOf(PLAN, new Set(['tor-1', 'plain-1']));
const NOBODY = identitiesOf(PLAN, new Set());

function bgpd(instances: readonly string[], peers: readonly string[]): BgpdSessions {
  const feed = { established: true, waiting: false, connectionsDropped: 0, paths: { 4: 0, 6: 0 } };
  const traffic = {
    instance: 'default',
    pathsSent: { 4: 0, 6: 0 },
    gracefulRestartNegotiated: false,
    holdTimeSeconds: 30,
    connectionsEstablished: 1,
  };
  return {
    sessions: PersistentMap.empty(),
    traffic: new Map(peers.map((name) => [name, traffic])),
    feeds: new Map(instances.map((name) => [name, feed])),
  };
}

const APPLIED = {
  sessions: PLAN,
  opened: BOTH,
  instances: new Set(['default', 'plain-12']),
  againAtMs: undefined,
};
const NOW_MS = 1000;
const WHOLE = bgpd(['default', 'plain-12'], ['tor-1', 'plain-1']);

test.for([
  { what: 'nothing was applied yet', applied: undefined, stands: false },
  { what: 'nothing changed', stands: true },
  { what: 'bgpd runs more than ours', state: bgpd(['default', 'plain-12', 'x'], ['tor-1']), stands: true },
  { what: 'another plan', sessions: plan(TOR), stands: false },
  { what: 'fewer peers are open', opened: NOBODY, stands: false },
  { what: 'a peer became another one', opened: new Set([...BOTH].map((id) => `${id}0`)), stands: false },
  { what: 'bgpd lost every neighbour', state: bgpd(['default', 'plain-12'], []), stands: false },
  { what: 'bgpd rejected a part', applied: { ...APPLIED, againAtMs: NOW_MS + 1 }, stands: true },
  { what: 'and it is time to try again', applied: { ...APPLIED, againAtMs: NOW_MS }, stands: false },
  { what: 'bgpd lost a view', state: bgpd(['default'], ['tor-1']), stands: false },
  {
    what: 'bgpd lost a view that had no router yet',
    applied: { ...APPLIED, opened: NOBODY },
    opened: NOBODY,
    state: bgpd(['default'], []),
    stands: false,
  },
])('$what: stands is $stands', (row) => {
  const { applied, sessions, opened, state, stands } = {
    applied: APPLIED,
    sessions: PLAN,
    opened: BOTH,
    state: WHOLE,
    ...row,
  };
  expect(stillStands(applied, sessions, opened, state, NOW_MS)).toBe(stands);
});

test('peers that are not open are staged', () => {
  const { peers } = stage(PLAN, new Set(['tor-1']));
  expect(peers.map(({ name, staged }) => [name, staged])).toEqual([
    ['plain-1', true],
    ['tor-1', false],
  ]);
});

test('what bgpd rejected is told again after a while, what it took is not', () => {
  const taken = { changed: [], problems: [], refused: [] };
  const problem = { subject: { kind: 'neighbor', name: 'tor-1' }, command: 'neighbor x', message: 'no' };
  const rejected = { ...taken, problems: [problem] } as unknown as Parameters<typeof againAtMs>[0];
  expect(againAtMs(taken, NOW_MS)).toBeUndefined();
  expect(againAtMs(rejected, NOW_MS)).toBeGreaterThan(NOW_MS);
});
