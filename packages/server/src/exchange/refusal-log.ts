// Says whom the exchange refused and why: each address and reason at once, then at most once a minute with how often,
// so that a flood of questions is no flood of lines. Says nothing of what was sent.

import type { FastifyBaseLogger } from 'fastify';
import type { Refusal } from './seal.ts';

const AGAIN_MS = 60_000;
/** More of them begin anew: the oldest are said again. */
const REMEMBERED = 256;

export class RefusalLog {
  readonly #logger: FastifyBaseLogger | undefined;
  readonly #said = new Map<string, { readonly atMs: number; since: number }>();

  constructor(logger: FastifyBaseLogger | undefined) {
    this.#logger = logger;
  }

  add(from: string, reason: Refusal, nowMs: number): void {
    const key = `${from} ${reason}`;
    const said = this.#said.get(key);
    if (said !== undefined && nowMs - said.atMs < AGAIN_MS) {
      said.since += 1;
      return;
    }
    if (this.#said.size >= REMEMBERED) {
      this.#said.clear();
    }
    this.#said.set(key, { atMs: nowMs, since: 0 });
    const facts = { event: 'exchange-refused', from, reason, unsaid: said?.since ?? 0 };
    this.#logger?.warn(facts, 'a question to this replica was refused');
  }
}
