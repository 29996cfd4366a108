// How long to wait before the next attempt: doubling, bounded, with jitter so that replicas and collections
// that lost the same server do not come back in step. Randomness comes from the caller.

/** The part of a pause that is certain; the rest is up to chance. */
const CERTAIN = 0.5;

export interface Pauses {
  readonly longestPauseMs: number;
  readonly shortestPauseMs: number;
  /** The failures before were of another kind. */
  readonly startsAnew: boolean;
}

export class Backoff {
  readonly #firstMs: number;
  readonly #random: () => number;
  #attempts = 0;

  constructor(firstMs: number, random: () => number) {
    this.#firstMs = firstMs;
    this.#random = random;
  }

  /** Failures in a row. */
  get attempts(): number {
    return this.#attempts;
  }

  /** The pause before the next attempt, in milliseconds. */
  next(longestMs: number): number {
    const whole = Math.min(longestMs, this.#firstMs * 2 ** this.#attempts);
    this.#attempts++;
    return whole * (CERTAIN + (1 - CERTAIN) * this.#random());
  }

  /** The pause after a failure that was judged. */
  after({ longestPauseMs, shortestPauseMs, startsAnew }: Pauses): number {
    this.#attempts = startsAnew ? 0 : this.#attempts;
    return Math.max(this.next(longestPauseMs), shortestPauseMs);
  }

  reset(): void {
    this.#attempts = 0;
  }
}
