// What the server shows: the newest whole state, handed over by the controller as references to what it
// decided from and what it decided. Nothing is computed for the server before somebody asks.
//
// The server never changes any of it and has no way to.

import type { Fault, Settings } from '@herald/api';
import type { Decision, Explanation, World } from '@herald/decision';

export interface ViewSource {
  current(): Views;
  /** Every check of one Service with its outcome; undefined when there is no such Service. */
  explain(serviceKey: string): Explanation | undefined;
}

export interface Views {
  readonly world: World;
  readonly decision: Decision;
  readonly settings: Settings;
  readonly loop: LoopView;
  readonly source: SourceView;
  /** Empty when the replica is ready. */
  readonly notReady: readonly NotReady[];
  readonly faults: readonly Fault[];
  /** One for each bgpd instance. */
  readonly feeds: readonly FeedView[];
}

export interface LoopView {
  readonly ticks: number;
  /** Ticks that failed and were contained. */
  readonly failedTicks: number;
  /** Since when a tick has been asked for and has not ended; undefined while the loop is idle. */
  readonly pendingSinceMs: number | undefined;
}

export interface SourceView {
  readonly kind: 'folder' | 'kubernetes';
  readonly synced: boolean;
  /** When the source was last known to be current; 0 before the first time. */
  readonly freshAtMs: number;
}

export interface NotReady {
  /** UpperCamelCase, stable. */
  readonly reason: string;
  readonly message: string;
}

export interface FeedView {
  /** `shared` or the name of the view. */
  readonly name: string;
  readonly state: 'idle' | 'connecting' | 'open-sent' | 'open-confirm' | 'established';
  readonly sinceMs: number | undefined;
  readonly counters: FeedCounters;
}

export interface FeedCounters {
  readonly updatesSent: number;
  readonly prefixesSent: number;
  readonly withdrawnSent: number;
  readonly bytesSent: number;
  readonly sessionsLost: number;
}
