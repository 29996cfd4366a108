// What a router's kernel does with the prefixes of Services, message by message, held against what is true: every next
// hop is a node that serves or did until a moment ago, and no prefix that somebody serves is ever without one.

import { FibMonitor, type FibEvent, type Router } from '@herald/lab';

import type { Truth } from './truth.ts';

/** BIRD and zebra (IPv6) take a route out and put it back within a millisecond; a request does not notice. */
const BLINK_MS = 50;
const LOOK_MS = 200;

export interface Violation {
  readonly atMs: number;
  readonly text: string;
}

export class RouterWatch {
  readonly #truth: Truth;
  readonly #nameOf: (address: string) => string;
  readonly #monitor: FibMonitor;
  readonly #violations: Violation[] = [];
  /** Prefix -> names of the nodes that the kernel sends to. */
  readonly #kernel = new Map<string, readonly string[]>();
  /** Prefix that has to be there and is not -> since when. */
  readonly #missing = new Map<string, number>();
  /** Said once, until it is no longer so. */
  readonly #said = new Set<string>();
  #timer: NodeJS.Timeout | undefined;
  #events = 0;

  private constructor(truth: Truth, nameOf: (address: string) => string, monitor: FibMonitor) {
    this.#truth = truth;
    this.#nameOf = nameOf;
    this.#monitor = monitor;
    monitor.onEvent((event) => this.#hear(event));
  }

  /** `nameOf`: of the node with an address. Everything true has to be there already. */
  static async start(
    router: Router,
    truth: Truth,
    nameOf: (address: string) => string,
  ): Promise<RouterWatch> {
    const watch = new RouterWatch(truth, nameOf, await FibMonitor.start(router.namespace));
    for (const prefix of truth.prefixes) {
      watch.#take(prefix, await router.kernelNextHops(prefix), Date.now());
    }
    watch.#timer = setInterval(() => watch.#look(Date.now()), LOOK_MS);
    return watch;
  }

  get violations(): readonly Violation[] {
    return this.#violations;
  }

  /** Messages about prefixes of Services. */
  get events(): number {
    return this.#events;
  }

  /** Where the kernel is not as it should be by now; empty: everything is. */
  differences(): readonly string[] {
    return this.#truth.prefixes.flatMap((prefix) => {
      const [has, wants] = [this.#kernel.get(prefix) ?? [], this.#truth.nodes(prefix)];
      return has.toSorted().join() === wants.join()
        ? []
        : [`${prefix} via [${has.join(' ')}], not [${wants.join(' ')}]`];
    });
  }

  async stop(): Promise<void> {
    await this.#monitor.caughtUp();
    clearInterval(this.#timer);
    this.#look(Date.now());
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
    const nodes = hops.map((hop) => this.#nameOf(hop));
    this.#kernel.set(prefix, nodes);
    if (nodes.length === 0 && this.#truth.mustBeThere(prefix)) {
      this.#missing.set(prefix, this.#missing.get(prefix) ?? atMs);
    } else {
      this.#wasMissing(prefix, atMs);
      this.#missing.delete(prefix);
    }
    this.#mayBe(prefix, nodes, atMs);
  }

  #look(nowMs: number): void {
    for (const prefix of this.#truth.prefixes) {
      this.#mayBe(prefix, this.#kernel.get(prefix) ?? [], nowMs);
      if (this.#truth.mustBeThere(prefix)) {
        this.#wasMissing(prefix, nowMs);
      } else {
        this.#missing.delete(prefix);
      }
    }
  }

  #wasMissing(prefix: string, nowMs: number): void {
    const sinceMs = this.#missing.get(prefix);
    const ms = sinceMs === undefined ? 0 : Math.round(nowMs - sinceMs);
    this.#say(ms > BLINK_MS, `${prefix} is not there`, `${prefix} has had no next hop for ${ms} ms`, nowMs);
  }

  #mayBe(prefix: string, nodes: readonly string[], nowMs: number): void {
    for (const node of nodes) {
      const isWrong = !this.#truth.mayHave(prefix, node, nowMs);
      const text = `${prefix} leads to ${node}, which does not serve it`;
      this.#say(isWrong, `${prefix} ${node}`, text, nowMs);
    }
  }

  #say(isSo: boolean, subject: string, text: string, atMs: number): void {
    if (!isSo) {
      this.#said.delete(subject);
    } else if (!this.#said.has(subject)) {
      this.#said.add(subject);
      this.#violations.push({ atMs, text });
    }
  }
}
