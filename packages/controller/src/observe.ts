// Puts the World together: the source's objects, this replica, its leadership, what bgpd said last, and the
// time. A new object each time, whose maps are the same references as before where nothing changed.

import type { Settings } from '@herald/api';
import type { Leadership, Replica, SessionState, World } from '@herald/decision';
import type { ObjectSet } from '@herald/kube';
import { PersistentMap } from '@herald/net';

export interface Observed {
  readonly objects: ObjectSet;
  readonly settings: Settings;
  readonly replica: Replica;
  readonly leadership: Leadership;
  readonly sessions: PersistentMap<SessionState>;
  readonly nowMs: number;
}

const NO_HELD_RANKS: PersistentMap<number> = PersistentMap.empty();

export function worldOf({ objects, settings, replica, leadership, sessions, nowMs }: Observed): World {
  return { ...objects, now: nowMs, settings, replica, leadership, sessions, heldRanks: NO_HELD_RANKS };
}
