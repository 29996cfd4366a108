// What the API server refused to write, kept as faults in its own words until a later write succeeds. What
// RBAC forbids is said once for each kind and not for each object, and tried again after a while, since rights
// can be given back without any object that changes.

import { fault, type Fault } from '@herald/api';
import { outcomeOf } from './write-outcome.ts';

/** After which what was refused is tried again, in milliseconds: who mends it changes nothing that would be seen. */
export const REFUSAL_PAUSE_MS = 30_000;

export class Refusals {
  readonly #nowMs: () => number;
  readonly #faults = new Map<string, Fault>();
  readonly #pausedUntilMs = new Map<string, number>();

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  /** True when the error was such a refusal; unless it was forbidden, the write is over until something else is wanted. */
  take(kind: string, name: string, error: unknown): boolean {
    const outcome = outcomeOf(error);
    if (outcome === 'forbidden') {
      this.#say(kind, 'status', error as Error);
    } else if (outcome === 'refused') {
      this.#say(`${kind} ${name}`, 'status', error as Error);
    }
    return outcome === 'forbidden' || outcome === 'refused';
  }

  /** What is forbidden for one object is for all of its kind. -> when to try again. */
  pause(kind: string): number {
    const untilMs = this.#nowMs() + REFUSAL_PAUSE_MS;
    this.#pausedUntilMs.set(kind, untilMs);
    return untilMs;
  }

  /** A time that has passed where nothing is to be waited for. */
  pausedUntilMs(kind: string): number {
    return this.#pausedUntilMs.get(kind) ?? Number.NEGATIVE_INFINITY;
  }

  clear(kind: string, name: string): void {
    this.#faults.delete(kind);
    this.#faults.delete(`${kind} ${name}`);
  }

  /** Nothing is to be written there any more; `name` undefined: to no object of the kind. */
  drop(kind: string, name?: string): void {
    this.#faults.delete(name === undefined ? kind : `${kind} ${name}`);
  }

  /** Of a leadership that is over: what stands open is found anew. */
  forget(): void {
    this.#faults.clear();
    this.#pausedUntilMs.clear();
  }

  faults(): readonly Fault[] {
    return [...this.#faults.values()];
  }

  #say(object: string, field: string, error: Error): void {
    this.#faults.set(object, fault(object, field, `was not written: ${error.message}`));
  }
}
