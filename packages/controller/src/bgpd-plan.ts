// What the driver of bgpd is given and what it says back. Types only.

import type { SessionPlan, SessionState, Tables } from '@herald/decision';
import type { ApplyOutcome } from '@herald/frr';
import type { PersistentMap } from '@herald/net';

import type { Generation } from './generation.ts';

export interface Plan {
  readonly sessions: SessionPlan;
  readonly generation: Generation;
  /** What the feeds were given with this plan; what bgpd must hold before a peer is opened. */
  readonly tables: Tables;
}

export interface BgpdEvents {
  onSessions(sessions: PersistentMap<SessionState>): void;
  /** The instances that bgpd runs, whenever it was asked. */
  onInstances(instances: ReadonlySet<string>): void;
  onApplied(outcome: ApplyOutcome): void;
  /** bgpd answers again, or no longer; the text says why not. */
  onReach(problem: string | undefined): void;
  /** bgpd did not take these paths, each as `prefix via next hop`. */
  onIncomplete(instance: string, missing: readonly string[]): void;
  onProblem(error: unknown): void;
}
