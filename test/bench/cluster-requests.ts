// Requests of a client behind the FRR router to whatever the routers hold of a pool, at the rate of the figures,
// each on a new connection, none retried. Streams can be started and stopped; the sums are of all of them.

import { notYet, waitFor, type RequestClient } from '@herald/lab';

import type { RouterKernels } from './cluster-kernels.ts';
import type { BenchPool } from './cluster-objects.ts';

export const RATE = Number(process.env['BENCH_RATE'] ?? 1000);

const ANSWERED_MS = 60_000;

interface Totals {
  readonly sent: number;
  readonly lost: number;
  readonly lostByCause: Readonly<Record<string, number>>;
}

const NONE: Totals = { sent: 0, lost: 0, lostByCause: {} };

export interface Clients {
  /** Its requests are counted. */
  readonly client: RequestClient;
  /**
   * Looks whether requests are answered yet. A packet that comes to a node before kube-proxy has written its rules makes
   * a connection without translation there, and whoever uses that source port again within two minutes is lost.
   */
  readonly scout: RequestClient;
}

export class Requests {
  readonly #client: RequestClient;
  readonly #scout: RequestClient;
  readonly #kernels: RouterKernels;
  totals: Totals = NONE;

  constructor({ client, scout }: Clients, kernels: RouterKernels) {
    this.#client = client;
    this.#scout = scout;
    this.#kernels = kernels;
  }

  /** Every node forwards: a prefix is announced as soon as it is known, and kube-proxy writes its rules once a second. */
  async answered(pool: BenchPool): Promise<void> {
    const targets = this.#kernels.addresses(pool);
    await waitFor(
      'every request is answered',
      async () => {
        const { lost } = await this.#scout.send({ targets, count: 200, ratePerSecond: 100 });
        return lost === 0 || notYet(lost);
      },
      ANSWERED_MS,
    );
  }

  async start(pool: BenchPool): Promise<void> {
    await this.#client.start({ targets: this.#kernels.addresses(pool), ratePerSecond: RATE });
  }

  /** Requests that are under way are answered or lost before this resolves; how many of this stream were lost. */
  async stop(): Promise<number> {
    const { sent, lost, lostByCause } = await this.#client.stop();
    const causes = { ...this.totals.lostByCause };
    for (const [cause, count] of Object.entries(lostByCause)) {
      causes[cause] = (causes[cause] ?? 0) + count;
    }
    this.totals = { sent: this.totals.sent + sent, lost: this.totals.lost + lost, lostByCause: causes };
    return lost;
  }

  /** The sums, which begin anew. */
  take(): Totals {
    const { totals } = this;
    this.totals = NONE;
    return totals;
  }
}
