// Runs something again and again: at the time that it asks for, or when it is woken. One run at a time, and
// whatever woke it meanwhile is one more run. An error of the API server is a pause, not an end.

import type { Clock } from '../lease/clock.ts';
import { retryAfterMs } from '../transport/api-error.ts';

const PAUSE_MS = 2000;

export class WriteLoop {
  readonly #clock: Clock;
  /** What is due; returns when to be called again. */
  readonly #turn: () => Promise<number>;
  readonly #closed = new AbortController();
  #nap = new AbortController();
  #woken = false;
  #running: Promise<void> | undefined;

  constructor(clock: Clock, turn: () => Promise<number>) {
    this.#clock = clock;
    this.#turn = turn;
  }

  wake(): void {
    this.#woken = true;
    this.#nap.abort();
    if (!this.#closed.signal.aborted) {
      this.#running ??= this.#run();
    }
  }

  async close(): Promise<void> {
    this.#closed.abort();
    this.#nap.abort();
    await this.#running;
  }

  /** Ends when there is nothing to wait for; the next `wake` begins anew. */
  async #run(): Promise<void> {
    let at = 0;
    while (at < Number.POSITIVE_INFINITY && !this.#closed.signal.aborted) {
      this.#woken = false;
      this.#nap = new AbortController();
      at = await this.#guardedTurn();
      await this.#waitUntil(at);
      at = this.#woken ? 0 : at;
    }
    this.#running = undefined;
  }

  async #guardedTurn(): Promise<number> {
    try {
      return await this.#turn();
    } catch (error) {
      // Not cut short by `wake`: changes come faster than an API server gets well.
      await this.#clock.sleep(Math.max(PAUSE_MS, retryAfterMs(error)), this.#closed.signal);
      return this.#clock.nowMs();
    }
  }

  async #waitUntil(at: number): Promise<void> {
    const ms = at - this.#clock.nowMs();
    if (ms > 0 && ms < Number.POSITIVE_INFINITY && !this.#woken) {
      await this.#clock.sleep(ms, this.#nap.signal);
    }
  }
}
