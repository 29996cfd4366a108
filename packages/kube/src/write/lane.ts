// One kind of thing that the leader writes. A lane knows what is wanted, what is there, and how often it may
// write; when it runs, and for whom, is the status writer's business.

import type { LeaderClient } from './leader-client.ts';
import type { Refusals } from './refusals.ts';

/** Kinds whose status is the leader's. */
export type OwnKind = 'BGPPeer' | 'IPAddressPool' | 'BGPAdvertisement';

/** What a lane writes with. */
export interface LaneContext {
  readonly client: LeaderClient;
  readonly refusals: Refusals;
  /**
   * Of the spec that the wanted status of an object of ours was made from; undefined while that is not known,
   * because the source shows a newer one.
   */
  generation(kind: OwnKind, name: string): number | undefined;
  /** The clock of budgets. */
  nowMs(): number;
  /** Of this machine's wall clock, for fields that people read. */
  wallMs(): number;
}

export interface Lane {
  /** Of the objects that it writes; its faults carry it. */
  readonly kind: string;
  /** Reads what is there; once in each leadership, before anything is written. */
  prime(): Promise<void>;
  /** Writes what may be written now; when to ask again, Infinity for "when something else is wanted". */
  writeDue(): Promise<number>;
}

export const NEVER = Number.POSITIVE_INFINITY;
