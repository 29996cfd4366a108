// Hears what a router's kernel does with the prefixes of Services, message by message, and holds it against what is
// true (route-claims.ts).

import { FibMonitor, type FibEvent, type Router } from '@herald/lab';

import { RouteClaims, type Violation } from './route-claims.ts';
import type { Truth } from './truth.ts';

const LOOK_MS = 200;

export class RouterWatch {
  readonly #truth: Truth;
  readonly #nameOf: (address: string) => string;
  readonly #monitor: FibMonitor;
  readonly #claims: RouteClaims;
  #timer: NodeJS.Timeout | undefined;
  #events = 0;

  private constructor(truth: Truth, nameOf: (address: string) => string, monitor: FibMonitor) {
    this.#truth = truth;
    this.#nameOf = nameOf;
    this.#monitor = monitor;
    this.#claims = new RouteClaims(truth);
    monitor.onEvent((event) => this.#hear(event));
  }

  /** `nameOf`: of the node with an address. */
  static async start(
    router: Router,
    truth: Truth,
    nameOf: (address: string) => string,
  ): Promise<RouterWatch> {
    const watch = new RouterWatch(truth, nameOf, await FibMonitor.start(router.namespace));
    for (const prefix of truth.prefixes) {
      watch.#take(prefix, await router.kernelNextHops(prefix), Date.now());
    }
    watch.#timer = setInterval(() => watch.#claims.look(Date.now()), LOOK_MS);
    return watch;
  }

  get violations(): readonly Violation[] {
    return this.#claims.violations;
  }

  /** Messages about prefixes of Services. */
  get events(): number {
    return this.#events;
  }

  differences(): readonly string[] {
    return this.#claims.differences();
  }

  async stop(): Promise<void> {
    await this.#monitor.caughtUp();
    clearInterval(this.#timer);
    this.#claims.look(Date.now());
    await this.#monitor.stop();
  }

  #hear({ kind, timeMs, route }: FibEvent): void {
    if (this.#truth.prefixes.includes(route.prefix)) {
      this.#events += 1;
      const hops = kind === 'removed' ? [] : route.nextHops.map(({ address }) => address);
      this.#take(route.prefix, hops, timeMs);
    }
  }

  #take(prefix: string, hops: readonly string[], atMs: number): void {
    this.#claims.take(
      prefix,
      hops.map((hop) => this.#nameOf(hop)),
      atMs,
    );
  }
}
