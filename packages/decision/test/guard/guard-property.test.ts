// Whatever nodes and endpoints do: what is believed, and what is not.

import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { decide, emptyMemory } from '../../src/index.ts';
import { told } from '../routes/small-world.ts';
import { DOUBT, OUTAGE_DOUBT, NAMES, PREFIX, worldAt } from './guard-scene.ts';

interface Step {
  readonly step: number;
  readonly silent: readonly string[];
  /** Of the endpoint on each node. */
  readonly states: readonly string[];
}

const STEPS: fc.Arbitrary<Step[]> = fc.array(
  fc.record({
    step: fc.integer({ min: 0, max: 40_000 }),
    silent: fc.subarray(NAMES),
    states: fc.array(fc.constantFrom('', ':off', ':gone'), { minLength: 5, maxLength: 5 }),
  }),
  { minLength: 1, maxLength: 12 },
);

/** Since when each node is silent; what was so before the first decision always was. */
class Silence {
  readonly #since = new Map<string, number>();
  #isFirst = true;
  #wereMany = false;
  /** When it was most of them no more. */
  #overMs = -Infinity;

  at(nowMs: number, silent: readonly string[]): void {
    NAMES.filter((name) => !silent.includes(name)).forEach((name) => this.#since.delete(name));
    const sinceMs = this.#isFirst ? nowMs - DOUBT : nowMs;
    silent.filter((name) => !this.#since.has(name)).forEach((name) => this.#since.set(name, sinceMs));
    this.#isFirst = false;
    const areMany = silent.length * 2 > NAMES.length;
    this.#overMs = this.#wereMany && !areMany ? nowMs : this.#overMs;
    this.#wereMany = areMany;
  }

  isDoubted(name: string, nowMs: number): boolean {
    return nowMs - (this.#since.get(name) ?? -Infinity) < DOUBT || nowMs < this.#overMs + OUTAGE_DOUBT;
  }
}

function toldNodes({ silent, states }: Step, at: number, memory: ReturnType<typeof emptyMemory>) {
  const on = NAMES.map((name, i) => `${name}${states[i]}`).join(' ');
  const decided = decide(worldAt({ at, silent: silent.join(' '), on }), memory);
  return { memory: decided.memory, now: (told(decided.decision)[PREFIX] ?? '').split(' ') };
}

test('endpoint evidence counts, and what is in doubt takes nothing away that was announced', () => {
  fc.assert(
    fc.property(STEPS, (steps) => {
      const silence = new Silence();
      let [at, memory, before] = [0, emptyMemory(), NAMES.slice(0, 0)];
      for (const step of steps) {
        at += step.step;
        silence.at(at, step.silent);
        const { now, ...after } = toldNodes(step, at, memory);
        const areMany = step.silent.length * 2 > NAMES.length;
        for (const [i, name] of NAMES.entries()) {
          const isSilent = step.silent.includes(name);
          const isTold = now.includes(name);
          const hasLeft = before.includes(name) && !isTold;
          const isHeld = isSilent && (areMany || silence.isDoubted(name, at));
          expect(isTold && step.states[i] === ':gone').toBe(false);
          expect(isTold && step.states[i] === ':off' && !isSilent).toBe(false);
          expect(isTold && isSilent && !isHeld).toBe(false);
          expect(hasLeft && isHeld && step.states[i] !== ':gone').toBe(false);
        }
        [memory, before] = [after.memory, now];
      }
    }),
    { numRuns: 60 },
  );
});
