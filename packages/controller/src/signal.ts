// A coalescing signal: many reasons to act become one run. It carries no payload, because a run reads the
// whole state anyway. An idle signal runs at once (leading edge); while a run is under way or has just
// ended, further raises collapse into one run after the gap. Runs never overlap.

/** Shortest time from the end of one run to the start of the next, in milliseconds. */
const DEFAULT_GAP_MS = 10;

/** `due`: a run is about to begin, and will see whatever is raised until then. */
type State = 'idle' | 'due' | 'running' | 'running-again' | 'waiting' | 'stopped';

export class Signal {
  #state: State = 'idle';
  #timer: NodeJS.Timeout | undefined;
  readonly #run: () => Promise<void> | void;
  readonly #gapMs: number;

  constructor(run: () => Promise<void> | void, gapMs: number = DEFAULT_GAP_MS) {
    this.#run = run;
    this.#gapMs = gapMs;
  }

  raise(): void {
    if (this.#state === 'idle') {
      this.#start();
    } else if (this.#state === 'running') {
      this.#state = 'running-again';
    } else if (this.#state === 'waiting') {
      this.#pending = true;
    }
  }

  stop(): void {
    this.#state = 'stopped';
    clearTimeout(this.#timer);
  }

  #pending = false;

  #start(): void {
    this.#state = 'due';
    setImmediate(() => void this.#runOnce());
  }

  async #runOnce(): Promise<void> {
    if (this.#state === 'stopped') {
      return;
    }
    this.#state = 'running';
    try {
      await this.#run();
    } finally {
      this.#rest();
    }
  }

  /** The gap after a run, in which raises are only noted. */
  #rest(): void {
    if (this.#state === 'stopped') {
      return;
    }
    this.#pending = this.#state === 'running-again';
    this.#state = 'waiting';
    this.#timer = setTimeout(() => this.#afterGap(), this.#gapMs);
  }

  #afterGap(): void {
    this.#state = 'idle';
    if (this.#pending) {
      this.#pending = false;
      this.#start();
    }
  }
}
