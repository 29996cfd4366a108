// Carries out a long computation a slice at a time, so that timers, sockets and requests get their turn between
// two slices. A computation that fits into one slice never waits.

import { setImmediate } from 'node:timers/promises';

import type { Steps } from '@herald/decision';

/** How long a slice may keep everything else waiting, in milliseconds. */
const SLICE_MS = 20;

export async function inSlices<T>(steps: Steps<T>): Promise<T> {
  let until = performance.now() + SLICE_MS;
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) {
      return value;
    }
    if (performance.now() > until) {
      await setImmediate();
      until = performance.now() + SLICE_MS;
    }
  }
}
