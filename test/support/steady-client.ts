// A stream of requests from behind a router while something happens, counted and told. In: targets, a rate, what
// happens. Out: how many were sent and lost in that time. "Lost" is no complete answer within a second, on a new
// connection, without a retry.
//
// A count means something only beside a control without any fault that loses nothing, and that has as much to do. A
// machine that is busy with other things cannot give the highest rate, so the control chooses the highest of some
// that it can.

import type { RequestClient, RequestTotals } from '@herald/lab';

export interface Counted {
  readonly what: string;
  readonly sent: number;
  readonly lost: number;
  readonly lostByCause: Readonly<Record<string, number>>;
  readonly lostByAddress: Readonly<Record<string, number>>;
  readonly longestStallMs: number;
  readonly p99Ms: number;
}

/** Of a machine that has room: one at its edge loses requests to whatever else it has to do. */
const UNHURRIED_MS = 250;
const CONTROL_SECONDS = 10;
/** Of lost requests, that are told. */
const MOST_TIMES = 20;
/** Before and after what happens, so that its first and last moment are seen. */
const MARGIN_MS = 1_500;

export class SteadyClient {
  readonly #client: RequestClient;
  readonly #targets: readonly string[];
  readonly #rows: Counted[] = [];
  #ratePerSecond = 0;

  private constructor(client: RequestClient, targets: readonly string[]) {
    this.#client = client;
    this.#targets = targets;
  }

  /** Finds the highest of the rates at which a control beside `load` is answered in time; throws where there is none. */
  static async start(
    client: RequestClient,
    targets: readonly string[],
    rates: readonly number[],
    load: () => Promise<unknown> = () => pause(CONTROL_SECONDS * 1000),
  ): Promise<SteadyClient> {
    const steady = new SteadyClient(client, targets);
    for (const ratePerSecond of rates) {
      steady.#ratePerSecond = ratePerSecond;
      const { lost, p99Ms } = await steady.during(`control at ${ratePerSecond}/s`, load);
      if (lost === 0 && p99Ms <= UNHURRIED_MS) {
        return steady;
      }
    }
    throw new Error(`the control is not answered in time at any rate: ${JSON.stringify(steady.#rows)}`);
  }

  get ratePerSecond(): number {
    return this.#ratePerSecond;
  }

  get rows(): readonly Counted[] {
    return this.#rows;
  }

  async during(what: string, act: () => Promise<unknown>): Promise<Counted> {
    await this.#client.start({ targets: this.#targets, ratePerSecond: this.#ratePerSecond });
    try {
      await pause(MARGIN_MS);
      await act();
      await pause(MARGIN_MS);
    } catch (error) {
      this.#tell(`${what} (failed)`, await this.#client.stop());
      throw error;
    }
    return this.#tell(what, await this.#client.stop());
  }

  #tell(what: string, totals: RequestTotals): Counted {
    const { sent, lost, lostByCause, lostByAddress, lostAtMs } = totals;
    const longestStallMs = Math.round(totals.longestStallMs);
    const p99Ms = Math.round(totals.latencyMs.p99);
    const row = { what, sent, lost, lostByCause, lostByAddress, longestStallMs, p99Ms };
    this.#rows.push(row);
    const causes =
      lost === 0
        ? ''
        : ` ${JSON.stringify({ lostByCause, lostByAddress, lostAt: lostAtMs.slice(0, MOST_TIMES).map(clock) })}`;
    const latency = `p99 ${p99Ms} ms, own stall ${longestStallMs} ms`;
    process.stderr.write(`${what}: ${sent} sent, ${lost} lost${causes}, ${latency}\n`);
    return row;
  }
}

/** As logs have it. */
function clock(epochMs: number): string {
  return new Date(epochMs).toISOString().slice(11, -1);
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}
