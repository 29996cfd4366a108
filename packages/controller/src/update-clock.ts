// Measures from the first change that a tick took in to the moment when everything that the tick decided
// has left for bgpd. Changes that arrive meanwhile belong to the next tick. Seconds out.

export class UpdateClock {
  readonly #observe: (seconds: number) => void;
  #happenedMs: number | undefined;
  #takenMs: number | undefined;

  constructor(observe: (seconds: number) => void) {
    this.#observe = observe;
  }

  happened(): void {
    this.#happenedMs ??= performance.now();
  }

  /** A tick begins: what has happened so far is what it will send. */
  taken(): void {
    this.#takenMs ??= this.#happenedMs;
    this.#happenedMs = undefined;
  }

  sent(): void {
    if (this.#takenMs !== undefined) {
      this.#observe((performance.now() - this.#takenMs) / 1000);
      this.#takenMs = undefined;
    }
  }
}
