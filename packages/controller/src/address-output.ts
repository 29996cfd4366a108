// Allocations -> the writer, which keeps them and shows them in a later snapshot. Given all wanted writes
// every time; one batch runs at a time and always the newest. A batch that fails is said, and asked for again
// a little later: the next decision still wants it, since nothing changed in the Services.

import type { Allocation, World } from '@herald/decision';
import type { AddressWrite, AddressWriter } from '@herald/kube';

import type { Logger } from './logger.ts';

/** Between a batch that failed and the next decision about it, in milliseconds. */
const RETRY_MS = 1000;

interface Wanted {
  readonly allocations: readonly Allocation[];
  readonly services: World['services'];
}

export class AddressOutput {
  readonly #writer: AddressWriter;
  readonly #logger: Logger;
  readonly #askAgain: () => void;
  #wanted: Wanted | undefined;
  #running = false;

  constructor(writer: AddressWriter, logger: Logger, askAgain: () => void) {
    this.#writer = writer;
    this.#logger = logger;
    this.#askAgain = askAgain;
  }

  /** `services` are those that the allocations were decided from. */
  set(allocations: readonly Allocation[], services: World['services']): void {
    this.#wanted = { allocations, services };
    if (!this.#running && allocations.length > 0) {
      void this.#write(this.#wanted);
    }
  }

  async #write(wanted: Wanted): Promise<void> {
    this.#running = true;
    const writes = writesOf(wanted);
    try {
      await this.#writer.applyAllocations(writes);
      this.#log(writes);
    } catch (error) {
      this.#logger.error({ event: 'addresses-not-kept', err: error }, 'addresses could not be kept');
      setTimeout(this.#askAgain, RETRY_MS).unref();
    }
    this.#running = false;
    const next = this.#wanted;
    if (next !== undefined && next.allocations.length > 0 && !isSame(next, wanted)) {
      void this.#write(next);
    }
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
