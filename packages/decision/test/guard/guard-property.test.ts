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

const PODS_REPORT = 10_000;

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
  /** When each was heard again. */
  readonly #back = new Map<string, number>();
  /** When it was most of them no more, and it was still silent. */
  readonly #over = new Map<string, number>();
  #isFirst = true;
  #wereMany = false;

  at(nowMs: number, silent: readonly string[]): void {
    const known = new Set(this.#since.keys());
    for (const name of NAMES.filter((each) => !silent.includes(each))) {
      if (this.#since.delete(name)) {
        this.#back.set(name, nowMs);
        this.#over.delete(name);
      }
    }
    const sinceMs = this.#isFirst ? nowMs - DOUBT : nowMs;
    silent.filter((name) => !this.#since.has(name)).forEach((name) => this.#since.set(name, sinceMs));
    this.#isFirst = false;
    const areMany = silent.length * 2 > NAMES.length;
    if (this.#wereMany && !areMany) {
      silent.filter((name) => known.has(name)).forEach((name) => this.#over.set(name, nowMs));
    }
    this.#wereMany = areMany;
  }

  /** Its pods may not have been heard yet. */
  isJustBack(name: string, nowMs: number): boolean {
    return nowMs - (this.#back.get(name) ?? -Infinity) < PODS_REPORT;
  }

  isDoubted(name: string, nowMs: number): boolean {
    const isOf = (times: ReadonlyMap<string, number>, ms: number): boolean =>
      nowMs - (times.get(name) ?? -Infinity) < ms;
    return isOf(this.#since, DOUBT) || isOf(this.#over, OUTAGE_DOUBT);
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
          expect(isTold && step.states[i] === ':off' && !isSilent && !silence.isJustBack(name, at)).toBe(
            false,
          );
          expect(isTold && isSilent && !isHeld).toBe(false);
          expect(hasLeft && isHeld && step.states[i] !== ':gone').toBe(false);
        }
        [memory, before] = [after.memory, now];
      }
    }),
    { numRuns: 60 },
  );
});
