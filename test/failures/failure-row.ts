// What a failure is, what was seen while it happened, and whether that is what was promised.

import type { FailureStage } from './failure-stage.ts';

export interface FailureRow {
  /** Of the list of failures that Herald has to survive, as in docs/failures.md. */
  readonly group: string;
  readonly name: string;
  readonly expected: Expectation;
  /** Fails it, and waits until everything is as it was. */
  readonly act: (stage: FailureStage) => Promise<void>;
  /** Sets up what is not part of what is counted. */
  readonly before?: (stage: FailureStage) => Promise<void>;
  /** Puts back what is not part of what is counted. */
  readonly after?: (stage: FailureStage) => Promise<void>;
  /** Among those that every complete test run fails. */
  readonly isShort?: boolean;
}

export interface Expectation {
  /** `counted`: what Herald cannot prevent; told with the reason. */
  readonly lost: 0 | 'counted';
  /** FRR's kernel hears nothing of the IPv4 routes; the others do for less than a millisecond (docs/adr/0005). */
  readonly isUnseen: boolean;
  /** No container of Herald's is started again and no pod of it stops being ready. */
  readonly podsStay?: boolean;
  /** Until the next change is in both kernels, at most, on top of what it takes when nothing fails. */
  readonly nextChangeMs?: number;
  readonly because?: string;
}

export interface Outcome {
  readonly group: string;
  readonly name: string;
  readonly sent: number;
  readonly lost: number;
  readonly lostByCause: Readonly<Record<string, number>>;
  /** Changes in the kernels: FRR's IPv4 routes, and all others. */
  readonly fibChanges: number;
  /** Some of FRR's, in words. */
  readonly firstFibChanges: readonly string[];
  readonly otherFibChanges: number;
  /** Sessions of the routers that were there before and ended. */
  readonly sessionsReset: number;
  /** Of Herald: containers that were started again, pods that were not ready for a while. */
  readonly podsDisturbed: readonly string[];
  /** Of any prefix in FRR's IPv4 routes, and in all others. */
  readonly fewestNextHops: number;
  readonly otherFewestNextHops: number;
  /** From the failure until a change made after it is in both kernels; null where none is made. */
  readonly nextChangeMs: number | null;
  /** From the failure until every replica announces everything again. */
  readonly convergedMs: number;
  readonly expected: Expectation;
  /** Why not; empty: as promised. */
  readonly misses: readonly string[];
  /** What came later than promised. A machine that is busy is late too, so no test asserts it. */
  readonly late: readonly string[];
}

type Measured = Omit<Outcome, 'misses' | 'late'>;

export function missesOf({
  expected,
  lost,
  lostByCause,
  fibChanges,
  firstFibChanges,
  podsDisturbed,
}: Measured): readonly string[] {
  return [
    lost > 0 && expected.lost === 0 ? `${lost} lost: ${JSON.stringify(lostByCause)}` : '',
    fibChanges > 0 && expected.isUnseen
      ? `FRR's kernel heard ${fibChanges} changes: ${firstFibChanges.join(', ')}`
      : '',
    ...(expected.podsStay === true ? podsDisturbed : []),
  ].filter((miss) => miss !== '');
}

/** `usualChangeMs`: what a change takes when nothing fails. */
export function lateOf({ expected, nextChangeMs }: Measured, usualChangeMs: number): readonly string[] {
  const { nextChangeMs: bound } = expected;
  if (bound === undefined || (nextChangeMs !== null && nextChangeMs <= bound + usualChangeMs)) {
    return [];
  }
  return [`the next change took ${nextChangeMs} ms, not ${bound} more than ${usualChangeMs}`];
}

/** Nothing is lost and nothing is seen. */
export const INVISIBLE: Expectation = { lost: 0, isUnseen: true };
/** What is done to others does not reach Herald's pods. */
export const APART: Expectation = { ...INVISIBLE, podsStay: true };
const LEASE_MS = 6000;
/** Who vanishes is followed when its Lease has run out. */
export const VANISHED: Expectation = { ...INVISIBLE, nextChangeMs: LEASE_MS + 1000 };

/** A failure that did not end as it begins: what was waited for in vain. */
export function unmeasured({ group, name, expected }: FailureRow, error: Error): Outcome {
  return {
    group,
    name,
    expected,
    sent: 0,
    lost: 0,
    lostByCause: {},
    fibChanges: 0,
    firstFibChanges: [],
    otherFibChanges: 0,
    sessionsReset: 0,
    podsDisturbed: [],
    fewestNextHops: 0,
    otherFewestNextHops: 0,
    nextChangeMs: null,
    convergedMs: 0,
    misses: [`not measured: ${error.message.split(/[;{\n]/, 1)[0]}`],
    late: [],
  };
}
