// Allocations -> the source, which keeps them and shows them in a later snapshot. Given all wanted writes
// every time; one write runs at a time and always the newest. A write that fails is said, and asked for again
// a little later: the next decision still wants it, since nothing changed in the Services.

import type { Allocation } from '@herald/decision';
import type { Source } from '@herald/kube';

import type { Logger } from './logger.ts';

/** Between a write that failed and the next decision about it, in milliseconds. */
const RETRY_MS = 1000;

export class AddressOutput {
  readonly #source: Pick<Source, 'applyAllocations'>;
  readonly #logger: Logger;
  readonly #askAgain: () => void;
  #wanted: readonly Allocation[] = [];
  #running = false;

  constructor(source: Pick<Source, 'applyAllocations'>, logger: Logger, askAgain: () => void) {
    this.#source = source;
    this.#logger = logger;
    this.#askAgain = askAgain;
  }

  set(allocations: readonly Allocation[]): void {
    this.#wanted = allocations;
    if (!this.#running && allocations.length > 0) {
      void this.#write();
    }
  }

  async #write(): Promise<void> {
    this.#running = true;
    const writes = this.#wanted;
    try {
      await this.#source.applyAllocations(writes);
      this.#log(writes);
    } catch (error) {
      this.#logger.error({ event: 'addresses-not-kept', err: error }, 'addresses could not be kept');
      setTimeout(this.#askAgain, RETRY_MS).unref();
    }
    this.#running = false;
    if (this.#wanted !== writes && this.#wanted.length > 0) {
      void this.#write();
    }
  }

  #log(writes: readonly Allocation[]): void {
    for (const { serviceKey, addresses } of writes) {
      const texts = addresses.map(({ text }) => text);
      const sentence = texts.length > 0 ? 'addresses were given' : 'addresses were taken away';
      this.#logger.info({ event: 'addresses', service: serviceKey, addresses: texts }, sentence);
    }
  }
}
