// The flow of ARCHITECTURE.md, once around: observe the world, decide, hand the whole result to every
// output. A tick that throws is contained: it is counted and logged, everything announced stays as it is,
// and the next tick tries again.
//
// A decision is taken in slices, so that sessions and requests are attended to meanwhile; a usual one ends
// within the first slice. What changes during a decision is the next tick's.

import { deciding, emptyMemory, type Decision, type Memory, type World } from '@herald/decision';

import { inSlices } from './in-slices.ts';
import { Signal } from './signal.ts';

export interface LoopParts {
  /** The world now; undefined until every store has synced: nothing is decided from a part of the truth. */
  observe(): World | undefined;
  /** Outputs are given everything and find out themselves what changed. */
  act(world: World, decision: Decision): void;
  onTick(durationSeconds: number): void;
  onFailure(error: unknown): void;
}

export class Loop {
  readonly #parts: LoopParts;
  readonly #signal = new Signal(() => this.#tick());
  #memory: Memory = emptyMemory();
  #ticks = 0;
  #failedTicks = 0;
  #pendingSinceMs: number | undefined;

  constructor(parts: LoopParts) {
    this.#parts = parts;
  }

  /** Something that a decision depends on may have changed. */
  raise(): void {
    this.#pendingSinceMs ??= Date.now();
    this.#signal.raise();
  }

  stop(): void {
    this.#signal.stop();
  }

  get memory(): Memory {
    return this.#memory;
  }

  get view() {
    return { ticks: this.#ticks, failedTicks: this.#failedTicks, pendingSinceMs: this.#pendingSinceMs };
  }

  async #tick(): Promise<void> {
    const started = performance.now();
    this.#pendingSinceMs = undefined;
    this.#ticks += 1;
    try {
      await this.#decideAndAct();
    } catch (error) {
      this.#failedTicks += 1;
      this.#parts.onFailure(error);
    }
    this.#parts.onTick((performance.now() - started) / 1000);
  }

  async #decideAndAct(): Promise<void> {
    const world = this.#parts.observe();
    if (world !== undefined) {
      const { decision, memory } = await inSlices(deciding(world, this.#memory));
      this.#memory = memory;
      this.#parts.act(world, decision);
    }
  }
}
