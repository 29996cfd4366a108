// How many writes may be made: so many at once, then one each interval. Pure: the caller brings the time.

export class Budget {
  readonly #burst: number;
  readonly #intervalMs: number;
  #left: number;
  #countedAtMs = Number.NEGATIVE_INFINITY;

  constructor(burst: number, intervalMs: number) {
    this.#burst = burst;
    this.#intervalMs = intervalMs;
    this.#left = burst;
  }

  /** When the next write may be made: `nowMs` or later. */
  nextAt(nowMs: number): number {
    this.#refill(nowMs);
    return this.#left >= 1 ? nowMs : Math.ceil(nowMs + (1 - this.#left) * this.#intervalMs);
  }

  /** Call only when `nextAt` is now. */
  spend(nowMs: number): void {
    this.#refill(nowMs);
    this.#left -= 1;
  }

  #refill(nowMs: number): void {
    const gained = Math.max(0, nowMs - this.#countedAtMs) / this.#intervalMs;
    this.#left = Math.min(this.#burst, this.#left + gained);
    this.#countedAtMs = nowMs;
  }
}
