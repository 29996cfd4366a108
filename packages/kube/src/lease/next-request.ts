// What the election asks the API server for next, and when: (state, moment) -> (state with the request under
// way, request). A leader renews each period, others read when they know nothing and follow when nobody leads.

import type { LeaseRecord, LeaseWrite } from './lease-record.ts';
import { MAX_TERM } from './lease-record.ts';
import type { ElectionRequest, ElectionState, Moment, Pending } from './election-state.ts';
import { deadlineOf } from './election-state.ts';
import { isReleased } from './observed-lease.ts';

export interface Step {
  readonly state: ElectionState;
  readonly request: ElectionRequest | undefined;
}

/** 2026-01-01T00:00:00Z. */
const TERM_EPOCH_MS = 1_767_225_600_000;
const RELEASED_DURATION_MS = 1000;
const SHORTEST_TIMEOUT_MS = 100;

/** When the next tick is due if nothing happens before. */
export function wakeAt(state: ElectionState): number {
  const deadline = state.held === undefined ? Number.POSITIVE_INFINITY : deadlineOf(state);
  if (state.pending !== undefined || state.ending === 'done') {
    return deadline;
  }
  return Math.min(deadline, Math.max(state.notBeforeMs, dueAt(state)));
}

function dueAt(state: ElectionState): number {
  if (state.mustRead || state.ending === 'releasing') {
    return Number.NEGATIVE_INFINITY;
  }
  return state.held === undefined ? state.blockedUntilMs : renewAt(state);
}

function renewAt({ held, doubtful, rules }: ElectionState): number {
  const waits = held !== undefined && !doubtful;
  return waits ? held.sentAtMs + rules.retryPeriodMs : Number.NEGATIVE_INFINITY;
}

export function nextRequest(state: ElectionState, moment: Moment): Step {
  if (state.ending !== 'no' && (state.ending === 'done' || state.held === undefined)) {
    return { state: { ...state, ending: 'done' }, request: undefined };
  }
  if (state.mustRead) {
    return read(state, moment);
  }
  return state.held === undefined ? followOrWait(state, moment) : keep(state, state.held, moment);
}

function keep(
  state: ElectionState,
  { lease, term }: { lease: LeaseRecord | undefined; term: number },
  moment: Moment,
): Step {
  const { identity, leaseDurationMs } = state.rules;
  if (state.ending === 'releasing') {
    const write = { previous: lease, holder: '', term, durationMs: RELEASED_DURATION_MS };
    return lease === undefined
      ? { state: { ...state, held: undefined, doubtful: false, ending: 'done' }, request: undefined }
      : send(state, 'release', write, moment);
  }
  const write = { previous: lease, holder: identity, term, durationMs: leaseDurationMs };
  return moment.clockMs < renewAt(state)
    ? { state, request: undefined }
    : send(state, 'renew', write, moment);
}

function followOrWait(state: ElectionState, moment: Moment): Step {
  const { observed, blockedUntilMs, rules } = state;
  if (observed === undefined || moment.clockMs < blockedUntilMs) {
    return { state, request: undefined };
  }
  if (observed.readAtMs < blockedUntilMs) {
    return read(state, moment);
  }
  const term = Math.min(MAX_TERM, Math.max(state.highestTerm + 1, secondsOfTerms(moment.wallMs)));
  const write = {
    previous: observed.lease,
    holder: rules.identity,
    term,
    durationMs: rules.leaseDurationMs,
  };
  const purpose = observed.lease === undefined ? 'place' : 'acquire';
  return send({ ...state, highestTerm: term }, purpose, write, moment);
}

function secondsOfTerms(wallMs: number): number {
  return Math.floor((wallMs - TERM_EPOCH_MS) / 1000);
}

function read(state: ElectionState, moment: Moment): Step {
  return {
    state: sending(state, { purpose: 'read', term: 0, handedOver: false }, moment),
    request: { kind: 'read', ...limitsOf(state, moment) },
  };
}

function send(
  state: ElectionState,
  purpose: Exclude<Pending['purpose'], 'read'>,
  write: LeaseWrite,
  moment: Moment,
): Step {
  const { previous, term } = write;
  const handedOver = previous !== undefined && isReleased(state, previous);
  return {
    state: sending(state, { purpose, term, handedOver }, moment),
    request: { kind: 'write', write, ...limitsOf(state, moment) },
  };
}

function sending(
  state: ElectionState,
  what: Omit<Pending, 'id' | 'sentAtMs'>,
  { clockMs }: Moment,
): ElectionState {
  const { nextId: id } = state;
  return { ...state, pending: { ...what, id, sentAtMs: clockMs }, nextId: id + 1 };
}

/** Half of the deadline, so that a dead connection leaves time for a second try on a new one. */
function limitsOf(state: ElectionState, { clockMs }: Moment): Omit<ElectionRequest, 'kind' | 'write'> {
  const half = state.rules.renewDeadlineMs / 2;
  const left = state.held === undefined ? half : Math.min(half, deadlineOf(state) - clockMs);
  const timeoutMs = Math.max(SHORTEST_TIMEOUT_MS, Math.floor(left));
  return { id: state.nextId, timeoutMs, connection: state.connection };
}
