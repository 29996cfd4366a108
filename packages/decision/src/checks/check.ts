// A decision as a list of small named checks: the first one that fails is the verdict, and `explain`
// shows them all. The name of a check is the reason that it gives when it fails.

import type { Reason } from '@herald/api';

export interface Check<Subject> {
  readonly reason: Reason;
  readonly passes: (subject: Subject) => boolean;
}

export interface CheckOutcome {
  readonly reason: Reason;
  readonly passed: boolean;
}

export function firstFailure<Subject>(
  checks: readonly Check<Subject>[],
  subject: Subject,
): Reason | undefined {
  return checks.find((check) => !check.passes(subject))?.reason;
}

export function outcomes<Subject>(checks: readonly Check<Subject>[], subject: Subject): CheckOutcome[] {
  return checks.map((check) => ({ reason: check.reason, passed: check.passes(subject) }));
}
