// Changes of EndpointSlices and when the router's wire has them: one endpoint of a Service moves to another node, from
// the request to the API server until the UPDATE with its prefix is at the router. One after the other, or so many a
// second. In: which Services. Out: a latency for each change; a change that never showed is an error.

import { setTimeout as sleep } from 'node:timers/promises';

import { nowMs } from './cluster-api.ts';
import type { ClusterApi } from './cluster-api.ts';
import type { RouterWire } from './router-wire.ts';
import { SHIFTS, SIZE, sliceObject, slicePath } from './scale-world.ts';

interface Change {
  readonly sentMs: number;
  readonly seen: (latencyMs: number) => void;
}

const SHOWN_MS = 30_000;
/** Gaps between single changes: not in step with any timer of bgpd or Herald. */
const GAP_MS = { least: 20, spread: 97 };

export class ScaleChanges {
  readonly #api: ClusterApi;
  /** Of each Service, by index. */
  readonly #addresses: readonly string[];
  readonly #pending = new Map<string, Change>();
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

  async oneByOne(count: number): Promise<readonly number[]> {
    const latencies: number[] = [];
    for (let change = 0; change < count; change++) {
      await sleep(GAP_MS.least + ((change * 41) % GAP_MS.spread));
      latencies.push(await this.#change());
    }
    return latencies;
  }

  async atRate(perSecond: number, durationMs: number): Promise<readonly number[]> {
    const startedMs = nowMs();
    const under: Promise<number>[] = [];
    for (let elapsed = 0; elapsed < durationMs; elapsed = nowMs() - startedMs) {
      for (let due = Math.floor((elapsed / 1000) * perSecond); under.length < due;) {
        under.push(this.#change());
      }
      await sleep(5);
    }
    return await Promise.all(under);
  }

  async #change(): Promise<number> {
    const number = this.#changes++;
    const index = (number * 37) % SIZE.services;
    const prefix = `${this.#addresses[index]}/32`;
    const shown = new Promise<number>((resolve, reject) => {
      const timer = setTimeout(
        () => reject(new Error(`change ${number}: no UPDATE for ${prefix}`)),
        SHOWN_MS,
      );
      const seen = (latencyMs: number): void => {
        clearTimeout(timer);
        resolve(latencyMs);
      };
      this.#pending.set(prefix, { sentMs: nowMs(), seen });
    });
    const shift = 1 + (Math.floor(number / SIZE.services) % SHIFTS);
    const { endpoints } = sliceObject(index, shift);
    await Promise.all([this.#api.change(slicePath(index), { endpoints }), shown]);
    return shown;
  }

  #see(prefix: string, timeMs: number): void {
    const change = this.#pending.get(prefix);
    if (change !== undefined) {
      this.#pending.delete(prefix);
      change.seen(timeMs - change.sentMs);
    }
  }
}
