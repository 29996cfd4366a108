// Time that moves only when a test moves it, and the rest of the process settled after each move.

import { setImmediate as turn } from 'node:timers/promises';
import type { Clock } from '../../src/lease/clock.ts';

interface Sleeper {
  readonly at: number;
  readonly wake: () => void;
}

export class ManualClock implements Clock {
  #now = 1_000_000;
  readonly #sleepers = new Set<Sleeper>();

  nowMs(): number {
    return this.#now;
  }

  /** Begins on 2026-11-01. */
  wallMs(): number {
    return Date.UTC(2026, 10, 1) + this.#now - 1_000_000;
  }

  sleep(ms: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const sleeper = {
        at: this.#now + ms,
        wake: () => {
          this.#sleepers.delete(sleeper);
          resolve();
        },
      };
      if (signal.aborted || ms <= 0) {
        resolve();
        return;
      }
      this.#sleepers.add(sleeper);
      signal.addEventListener('abort', sleeper.wake, { once: true });
    });
  }

  get sleeping(): number {
    return this.#sleepers.size;
  }

  /** Wakes every sleeper at its own time. */
  async advance(ms: number): Promise<void> {
    const end = this.#now + ms;
    await settled();
    for (let next = this.#next(end); next !== undefined; next = this.#next(end)) {
      this.#now = Math.max(this.#now, next.at);
      next.wake();
      await settled();
    }
    this.#now = end;
    await settled();
  }

  #next(end: number): Sleeper | undefined {
    const due = [...this.#sleepers].filter(({ at }) => at <= end);
    return due.sort((a, b) => a.at - b.at)[0];
  }
}

/** Everything that waits for nothing but promises has run. */
export async function settled(): Promise<void> {
  for (let i = 0; i < 5; i++) {
    await turn();
  }
}
