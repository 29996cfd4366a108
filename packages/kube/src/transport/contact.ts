// When the API server last answered anything at all, and that it does again after it did not for too long.
//
// An answer on one connection says nothing about the others: what a watch should have brought while packets
// were lost is sent again after a pause that doubled all the while, so for as long again the watch is open and
// mute. Whoever was heard of again must therefore not believe a watch from before.

import { ChangeSignal, type Unsubscribe } from '../stores/change-signal.ts';

export class Contact {
  readonly #lostMs: number;
  readonly #regained = new ChangeSignal();
  #answeredAtMs = 0;

  /** Without an answer for `lostMs` milliseconds contact counts as lost. */
  constructor(lostMs: number) {
    this.#lostMs = lostMs;
  }

  /** In milliseconds since the epoch; 0 before the first answer. */
  get answeredAtMs(): number {
    return this.#answeredAtMs;
  }

  answered(nowMs = Date.now()): void {
    const silentMs = this.#answeredAtMs === 0 ? 0 : nowMs - this.#answeredAtMs;
    this.#answeredAtMs = nowMs;
    if (silentMs >= this.#lostMs) {
      this.#regained.raise();
    }
  }

  /** Tells of the first answer after contact was lost. */
  onRegained(listener: () => void): Unsubscribe {
    return this.#regained.subscribe(listener);
  }
}
