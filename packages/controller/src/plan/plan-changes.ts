// What would change if one state of the objects followed another: for people who are about to apply it.
// Two plans -> routes by peer and prefix, verdicts and addresses of Services, pools, and above all sessions
// that would end. Pure; sorted.

import { planReset } from '@herald/frr';
import type { SessionPlan } from '@herald/decision';

import type { Offline } from './decide-offline.ts';
import { routeChanges } from './route-changes.ts';
import type { RouteChange } from './route-changes.ts';
import { addressChanges, poolChanges, verdictChanges } from './object-changes.ts';
import type { AddressChange, PoolChange, VerdictChange } from './object-changes.ts';
import { compareText } from './sorted-entries.ts';

export interface PlanChanges {
  /** Faults of the objects that are compared with; they count for nothing else. */
  readonly faultsBefore: number;
  readonly sessions: readonly SessionChange[];
  readonly routes: readonly RouteChange[];
  readonly services: readonly VerdictChange[];
  readonly addresses: readonly AddressChange[];
  readonly pools: readonly PoolChange[];
}

export interface SessionChange {
  readonly peer: string;
  readonly change: 'added' | 'removed' | 'reset';
  /** What the session has to end for; '' when it is added or removed. */
  readonly field: string;
  readonly message: string;
}

export function planChanges(before: Offline, after: Offline, faultsBefore: number): PlanChanges {
  return {
    faultsBefore,
    sessions: sessionChanges(before, after),
    routes: routeChanges(before.decision, after.decision),
    services: verdictChanges(before.decision, after.decision),
    addresses: addressChanges(before.world, after.world),
    pools: poolChanges(before, after),
  };
}

function sessionChanges(before: Offline, after: Offline): SessionChange[] {
  const was = runningSessions(before);
  const is = runningSessions(after);
  const added = startingBeside(is, was).map((peer) => sessionChange(peer, 'added', 'a session starts'));
  // A peer without its password is left as it runs, so it has neither gone nor changed.
  const planned = new Set(after.decision.sessions.peers.map(({ name }) => name));
  const removed = was.peers
    .filter(({ name, shutdown }) => !shutdown && !planned.has(name))
    .map(({ name }) => sessionChange(name, 'removed', 'the session ends: the peer is no longer spoken to'));
  const resets = planReset(was, is).map((reset) => ({ change: 'reset' as const, ...reset }));
  return [...added, ...removed, ...resets.map(inOrder)].sort((a, b) => compareText(a.peer, b.peer));
}

function inOrder({ peer, change, field, message }: SessionChange): SessionChange {
  return { peer, change, field, message };
}

function sessionChange(peer: string, change: 'added' | 'removed', message: string): SessionChange {
  return { peer, change, field: '', message };
}

/** Without the peers that cannot be resolved now: nothing is done to the sessions of those. */
function runningSessions({ decision }: Offline): SessionPlan {
  const peers = decision.sessions.peers.filter(({ name }) => decision.peers.get(name)?.accepted);
  return { ...decision.sessions, peers };
}

/** Names of the peers that are to have a session in `plan` and have none in `before`. */
function startingBeside({ peers }: SessionPlan, before: SessionPlan): string[] {
  const known = new Set(before.peers.flatMap(({ name, shutdown }) => (shutdown ? [] : [name])));
  return peers.flatMap(({ name, shutdown }) => (shutdown || known.has(name) ? [] : [name]));
}
