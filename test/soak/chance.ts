// All chances of a run, from one seed, so that it can be run again.

import { mulberry } from '../../packages/kube/test/lease/api-model.ts';

export class Chance {
  readonly #next: () => number;

  constructor(seed: number) {
    this.#next = mulberry(seed);
  }

  between(least: number, most: number): number {
    return least + (most - least) * this.#next();
  }

  pick<T>(items: readonly T[]): T {
    const item = items[Math.floor(this.#next() * items.length)];
    if (item === undefined) {
      throw new RangeError('there is nothing to choose from');
    }
    return item;
  }

  /** So many of them, in their order. */
  some<T>(items: readonly T[], count: number): readonly T[] {
    const left = new Set(items);
    while (left.size > count) {
      left.delete(this.pick([...left]));
    }
    return [...left];
  }
}
