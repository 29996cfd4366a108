// How soon the driver of bgpd looks again. Soon while something is on its way, seldom when all is quiet; and what
// has been on its way for long (a router that is down, a feed that never comes) is not asked after as if it were
// to happen now. Pure: times come from the caller.

/** `table`: one is on its way to bgpd; `session`: one is being made with a router. */
export type Awaiting = 'table' | 'session' | 'nothing';

interface Interval {
  readonly freshMs: number;
  readonly staleMs: number;
  /** How long the wait counts as fresh. */
  readonly freshForMs: number;
}

const INTERVALS: Readonly<Record<Awaiting, Interval>> = {
  table: { freshMs: 25, staleMs: 500, freshForMs: 15_000 },
  session: { freshMs: 200, staleMs: 1000, freshForMs: 60_000 },
  nothing: { freshMs: 1000, staleMs: 1000, freshForMs: 0 },
};

export class Pace {
  #awaiting: Awaiting = 'nothing';
  #sinceMs = 0;

  /** Milliseconds until the next look. */
  pauseMs(awaiting: Awaiting, nowMs: number): number {
    if (awaiting !== this.#awaiting) {
      this.#awaiting = awaiting;
      this.#sinceMs = nowMs;
    }
    const { freshMs, staleMs, freshForMs } = INTERVALS[awaiting];
    return nowMs - this.#sinceMs < freshForMs ? freshMs : staleMs;
  }

  /** Something new was asked for: waiting for it has only begun. */
  restart(nowMs: number): void {
    this.#sinceMs = nowMs;
  }
}
