// One signal for "the caller gave up" and "it took too long", which afterwards tells which of them it was.
// Must be cleared, so that neither a timer nor a listener on a long-lived signal is left behind.

export class TimeLimit {
  readonly #controller = new AbortController();
  readonly #outer: AbortSignal | undefined;
  #timer: NodeJS.Timeout | undefined;
  readonly #abort = (): void => this.#controller.abort();
  #expired = false;

  constructor(limitMs: number, outer: AbortSignal | undefined) {
    this.#outer = outer;
    this.restart(limitMs);
    outer?.addEventListener('abort', this.#abort);
    if (outer?.aborted === true) {
      this.#abort();
    }
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** undefined: whatever went wrong, it was not this limit. */
  get outcome(): 'timeout' | 'aborted' | undefined {
    if (this.#outer?.aborted === true) {
      return 'aborted';
    }
    return this.#expired ? 'timeout' : undefined;
  }

  /** Counts from now on. */
  restart(limitMs: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#expired = true;
      this.#controller.abort();
    }, limitMs);
  }

  /** There is no limit any more; the caller's signal still counts until `clear`. */
  stopClock(): void {
    clearTimeout(this.#timer);
  }

  clear(): void {
    clearTimeout(this.#timer);
    this.#outer?.removeEventListener('abort', this.#abort);
  }
}
