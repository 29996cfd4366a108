// How many next hops a router's kernel had for each of the benchmark's prefixes, at every moment: the kernel's own
// messages in, of a span of time the number of messages, the fewest next hops and how long a prefix had less than all
// of them out. What the kernel could not tell in time is counted, so that silence is not taken for quiet.

import { FibMonitor, notYet, waitFor, type FibEvent, type Router } from '@herald/lab';

export interface Thinned {
  readonly events: number;
  /** Of any prefix at any moment; all, if nothing was said. */
  readonly fewest: number;
  /** Prefixes that had less than all of their next hops at some moment. */
  readonly prefixes: number;
  /** The longest that one of them had. */
  readonly longestMs: number;
}

const RANGE = '198.18.';
const QUIET_MS = 3000;
const ARRIVAL_MS = 600_000;

export class ThinnedPrefixes {
  readonly #router: Router;
  readonly #monitor: FibMonitor;
  readonly #all: number;
  #events = 0;
  #lastMs = 0;
  #fewest: number;
  #longestMs = 0;
  readonly #since = new Map<string, number>();
  readonly #thinned = new Set<string>();

  private constructor(router: Router, monitor: FibMonitor, all: number) {
    this.#router = router;
    this.#monitor = monitor;
    this.#all = all;
    this.#fewest = all;
    monitor.onEvent((event) => this.#take(event));
  }

  /** `all`: the next hops that each prefix has when nothing happens. */
  static async start(router: Router, all: number): Promise<ThinnedPrefixes> {
    return new ThinnedPrefixes(router, await FibMonitor.start(router.namespace), all);
  }

  /** The kernel holds so many prefixes, each with all of its next hops. */
  async complete(prefixes: number): Promise<void> {
    await waitFor(
      `the kernel has ${prefixes} prefixes`,
      async () => {
        const fib = await this.#router.kernelFib(4);
        const whole = [...fib].filter(
          ([prefix, hops]) => prefix.startsWith(RANGE) && hops.length === this.#all,
        );
        return whole.length === prefixes || notYet(whole.length);
      },
      ARRIVAL_MS,
    );
  }

  /** What happened while `act` ran and until the kernel was quiet and complete again. */
  async during(prefixes: number, act: () => Promise<void>): Promise<Thinned> {
    await this.#monitor.caughtUp();
    this.#forget();
    await act();
    await this.complete(prefixes);
    await this.#quiet();
    return {
      events: this.#events,
      fewest: this.#fewest,
      prefixes: this.#thinned.size,
      longestMs: this.#longestMs,
    };
  }

  /** Messages that did not fit into the socket of the monitor. */
  get overruns(): number {
    return this.#monitor.overruns;
  }

  async stop(): Promise<void> {
    await this.#monitor.stop();
  }

  async #quiet(): Promise<void> {
    await waitFor(
      'the kernel is quiet',
      async () => {
        await this.#monitor.caughtUp();
        return Date.now() - this.#lastMs > QUIET_MS;
      },
      ARRIVAL_MS,
    );
  }

  #forget(): void {
    this.#events = 0;
    this.#fewest = this.#all;
    this.#longestMs = 0;
    this.#lastMs = Date.now();
    this.#since.clear();
    this.#thinned.clear();
  }

  #take({ kind, timeMs, route: { prefix, nextHops } }: FibEvent): void {
    this.#monitor.clear(); // millions would be kept
    if (!prefix.startsWith(RANGE)) {
      return;
    }
    const count = kind === 'removed' ? 0 : nextHops.length;
    this.#events += 1;
    this.#lastMs = Date.now();
    this.#fewest = Math.min(this.#fewest, count);
    const sinceMs = this.#since.get(prefix);
    if (count >= this.#all) {
      this.#longestMs = Math.max(this.#longestMs, timeMs - (sinceMs ?? timeMs));
      this.#since.delete(prefix);
    } else if (sinceMs === undefined) {
      this.#since.set(prefix, timeMs);
      this.#thinned.add(prefix);
    }
  }
}
