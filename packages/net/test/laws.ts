// The laws of a total order, asserted for one comparison. A comparison that breaks one of them makes sorting
// depend on the order of its input, and two replicas would then announce different things.

import fc from 'fast-check';
import { expect } from 'vitest';

interface Textual {
  readonly text: string;
}

export function expectTotalOrder<T extends Textual>(
  values: fc.Arbitrary<T>,
  compare: (a: T, b: T) => number,
): void {
  fc.assert(
    fc.property(values, values, values, (a, b, c) => {
      expect(compare(a, a)).toBe(0);
      expect(Math.sign(compare(a, b)) + Math.sign(compare(b, a))).toBe(0);
      expect(compare(a, b) === 0).toBe(a.text === b.text);
      const [x, y, z] = [a, b, c].sort(compare);
      expect(x && y && z && compare(x, y) <= 0 && compare(y, z) <= 0 && compare(x, z) <= 0).toBe(true);
    }),
  );
}

/** Sorting does not depend on the order of the input. */
export function expectStableSorting<T extends Textual>(
  values: fc.Arbitrary<T>,
  compare: (a: T, b: T) => number,
): void {
  fc.assert(
    fc.property(fc.array(values, { maxLength: 20 }), (list) => {
      const forward = [...list].sort(compare).map((each) => each.text);
      const backward = list
        .toReversed()
        .sort(compare)
        .map((each) => each.text);
      expect(forward).toEqual(backward);
    }),
  );
}
