/**
 * Waits for a condition of the outside world that announces itself by no event: a router's table, a kernel route.
 *
 * In: a sentence, a probe, a bound. Out: the first value that the probe holds for good, or a WaitError that says
 * what was seen last. A probe says "not yet" by undefined, false or an exception.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { inspect } from 'node:util';

const POLL_MS = 20;
/** One polled daemon must not take a core away from what is measured. */
const MAX_POLL_MS = 200;
const SEEN_LENGTH = 2_000;

export class WaitError extends Error {
  constructor(description: string, timeoutMs: number, seen: string) {
    super(`waited ${timeoutMs} ms for: ${description}; last seen: ${seen}`);
    this.name = 'WaitError';
  }
}

/** What a probe gives back to report progress without being satisfied. */
export class NotYet {
  readonly seen: unknown;
  constructor(seen: unknown) {
    this.seen = seen;
  }
}

export function notYet(seen: unknown): NotYet {
  return new NotYet(seen);
}

export type Probe<T> = () => T | NotYet | false | undefined | Promise<T | NotYet | false | undefined>;

export async function waitFor<T>(description: string, probe: Probe<T>, timeoutMs = 10_000): Promise<T> {
  const deadline = performance.now() + timeoutMs;
  let seen = 'nothing';
  for (let pause = POLL_MS; ; pause = Math.min(pause * 1.3, MAX_POLL_MS)) {
    const outcome = await attempt(probe);
    if (outcome.kind === 'holds') return outcome.value;
    seen = outcome.seen;
    if (performance.now() + pause > deadline) throw new WaitError(description, timeoutMs, seen);
    await delay(pause);
  }
}

type Outcome<T> =
  | { readonly kind: 'holds'; readonly value: T }
  | { readonly kind: 'not-yet'; readonly seen: string };

async function attempt<T>(probe: Probe<T>): Promise<Outcome<T>> {
  try {
    const value = await probe();
    if (value instanceof NotYet) return { kind: 'not-yet', seen: show(value.seen) };
    if (value === undefined || value === false) return { kind: 'not-yet', seen: String(value) };
    return { kind: 'holds', value };
  } catch (error) {
    return { kind: 'not-yet', seen: error instanceof Error ? error.message : show(error) };
  }
}

function show(value: unknown): string {
  return inspect(value, { depth: 6, breakLength: Infinity }).slice(0, SEEN_LENGTH);
}
