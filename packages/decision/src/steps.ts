// A computation that can be interrupted: a generator that yields wherever a caller may do something else, and
// returns its result. Nothing depends on whether, or how often, anybody pauses it. At the largest size a decision
// from nothing takes about a second; a controller that has to answer meanwhile takes it in slices.

export type Steps<T> = Generator<undefined, T, undefined>;

/** Carries it out in one go. */
export function finished<T>(steps: Steps<T>): T {
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) {
      return value;
    }
  }
}
