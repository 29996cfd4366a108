// A peer that is valid, has a number and a place: what route computation may rely on. Peers that lost
// (DuplicatePeerAddress) or that this replica does not speak to are not among the resolved ones.
//
// Types only. The list is sorted by name and is the same reference as last time when nothing in it
// changed; an element that did not change is the same reference too, whatever its session does.

import type { Peer, Reason } from '@herald/api';
import type { Address, Family, PersistentMap } from '@herald/net';
import type { SessionPlan } from '../decision.ts';
import type { PerFamily } from '../world.ts';

/** Where bgpd keeps a peer: the instance that all ADD-PATH peers share, or a view of its own. */
export type Instance =
  | { readonly kind: 'shared' }
  | { readonly kind: 'view'; readonly name: string; readonly feedAddress: Address };

export interface ResolvedPeer {
  readonly peer: Peer;
  /** From the UID, never zero, never used again. */
  readonly number: number;
  readonly instance: Instance;
  readonly internal: boolean;
  readonly families: readonly Family[];
  /** In a view: false for a family means that it holds exactly one path a prefix. */
  readonly addPath: PerFamily<boolean>;
  /**
   * What this replica tells the router; nothing while it has withdrawn, its session standing, or stands by for this peer
   * and announces to others.
   */
  readonly told: 'routes' | 'nothing';
}

export interface PeerVerdict {
  readonly accepted: boolean;
  readonly reason: Reason | 'Accepted';
  readonly message: string;
  readonly instance: 'shared' | 'view' | 'none';
}

export interface PeerOutcome<Memory> {
  readonly peers: readonly ResolvedPeer[];
  readonly plan: SessionPlan;
  readonly verdicts: PersistentMap<PeerVerdict>;
  readonly memory: Memory;
}
