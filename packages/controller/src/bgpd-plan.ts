// What the driver of bgpd is given and what it says back. Types only.

import type { SessionPlan, SessionState } from '@herald/decision';
import type { ApplyOutcome } from '@herald/frr';
import type { PersistentMap } from '@herald/net';

import type { Generation } from './generation.ts';

export interface Plan {
  readonly sessions: SessionPlan;
  readonly generation: Generation;
  /** Paths of the tables of this plan, by instance and family; what bgpd must hold before it is complete. */
  expectedPaths(instance: string): { readonly 4: number; readonly 6: number };
}

export interface BgpdEvents {
  onSessions(sessions: PersistentMap<SessionState>): void;
  /** The instances that bgpd runs, whenever it was asked. */
  onInstances(instances: ReadonlySet<string>): void;
  onApplied(outcome: ApplyOutcome): void;
  /** bgpd answers again, or no longer; the text says why not. */
  onReach(problem: string | undefined): void;
  onIncomplete(instance: string, held: number, expected: number): void;
  onProblem(error: unknown): void;
}
