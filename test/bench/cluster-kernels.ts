// What the kernels of a cluster's routers hold of the benchmark's prefixes, and when it came to hold it. In: the
// kernels' own messages. Out: the moment at which the last of them held what was wanted. Routes of others pass
// by; nothing is polled.

import { FibMonitor, type FibEvent, type Router } from '@herald/lab';

import type { BenchPool } from './cluster-objects.ts';

/** So many prefixes of a pool, each with exactly these next hops; none: all are gone. */
export interface Wanted {
  readonly pool: BenchPool;
  readonly count: number;
  readonly hops: readonly string[];
}

const RANGE = '198.18.';
const ARRIVAL_MS = 180_000;

class Kernel {
  readonly name: string;
  readonly monitor: FibMonitor;
  /** Prefix -> next hops, sorted, as one text. */
  readonly routes = new Map<string, string>();
  changedAtMs = 0;

  constructor(name: string, monitor: FibMonitor) {
    this.name = name;
    this.monitor = monitor;
  }

  take({ kind, timeMs, route }: FibEvent): void {
    this.changedAtMs = timeMs;
    if (kind === 'removed') {
      this.routes.delete(route.prefix);
    } else {
      this.routes.set(route.prefix, textOf(route.nextHops.map(({ address }) => address)));
    }
  }

  satisfies({ pool, count, hops }: Wanted): boolean {
    if (this.routes.size < count) {
      return false;
    }
    const wanted = textOf(hops);
    const held = [...this.routes].filter(([prefix]) => pool.holds(prefix));
    return held.length === count && held.every(([, text]) => text === wanted);
  }

  describe({ pool }: Wanted): string {
    const held = [...this.routes].filter(([prefix]) => pool.holds(prefix));
    const counts = Map.groupBy(held, ([, text]) => text);
    return `${this.name}: ${Array.from(counts, ([text, all]) => `${all.length} with [${text}]`).join(', ')}`;
  }
}

export class RouterKernels {
  readonly #kernels: readonly Kernel[];

  private constructor(kernels: readonly Kernel[]) {
    this.#kernels = kernels;
  }

  /** To be started while none of the benchmark's prefixes is announced. */
  static async start(routers: readonly Router[]): Promise<RouterKernels> {
    const kernels = await Promise.all(
      routers.map(async ({ name, namespace }) => {
        const monitor = await FibMonitor.start(namespace);
        const kernel = new Kernel(name, monitor);
        monitor.onEvent((event) => event.route.prefix.startsWith(RANGE) && kernel.take(event));
        return kernel;
      }),
    );
    return new RouterKernels(kernels);
  }

  /** When the last kernel came to hold it, in milliseconds since the epoch; they all hold it at the same time. */
  until(wanted: Wanted): Promise<number> {
    const forget: (() => void)[] = [];
    const arrived = new Promise<number>((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(this.#missing(wanted))), ARRIVAL_MS);
      const look = (): void => {
        if (this.#kernels.every((kernel) => kernel.satisfies(wanted))) {
          resolve(Math.max(...this.#kernels.map(({ changedAtMs }) => changedAtMs)));
        }
      };
      forget.push(() => clearTimeout(timer), ...this.#kernels.map(({ monitor }) => monitor.onEvent(look)));
      look();
    });
    const told = arrived.finally(() => forget.forEach((one) => one()));
    // It may be late while the caller is still asking the API server for something.
    told.catch(() => undefined);
    return told;
  }

  /** What the kernels said since then of the benchmark's prefixes, in words. */
  changesSince(sinceMs: number): readonly string[] {
    return this.#kernels.flatMap(({ name, monitor }) =>
      monitor.events
        .filter(({ timeMs, route }) => timeMs >= sinceMs && route.prefix.startsWith(RANGE))
        .map(({ kind, timeMs, route }) => `${name} ${kind} ${route.nextHops.length} ${clock(timeMs)}`),
    );
  }

  /** The addresses of a pool that the first kernel holds. */
  addresses(pool: BenchPool): readonly string[] {
    const prefixes = [...(this.#kernels[0]?.routes.keys() ?? [])];
    return prefixes.filter((prefix) => pool.holds(prefix)).map((prefix) => prefix.replace(/\/32$/, ''));
  }

  async stop(): Promise<void> {
    await Promise.all(this.#kernels.map(({ monitor }) => monitor.stop()));
  }

  #missing(wanted: Wanted): string {
    const { pool, count, hops } = wanted;
    const seen = this.#kernels.map((kernel) => kernel.describe(wanted)).join('; ');
    return `${count} prefixes of ${pool.name} with [${textOf(hops)}] did not come; there were ${seen}`;
  }
}

function textOf(hops: readonly string[]): string {
  return [...hops].sort().join(' ');
}

function clock(timeMs: number): string {
  return new Date(timeMs).toISOString().slice(11, 23);
}
