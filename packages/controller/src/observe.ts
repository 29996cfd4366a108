// Puts the World together: the source's objects, this replica, its leadership, what bgpd said last, and the
// time. A new object each time, whose maps are the same references as before where nothing changed.

import type { Settings } from '@herald/api';
import type {
  DecisionSettings,
  Freshness,
  Leadership,
  Replica,
  Replicas,
  RetainedTables,
  SessionState,
  World,
} from '@herald/decision';
import type { ObjectSet } from '@herald/kube';
import type { PersistentMap } from '@herald/net';

export interface Observed {
  readonly objects: ObjectSet;
  /** The same object every time: a decision goes by identity. */
  readonly settings: DecisionSettings;
  readonly replica: Replica;
  readonly leadership: Leadership;
  readonly replicas: Replicas;
  readonly sessions: PersistentMap<SessionState>;
  /** Answers of health ports; see World.programmed. */
  readonly programmed: PersistentMap<boolean>;
  /** Empty once the first decision has adopted its ranks. */
  readonly retained: RetainedTables;
  readonly freshness: Freshness;
  readonly nowMs: number;
}

/** From the last renewal to a take-over there lies one Lease, and what clocks, answers and watches take. */
const LEASES_IN_DOUBT = 2;

export function decisionSettings(settings: Settings): DecisionSettings {
  const { guard, election } = settings;
  const { joinDelayMs, deadNodesPercent, silentNodeMs } = guard;
  const doubtMs = LEASES_IN_DOUBT * election.leaseDurationMs;
  return { ...settings, joinDelayMs, deadNodesPercent, silentNodeMs, doubtMs };
}

export function worldOf({ objects, nowMs, ...facts }: Observed): World {
  return { ...objects, ...facts, now: nowMs };
}
