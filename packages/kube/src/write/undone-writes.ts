// Addresses that something else takes away again as often as they are written: how long the writer stays away
// from such a Service. (writes that were made, the Service as it is now) -> when it may be written.
//
// The first time may be a change of type, which takes the addresses with it, and costs a second. From then on
// each time doubles it, up to five minutes. What stood for ten minutes is forgotten.

import type { Service } from '@herald/api';

interface WrittenAddresses {
  readonly uid: string;
  readonly texts: readonly string[];
  readonly atMs: number;
  /** How many writes in a row did not last, this one not counted. */
  readonly undone: number;
}

const FIRST_PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 300_000;
const REMEMBERED_MS = 600_000;
const SWEEP_MS = 60_000;
/** How many in a row are no accident any more. */
const FIGHT = 3;

export class UndoneWrites {
  readonly #written = new Map<string, WrittenAddresses>();
  #sweptAtMs = Number.NEGATIVE_INFINITY;

  /** Since when the Service may be written; undefined unless its last write did not last. */
  mayWriteAt(service: Service): number | undefined {
    const undone = this.#undoneBefore(service);
    const last = this.#written.get(service.key);
    return last === undefined || undone === 0
      ? undefined
      : last.atMs + Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (undone - 1));
  }

  /** Somebody does it on purpose. */
  isFight(service: Service): boolean {
    return this.#undoneBefore(service) >= FIGHT;
  }

  /** `service`: as it was before these addresses were written. */
  wrote(service: Service, texts: readonly string[], nowMs: number): void {
    this.#sweep(nowMs);
    const undone = this.#undoneBefore(service);
    this.#written.set(service.key, { uid: service.uid, texts, atMs: nowMs, undone });
  }

  /** With the last write, if what it wrote is not there any more. */
  #undoneBefore({ key, uid, ingress }: Service): number {
    const last = this.#written.get(key);
    if (last?.uid !== uid) {
      return 0;
    }
    const stands = last.texts.every((text) => ingress.some((address) => address.text === text));
    return stands ? 0 : last.undone + 1;
  }

  #sweep(nowMs: number): void {
    if (nowMs - this.#sweptAtMs > SWEEP_MS) {
      this.#sweptAtMs = nowMs;
      for (const [key, { atMs }] of this.#written) {
        if (nowMs - atMs > REMEMBERED_MS) {
          this.#written.delete(key);
        }
      }
    }
  }
}
