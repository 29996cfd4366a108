// What the election knows and what can happen to it; the rules are in election.ts. All times named `...Ms`
// are of the clock that counts suspended time, except `wallMs`. Machines never compare their clocks.

import type { LeaseRecord, LeaseWrite } from './lease-record.ts';

export interface ElectionRules {
  readonly identity: string;
  readonly leaseDurationMs: number;
  readonly renewDeadlineMs: number;
  readonly retryPeriodMs: number;
}

/** The moment at which an event is looked at. */
export interface Moment {
  readonly clockMs: number;
  readonly wallMs: number;
  /** 0 <= chance < 1; keeps replicas from asking in step. */
  readonly chance: number;
}

/** `refused`: the API server answered and did nothing; `lost`: whether it did something is not known. */
export type Failure = 'conflict' | 'missing' | 'forbidden' | 'refused' | 'lost';

export type ElectionEvent =
  | { readonly kind: 'tick' }
  /** The answer to a request: the Lease as it is now, or undefined when a read found none. */
  | { readonly kind: 'answered'; readonly id: number; readonly lease: LeaseRecord | undefined }
  | {
      readonly kind: 'failed';
      readonly id: number;
      readonly failure: Failure;
      readonly message: string;
      readonly retryAfterMs: number;
    }
  /** The watch showed another state of the Lease. */
  | { readonly kind: 'seen'; readonly lease: LeaseRecord | undefined }
  /** The watch ended: nothing more will be seen. */
  | { readonly kind: 'unwatched' }
  /** A term that somebody told of, by whatever way. */
  | { readonly kind: 'term'; readonly term: number }
  | { readonly kind: 'release' };

interface RequestLimits {
  readonly id: number;
  readonly timeoutMs: number;
  /** After a lost answer the connection is not trusted any more. */
  readonly connection: 'pooled' | 'fresh';
}

export type ElectionRequest = RequestLimits &
  ({ readonly kind: 'read' } | { readonly kind: 'write'; readonly write: LeaseWrite });

export interface Pending {
  readonly id: number;
  readonly purpose: 'read' | 'place' | 'acquire' | 'renew' | 'release';
  readonly sentAtMs: number;
  readonly term: number;
  /** Replaces a Lease that its leader had given up. */
  readonly handedOver: boolean;
}

export interface Held {
  readonly term: number;
  /** When the last renewal that succeeded was sent: its time counts from before it left. */
  readonly sentAtMs: number;
  readonly handedOver: boolean;
  /** undefined: the Lease was deleted and is made again. */
  readonly lease: LeaseRecord | undefined;
}

export interface Observation {
  readonly lease: LeaseRecord | undefined;
  /** When the read was sent that showed it; -Infinity when only a watch did, which may lag. */
  readonly readAtMs: number;
}

export interface ElectionState {
  readonly rules: ElectionRules;
  readonly observed: Observation | undefined;
  /** Until then another replica may still lead. */
  readonly blockedUntilMs: number;
  readonly held: Held | undefined;
  /** Held, but the last write was refused: nothing may be written until a read has shown whose it is. */
  readonly doubtful: boolean;
  readonly pending: Pending | undefined;
  readonly mustRead: boolean;
  readonly notBeforeMs: number;
  readonly connection: 'pooled' | 'fresh';
  /** The highest term that a Lease has shown. */
  readonly seenTerm: number;
  /** The highest term that was ever seen, told of or tried. */
  readonly highestTerm: number;
  readonly ending: 'no' | 'releasing' | 'done';
  readonly nextId: number;
  /** Why the API server refuses us, in its own words. */
  readonly refusal: string | undefined;
}

export interface Leadership {
  readonly leading: boolean;
  /** Of the own leadership, or the latest one that is known. */
  readonly term: number;
  /** '' when nobody holds the Lease, or nothing is known yet. */
  readonly holder: string;
  /** Leading, and nobody was pushed aside for it: the leader of before, if there was one, had given the Lease up. */
  readonly handedOver: boolean;
}

export function newElection(rules: ElectionRules): ElectionState {
  return {
    rules,
    observed: undefined,
    blockedUntilMs: Number.NEGATIVE_INFINITY,
    held: undefined,
    doubtful: false,
    pending: undefined,
    mustRead: true,
    notBeforeMs: Number.NEGATIVE_INFINITY,
    connection: 'pooled',
    seenTerm: 0,
    highestTerm: 0,
    ending: 'no',
    nextId: 1,
    refusal: undefined,
  };
}

export function leadershipOf(state: ElectionState): Leadership {
  const { held, observed, rules } = state;
  const leading = held !== undefined && state.ending === 'no';
  return {
    leading,
    term: held?.term ?? state.seenTerm,
    holder: held === undefined ? (observed?.lease?.holder ?? '') : rules.identity,
    handedOver: leading && held.handedOver,
  };
}

/** When the leadership ends unless it is renewed before. */
export function deadlineOf({ held, rules }: ElectionState): number {
  return held === undefined ? Number.NEGATIVE_INFINITY : held.sentAtMs + rules.renewDeadlineMs;
}

export function mayWriteAt(state: ElectionState, clockMs: number): boolean {
  return state.ending === 'no' && !state.doubtful && clockMs < deadlineOf(state);
}

/** Half of what lies between deadline and lease is kept for clocks that drift and answers on their way. */
export function writeTimeAt(state: ElectionState, clockMs: number): number {
  const { leaseDurationMs, renewDeadlineMs } = state.rules;
  const reserve = (leaseDurationMs - renewDeadlineMs) / 2;
  return mayWriteAt(state, clockMs) ? Math.max(0, Math.floor(deadlineOf(state) + reserve - clockMs)) : 0;
}
