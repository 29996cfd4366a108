// Says that something changed, never what: listeners look at the whole state again. No payload means that
// bursts can be collapsed by whoever listens and that nothing can be missed or be seen in the wrong order.
//
// A listener that throws is the listener's fault, but must not keep the others from being told.

export type Unsubscribe = () => void;

export class ChangeSignal {
  readonly #listeners = new Set<() => void>();

  subscribe(listener: () => void): Unsubscribe {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  raise(): void {
    for (const listener of this.#listeners) {
      callSafely(listener);
    }
  }
}

function callSafely(listener: () => void): void {
  try {
    listener();
  } catch (error) {
    // Reported on the next turn as an uncaught error of the listener, after everyone else was told.
    queueMicrotask(() => {
      throw error;
    });
  }
}
