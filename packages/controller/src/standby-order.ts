// The replica's place in the order of standby ranks, the same for as long as the pod lives: kept in its state
// directory. Whoever came earlier stands before who comes later. A newcomer that ranked better would replace the
// table that routers use by its own, path after path, and make them lose next hops for a moment; this way it says
// the same once more and nobody looks.
//
// Time counts in turns of sixteen seconds from 2026, folded into what MED has room for (275 days). A turn has 128
// places, and which of them is the pod's own, so that replicas which start together differ, all but one pair in 128.
// As soon as two of those see each other, the one whose name comes later takes the next place that nobody has.
// After folding a newcomer may come first once.

import type { Replicas } from '@herald/decision';
import { hash32 } from '@herald/net';

import { keepNumber, keptNumber } from './kept-number.ts';
import type { Logger } from './logger.ts';

const EPOCH_2026_MS = Date.UTC(2026, 0, 1);
const TURN_MS = 16_000;
const PLACES = 128;
/** Standby ranks lie between this many values; MED has no more above them. */
const ORDINALS = 190_000_000;
const FILE = 'ordinal';

export interface StandbyPlaceParts {
  readonly stateDir: string;
  readonly name: string;
  readonly uid: string;
  readonly logger: Logger;
}

export class StandbyPlace {
  readonly #parts: StandbyPlaceParts;
  #ordinal: number;
  #writing: Promise<void> = Promise.resolve();

  private constructor(parts: StandbyPlaceParts, ordinal: number) {
    this.#parts = parts;
    this.#ordinal = ordinal;
  }

  /** Throws where the state directory cannot be written or the kept number not be read. */
  static async load(parts: StandbyPlaceParts, nowMs: number): Promise<StandbyPlace> {
    const { stateDir, uid } = parts;
    const ordinal = uid === '' ? 0 : await keptNumber(stateDir, FILE, () => ordinalAt(uid, nowMs));
    return new StandbyPlace(parts, ordinal);
  }

  get ordinal(): number {
    return this.#ordinal;
  }

  /** The ordinal among these: another one than before, where one of them has the same and comes first. */
  among(others: Replicas['others']): number {
    const { name: ours, stateDir, logger } = this.#parts;
    const first = [...others].find(([name, { ordinal }]) => ordinal === this.#ordinal && name < ours);
    if (first === undefined) {
      return this.#ordinal;
    }
    const taken = new Set([...others.values()].map(({ ordinal }) => ordinal));
    while (taken.has(this.#ordinal)) {
      this.#ordinal = 1 + (this.#ordinal % ORDINALS);
    }
    const ordinal = this.#ordinal;
    logger.info({ event: 'stepped-aside', for: first[0], ordinal }, 'another replica has the same place');
    this.#writing = this.#writing
      .then(() => keepNumber(stateDir, FILE, ordinal))
      .catch((error: unknown) => {
        logger.warn({ event: 'place-not-kept', err: error }, 'the place among the replicas cannot be kept');
      });
    return ordinal;
  }

  /** Resolves when the place is kept, or cannot be. */
  async close(): Promise<void> {
    await this.#writing;
  }
}

function ordinalAt(uid: string, nowMs: number): number {
  const turn = Math.max(0, Math.floor((nowMs - EPOCH_2026_MS) / TURN_MS));
  return 1 + ((turn * PLACES + (hash32(uid) % PLACES)) % ORDINALS);
}
