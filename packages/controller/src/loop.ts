// The flow of ARCHITECTURE.md, once around: observe the world, decide, hand the whole result to every
// output. A tick that throws is contained: it is counted and logged, everything announced stays as it is,
// and the next tick tries again.
//
// A decision is taken in slices, so that sessions and requests are attended to meanwhile; a usual one ends
// within the first slice. What changes during a decision is the next tick's. A decision may ask for the next one
// at a time of its own, when a wait ends although nothing changes.

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

/** Between a tick that failed and the next attempt, if nothing changes before, in milliseconds. */
const RETRY_MS = 1000;
/** The longest that a timer of Node can wait. */
const LONGEST_MS = 2 ** 31 - 1;

export class Loop {
  readonly #parts: LoopParts;
  readonly #signal = new Signal(() => this.#tick());
  #memory: Memory = emptyMemory();
  #ticks = 0;
  #failedTicks = 0;
  /** Of the process, which no setting of the clock moves. */
  #askedAtMs: number | undefined;
  #startedAtMs: number | undefined;
  #wake: NodeJS.Timeout | undefined;
  #running: Promise<void> = Promise.resolve();
  #stopped = false;

  constructor(parts: LoopParts) {
    this.#parts = parts;
  }

  /** Something that a decision depends on may have changed. */
  raise(): void {
    this.#askedAtMs ??= performance.now();
    this.#signal.raise();
  }

  /** Resolves when the tick that is under way has ended, without having acted. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#signal.stop();
    clearTimeout(this.#wake);
    await this.#running;
  }

  get memory(): Memory {
    return this.#memory;
  }

  get view() {
    return { ticks: this.#ticks, failedTicks: this.#failedTicks, pendingSinceMs: this.#pendingSinceMs() };
  }

  /** A tick that has begun is waited for until it ends. */
  #pendingSinceMs(): number | undefined {
    const sinceMs = this.#startedAtMs ?? this.#askedAtMs;
    return sinceMs === undefined ? undefined : Date.now() - (performance.now() - sinceMs);
  }

  #tick(): Promise<void> {
    this.#running = this.#contained();
    return this.#running;
  }

  async #contained(): Promise<void> {
    const started = performance.now();
    this.#startedAtMs = started;
    this.#askedAtMs = undefined;
    this.#ticks += 1;
    try {
      await this.#decideAndAct();
    } catch (error) {
      this.#failedTicks += 1;
      this.#parts.onFailure(error);
      this.#wakeIn(RETRY_MS);
    }
    this.#startedAtMs = undefined;
    this.#parts.onTick((performance.now() - started) / 1000);
  }

  async #decideAndAct(): Promise<void> {
    const world = this.#parts.observe();
    if (world === undefined) {
      return;
    }
    const { decision, memory } = await inSlices(deciding(world, this.#memory));
    if (!this.#stopped) {
      this.#memory = memory;
      this.#parts.act(world, decision);
      this.#wakeIn(decision.wakeAtMs === undefined ? undefined : decision.wakeAtMs - Date.now());
    }
  }

  /** At most one alarm: the newest decision knows when the next is due. */
  #wakeIn(ms: number | undefined): void {
    clearTimeout(this.#wake);
    if (ms !== undefined && !this.#stopped) {
      this.#wake = setTimeout(() => this.raise(), Math.min(Math.max(ms, 0), LONGEST_MS));
    }
  }
}
