/**
 * The client behind a router: real HTTP requests from a namespace of its own, counted.
 *
 * In: addresses, a rate, a count. Out: totals with answers per worker and losses with their times. Each request is a
 * new connection with a deadline of one second and no retry; the counting is done in one process there.
 */
import { fileURLToPath } from 'node:url';
import { Conversation } from './conversation.ts';
import type { Namespace } from './namespace.ts';
import type { Target, Totals } from './processes/requester.ts';

export type { Target, Totals as RequestTotals } from './processes/requester.ts';

export interface RequestOptions {
  /** Addresses are asked on port 80. Taken in turn. */
  readonly targets: readonly (string | Target)[];
  readonly ratePerSecond?: number;
  readonly deadlineMs?: number;
}

export interface CountedRequestOptions extends RequestOptions {
  readonly count: number;
}

const REQUESTER = fileURLToPath(new URL('./processes/requester.ts', import.meta.url));
const PRIORITY = -12;
const DEFAULT_RATE = 200;
const DEADLINE_MS = 1_000;

export class RequestClient {
  readonly namespace: Namespace;
  readonly #conversation: Conversation;

  constructor(namespace: Namespace) {
    this.namespace = namespace;
    const program = namespace.start('requester', [process.execPath, REQUESTER], { priority: PRIORITY });
    this.#conversation = new Conversation(program);
  }

  /** Begins a stream of requests that lasts until `stop`; one at a time. */
  start(options: RequestOptions): Promise<void> {
    return this.#begin(options, null);
  }

  /** What was counted so far, while it goes on. */
  totals(): Promise<Totals> {
    return this.#conversation.ask<Totals>({ kind: 'totals' });
  }

  /** Sends no more, waits for the answers that are out, and gives the sums. */
  stop(): Promise<Totals> {
    return this.#conversation.ask<Totals>({ kind: 'stop' });
  }

  /** Sends exactly `count` requests and gives the sums. */
  async send(options: CountedRequestOptions): Promise<Totals> {
    await this.#begin(options, options.count);
    const seconds = options.count / (options.ratePerSecond ?? DEFAULT_RATE);
    for (;;) {
      const totals = await this.totals();
      if (totals.sent >= options.count) return this.stop();
      await pause(Math.min(seconds * 1_000, 50));
    }
  }

  #begin(options: RequestOptions, count: number | null): Promise<void> {
    return this.#conversation.ask({
      kind: 'start',
      targets: options.targets.map(asTarget),
      ratePerSecond: options.ratePerSecond ?? DEFAULT_RATE,
      deadlineMs: options.deadlineMs ?? DEADLINE_MS,
      count,
    });
  }
}

function asTarget(target: string | Target): Target {
  return typeof target === 'string' ? { address: target, port: 80 } : target;
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}
