// What the kernels of both routers do about some prefixes while something fails, heard as it happens.

import { FibMonitor, type Cluster, type FibEvent } from '@herald/lab';

import type { RouterName } from '../support/shared-cluster.ts';
import type { Outcome } from './failure-row.ts';

export const ROUTERS = ['frr', 'bird'] as const;
const ARRIVED_MS = 120_000;
const MOST_TOLD = 8;

type Told = Pick<
  Outcome,
  'fibChanges' | 'firstFibChanges' | 'otherFibChanges' | 'fewestNextHops' | 'otherFewestNextHops'
>;

export class KernelWatch {
  readonly #monitors: readonly FibMonitor[];
  readonly #startedMs = Date.now();

  private constructor(monitors: readonly FibMonitor[]) {
    this.#monitors = monitors;
  }

  static async start(cluster: Cluster<RouterName>): Promise<KernelWatch> {
    const started = ROUTERS.map((name) => FibMonitor.start(cluster.router(name).namespace));
    return new KernelWatch(await Promise.all(started));
  }

  async stop(): Promise<void> {
    await Promise.all(this.#monitors.map((monitor) => monitor.stop()));
  }

  /** When the later kernel came to have exactly these next hops, in milliseconds of the epoch; none: no route. */
  async until(prefix: string, hops: readonly string[]): Promise<number> {
    return Math.max(...(await Promise.all(this.#monitors.map((monitor) => heard(monitor, prefix, hops)))));
  }

  /** `before`: next hops of each prefix at the start. */
  async told(prefixes: readonly string[], before: number): Promise<Told> {
    await Promise.all(this.#monitors.map((monitor) => monitor.caughtUp()));
    const [frr = [], bird = []] = this.#monitors.map((monitor) =>
      prefixes.flatMap((prefix) => monitor.eventsFor(prefix)),
    );
    const four = frr.filter(isIpv4);
    const others = [...frr.filter((event) => !isIpv4(event)), ...bird];
    return {
      fibChanges: four.length,
      firstFibChanges: four.slice(0, MOST_TOLD).map((event) => changeLine(event, this.#startedMs)),
      otherFibChanges: others.length,
      fewestNextHops: Math.min(before, ...four.map(hopCount)),
      otherFewestNextHops: Math.min(before, ...others.map(hopCount)),
    };
  }
}

function isIpv4({ route }: FibEvent): boolean {
  return !route.prefix.includes(':');
}

function changeLine({ kind, timeMs, route }: FibEvent, startedMs: number): string {
  const hops = hopsAfter({ kind, route }).join(' ');
  return `after ${((timeMs - startedMs) / 1000).toFixed(2)} s ${route.prefix} via [${hops}]`;
}

function hopCount(event: FibEvent): number {
  return hopsAfter(event).length;
}

/** Addresses of the next hops that the kernel has of the prefix from then on. */
export function hopsAfter({ kind, route }: Pick<FibEvent, 'kind' | 'route'>): readonly string[] {
  return kind === 'removed' ? [] : route.nextHops.map(({ address }) => address);
}

function heard(monitor: FibMonitor, prefix: string, hops: readonly string[]): Promise<number> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      forget();
      reject(new Error(`${prefix} did not come to have [${hops.join()}] in ${ARRIVED_MS} ms`));
    }, ARRIVED_MS);
    const forget = monitor.onEvent((event) => {
      if (event.route.prefix === prefix && hopsAfter(event).toSorted().join() === hops.join()) {
        clearTimeout(timer);
        forget();
        resolve(event.timeMs);
      }
    });
  });
}
