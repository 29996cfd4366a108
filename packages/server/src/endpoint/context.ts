// What every endpoint may use.

import type { ViewSource } from '../views.ts';

export interface Context {
  readonly views: ViewSource;
  readonly version: string;
  readonly startedAtMs: number;
  /** Milliseconds since the epoch. */
  readonly nowMs: () => number;
}
