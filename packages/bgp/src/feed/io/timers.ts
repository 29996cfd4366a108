// The three timers of a session on the clock of this machine: start (again) and stop, expiry as a call.
//
// A process that was held up finds its hold timer expired and the peer's keepalives unread at the same moment.
// So expiry of the hold timer is told only after the sockets were read once more; what was read starts the
// timer again and the old expiry is forgotten.

import type { Timer } from '../../fsm/session.ts';

export class SessionTimers {
  readonly #onExpired: (timer: Timer) => void;
  readonly #running = new Map<Timer, NodeJS.Timeout>();

  constructor(onExpired: (timer: Timer) => void) {
    this.#onExpired = onExpired;
  }

  start(timer: Timer, milliseconds: number): void {
    clearTimeout(this.#running.get(timer));
    const handle = setTimeout(() => {
      setImmediate(() => {
        this.#expire(timer, handle);
      });
    }, milliseconds);
    this.#running.set(timer, handle);
  }

  stop(timer: Timer): void {
    clearTimeout(this.#running.get(timer));
    this.#running.delete(timer);
  }

  #expire(timer: Timer, handle: NodeJS.Timeout): void {
    if (this.#running.get(timer) === handle) {
      this.#running.delete(timer);
      this.#onExpired(timer);
    }
  }
}
