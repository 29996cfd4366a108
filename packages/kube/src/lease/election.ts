// The rules of the election: (state, event, moment) -> (state, the one request to send now). Pure; requests,
// watch, timers and clocks are the elector's. At most one request is on its way at any time.
//
// - A leader may write until renewDeadline after it SENT its last successful renewal.
// - Another replica may follow when the Lease did not change for the lease's duration by its own clock, and a
//   read sent after that still shows the same; resourceVersion makes of two who try only one succeed.
// - A Lease that went back in time, or holds our name without our doing, says nothing about who leads: it
//   blocks like a renewal. A missing one is first put there, and then followed like any other, because a
//   create proves nothing about what was there a moment before; only the leader itself may put it back.
// - Only an answer makes a leader. A write whose answer is lost is looked at again and its term is not reused.
// - A term is max(highest known + 1, seconds since 2026 began), so that it never goes back.

import type { LeaseRecord } from './lease-record.ts';
import { MAX_TERM } from './lease-record.ts';
import type { ElectionEvent, ElectionState, Moment, Pending } from './election-state.ts';
import { deadlineOf } from './election-state.ts';
import { nextRequest, type Step } from './next-request.ts';
import { blockedBy, isUnchanged } from './observed-lease.ts';

export function step(before: ElectionState, event: ElectionEvent, moment: Moment): Step {
  const state = stepDown(applyEvent(before, event, moment), moment);
  if (state.pending !== undefined || moment.clockMs < state.notBeforeMs) {
    return { state, request: undefined };
  }
  return nextRequest(state, moment);
}

function applyEvent(state: ElectionState, event: ElectionEvent, moment: Moment): ElectionState {
  switch (event.kind) {
    case 'answered':
    case 'failed':
      return state.pending?.id === event.id ? applyOutcome(state, state.pending, event, moment) : state;
    case 'seen':
    case 'unwatched':
      return state.held === undefined ? applyWatch(state, event, moment) : state;
    case 'term':
      return hearTerm(state, Math.min(event.term, MAX_TERM));
    case 'release':
      return state.ending === 'no' ? { ...state, ending: 'releasing' } : state;
    case 'tick':
      return state;
  }
}

function applyOutcome(
  state: ElectionState,
  pending: Pending,
  event: ElectionEvent & { kind: 'answered' | 'failed' },
  moment: Moment,
): ElectionState {
  return event.kind === 'answered'
    ? applyAnswer(state, pending, event.lease, moment)
    : applyFailure(state, pending, event, moment);
}

function applyWatch(
  state: ElectionState,
  event: ElectionEvent & { kind: 'seen' | 'unwatched' },
  { clockMs }: Moment,
): ElectionState {
  return event.kind === 'seen'
    ? observe(state, event.lease, clockMs, Number.NEGATIVE_INFINITY)
    : { ...state, mustRead: true };
}

/** A term above ours that is not one that we tried means that somebody follows us already. */
function hearTerm(state: ElectionState, term: number): ElectionState {
  const heard = { ...state, highestTerm: Math.max(state.highestTerm, term) };
  const superseded = state.held !== undefined && term > state.held.term;
  return superseded ? { ...heard, doubtful: true, mustRead: true } : heard;
}

function applyAnswer(
  state: ElectionState,
  pending: Pending,
  lease: LeaseRecord | undefined,
  moment: Moment,
): ElectionState {
  const { purpose, sentAtMs, term, handedOver } = pending;
  const seen = observe(
    state,
    lease,
    moment.clockMs,
    purpose === 'read' ? sentAtMs : Number.NEGATIVE_INFINITY,
  );
  const calm: ElectionState = { ...seen, pending: undefined, connection: 'pooled', refusal: undefined };
  switch (purpose) {
    case 'read':
      return judgeRead({ ...calm, mustRead: false }, lease);
    case 'place':
      return { ...calm, mustRead: false };
    case 'acquire':
      return { ...calm, held: { term, sentAtMs, handedOver, lease }, doubtful: false, mustRead: false };
    case 'renew':
      return state.held === undefined
        ? calm
        : { ...calm, held: { ...state.held, term, sentAtMs, lease }, doubtful: false };
    case 'release':
      return { ...calm, held: undefined, ending: 'done' };
  }
}

/** Whose the Lease is, for a replica that holds it or thought so. */
function judgeRead(state: ElectionState, lease: LeaseRecord | undefined): ElectionState {
  const { held, rules } = state;
  if (held === undefined) {
    return state;
  }
  if (lease === undefined) {
    return { ...state, held: { ...held, lease }, doubtful: true };
  }
  const ours = lease.holder === rules.identity && lease.term === held.term;
  return ours ? { ...state, held: { ...held, lease }, doubtful: false } : lose(state);
}

function lose(state: ElectionState): ElectionState {
  return { ...state, held: undefined, doubtful: false, mustRead: true };
}

function stepDown(state: ElectionState, { clockMs }: Moment): ElectionState {
  return state.held !== undefined && clockMs >= deadlineOf(state) ? lose(state) : state;
}

function applyFailure(
  state: ElectionState,
  { purpose }: Pending,
  event: ElectionEvent & { kind: 'failed' },
  moment: Moment,
): ElectionState {
  const { failure } = event;
  const stale = failure === 'conflict' || failure === 'missing';
  const renewing = purpose === 'renew' || purpose === 'release';
  return {
    ...state,
    pending: undefined,
    doubtful: state.held !== undefined && (state.doubtful || stale),
    mustRead: state.mustRead || stale || !renewing,
    connection: failure === 'lost' ? 'fresh' : 'pooled',
    notBeforeMs: stale && renewing ? state.notBeforeMs : moment.clockMs + pauseAfter(state, event, moment),
    refusal: failure === 'forbidden' ? event.message : state.refusal,
  };
}

/** A leader hurries, because its time runs; others wait for about a period; what is forbidden stays so for a while. */
function pauseAfter(
  state: ElectionState,
  { failure, retryAfterMs }: ElectionEvent & { kind: 'failed' },
  { chance }: Moment,
): number {
  const { retryPeriodMs, leaseDurationMs } = state.rules;
  if (state.held !== undefined) {
    return (retryPeriodMs * (1 + chance)) / 4;
  }
  const period = failure === 'forbidden' ? leaseDurationMs : retryPeriodMs;
  return Math.max((period * (1 + chance)) / 2, Math.min(retryAfterMs, leaseDurationMs));
}

function observe(
  state: ElectionState,
  lease: LeaseRecord | undefined,
  clockMs: number,
  readAtMs: number,
): ElectionState {
  const before = state.observed;
  const readBefore = before !== undefined && isUnchanged(state, lease) ? before.readAtMs : readAtMs;
  const seenTerm = Math.max(state.seenTerm, lease?.term ?? 0);
  return {
    ...state,
    observed: { lease, readAtMs: Math.max(readAtMs, readBefore) },
    blockedUntilMs: blockedBy(state, lease, clockMs),
    seenTerm,
    highestTerm: Math.max(state.highestTerm, seenTerm),
  };
}
