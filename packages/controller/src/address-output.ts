// Allocations -> the writer, which keeps them and shows them in a later snapshot. Given all wanted writes
// every time; one batch runs at a time and always the newest. A batch that fails is said. Then nothing is written for a
// while, for as long as the API server asks for if it does, whatever changes meanwhile; after that another decision is
// asked for, which still wants it.

import type { Allocation, World } from '@herald/decision';
import { retryAfterMs, type AddressWrite, type AddressWriter } from '@herald/kube';

import type { Logger } from './logger.ts';

/** Between a batch that failed and the next one at least, in milliseconds. */
const PAUSE_MS = 1000;

interface Wanted {
  readonly allocations: readonly Allocation[];
  readonly services: World['services'];
}

export class AddressOutput {
  readonly #writer: AddressWriter;
  readonly #logger: Logger;
  readonly #askAgain: () => void;
  #wanted: Wanted | undefined;
  /** A batch is under way, or one has failed a moment ago. */
  #busy = false;

  constructor(writer: AddressWriter, logger: Logger, askAgain: () => void) {
    this.#writer = writer;
    this.#logger = logger;
    this.#askAgain = askAgain;
  }

  /** `services` are those that the allocations were decided from. */
  set(allocations: readonly Allocation[], services: World['services']): void {
    this.#wanted = { allocations, services };
    if (!this.#busy && allocations.length > 0) {
      void this.#write(this.#wanted);
    }
  }

  async #write(wanted: Wanted): Promise<void> {
    this.#busy = true;
    const writes = writesOf(wanted);
    try {
      await this.#writer.applyAllocations(writes);
      this.#log(writes);
    } catch (error) {
      this.#logger.error({ event: 'addresses-not-kept', err: error }, 'addresses could not be kept');
      this.#pauseAfter(error);
      return;
    }
    this.#busy = false;
    const next = this.#wanted;
    if (next !== undefined && next.allocations.length > 0 && !isSame(next, wanted)) {
      void this.#write(next);
    }
  }

  #pauseAfter(error: unknown): void {
    const end = (): void => {
      this.#busy = false;
      this.#askAgain();
    };
    setTimeout(end, Math.max(PAUSE_MS, retryAfterMs(error))).unref();
  }

  /** Asked, not done: what was replaced meanwhile is left to the next decision. */
  #log(writes: readonly AddressWrite[]): void {
    for (const { serviceKey, addresses, term } of writes) {
      const texts = addresses.map(({ text }) => text);
      const sentence = texts.length > 0 ? 'addresses are given' : 'addresses are taken away';
      this.#logger.info({ event: 'addresses', service: serviceKey, addresses: texts, term }, sentence);
    }
  }
}

/** Not by the writes alone: they may have been dropped because a Service was replaced meanwhile. */
function isSame(a: Wanted, b: Wanted): boolean {
  return a.allocations === b.allocations && a.services === b.services;
}

function writesOf({ allocations, services }: Wanted): AddressWrite[] {
  return allocations.flatMap(({ serviceKey, uid, addresses, term }) => {
    const decidedFrom = services.get(serviceKey);
    return decidedFrom === undefined ? [] : [{ serviceKey, uid, addresses, term, decidedFrom }];
  });
}
