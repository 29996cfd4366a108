// What a look at the Lease says about who may lead: (what was known, the Lease as seen, clock) -> the time until
// which this replica may not try. Whatever is seen for the first time blocks for the lease's duration from
// then, which is later than when it was sent; only a release by the latest leader lifts the block before that.

import type { LeaseRecord } from './lease-record.ts';
import type { ElectionState } from './election-state.ts';

/** A holder with settings of its own may ask for a longer lease than ours, within reason. */
const LONGEST_LEASE_MS = 600_000;
/** How long a leader has to put back a Lease that was deleted under it, in renewals. */
const PERIODS_TO_PUT_BACK = 2;

export function isUnchanged({ observed }: ElectionState, lease: LeaseRecord | undefined): boolean {
  const known = observed?.lease;
  return (
    observed !== undefined && known?.uid === lease?.uid && known?.resourceVersion === lease?.resourceVersion
  );
}

export function blockedBy(state: ElectionState, lease: LeaseRecord | undefined, clockMs: number): number {
  if (isUnchanged(state, lease)) {
    return state.blockedUntilMs;
  }
  if (lease === undefined) {
    const atFirstSight = state.observed === undefined;
    return atFirstSight
      ? Number.NEGATIVE_INFINITY
      : clockMs + PERIODS_TO_PUT_BACK * state.rules.retryPeriodMs;
  }
  return isReleased(state, lease) ? Number.NEGATIVE_INFINITY : clockMs + durationOf(state, lease);
}

/** Given up by the latest leader that is known of. */
export function isReleased({ seenTerm }: ElectionState, { holder, term }: LeaseRecord): boolean {
  return holder === '' && term >= seenTerm;
}

function durationOf({ rules }: ElectionState, { durationMs = 0 }: LeaseRecord): number {
  return Math.max(rules.leaseDurationMs, Math.min(durationMs, LONGEST_LEASE_MS));
}
