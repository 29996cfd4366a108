// Measures from the first change that a tick took in to the moment when everything that the tick decided
// has left for bgpd. Changes that arrive meanwhile belong to the next tick. While a part of it is held back, what else
// leaves does not count. Seconds out.

export class UpdateClock {
  readonly #observe: (seconds: number) => void;
  #happenedMs: number | undefined;
  #takenMs: number | undefined;
  #isHeld = false;

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

  /** A part of what was decided waits and has not been given to any feed. */
  held(): void {
    this.#isHeld = true;
  }

  /** Every feed has been given what is for it. */
  given(): void {
    this.#isHeld = false;
  }

  sent(): void {
    if (!this.#isHeld && this.#takenMs !== undefined) {
      this.#observe((performance.now() - this.#takenMs) / 1000);
      this.#takenMs = undefined;
    }
  }
}
