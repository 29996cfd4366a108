// Changes of EndpointSlices and when the router's wire has them: one endpoint of a Service moves to another node, until
// the UPDATE with its prefix is at the router; from the request to the API server, and from its answer, which is when
// watches tell it. One after the other, or so many a second. A change that never showed is an error.

import { setTimeout as sleep } from 'node:timers/promises';

import type { ClusterApi } from '../support/cluster-api.ts';
import type { RouterWire } from './router-wire.ts';
import { SHIFTS, SIZE, sliceObject, slicePath } from './scale-world.ts';
import { wallClockMs } from './wall-clock.ts';

export interface Latency {
  readonly fromRequestMs: number;
  readonly fromAnswerMs: number;
}

/** Told when the UPDATE was on the wire. */
type Seen = (timeMs: number) => void;

const SHOWN_MS = 30_000;
/** Gaps between single changes: not in step with any timer of bgpd or Herald. */
const GAP_MS = { least: 20, spread: 97 };

export class ScaleChanges {
  readonly #api: ClusterApi;
  /** Of each Service, by index. */
  readonly #addresses: readonly string[];
  readonly #pending = new Map<string, Seen>();
  #changes = 0;

  constructor(api: ClusterApi, wire: RouterWire, herald: string, addresses: readonly string[]) {
    this.#api = api;
    this.#addresses = addresses;
    // Hears everything and is never satisfied.
    void wire.next(({ source, message, timeMs }) => {
      if (source === herald) {
        message.announced.forEach(({ prefix }) => this.#see(prefix.text, timeMs));
      }
      return false;
    });
  }

  async oneByOne(count: number): Promise<readonly Latency[]> {
    const latencies: Latency[] = [];
    for (let change = 0; change < count; change++) {
      await sleep(GAP_MS.least + ((change * 41) % GAP_MS.spread));
      latencies.push(await this.#change());
    }
    return latencies;
  }

  async atRate(perSecond: number, durationMs: number): Promise<readonly Latency[]> {
    const startedMs = performance.now();
    const under: Promise<Latency>[] = [];
    for (let elapsed = 0; elapsed < durationMs; elapsed = performance.now() - startedMs) {
      for (let due = Math.floor((elapsed / 1000) * perSecond); under.length < due;) {
        under.push(this.#change());
      }
      await sleep(5);
    }
    return await Promise.all(under);
  }

  async #change(): Promise<Latency> {
    const number = this.#changes++;
    const index = (number * 37) % SIZE.services;
    const prefix = `${this.#addresses[index]}/32`;
    const shown = new Promise<number>((resolve, reject) => {
      const timer = setTimeout(
        () => reject(new Error(`change ${number}: no UPDATE for ${prefix}`)),
        SHOWN_MS,
      );
      this.#pending.set(prefix, (timeMs) => {
        clearTimeout(timer);
        resolve(timeMs);
      });
    });
    const shift = 1 + (Math.floor(number / SIZE.services) % SHIFTS);
    const { endpoints } = sliceObject(index, shift);
    const sentMs = wallClockMs();
    const answered = this.#api.change(slicePath(index), { endpoints }).then(wallClockMs);
    const [answeredMs, shownMs] = await Promise.all([answered, shown]);
    return { fromRequestMs: shownMs - sentMs, fromAnswerMs: shownMs - answeredMs };
  }

  #see(prefix: string, timeMs: number): void {
    this.#pending.get(prefix)?.(timeMs);
    this.#pending.delete(prefix);
  }
}
