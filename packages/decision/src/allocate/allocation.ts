// What address allocation hands to the rest of a decision: the writes it wants, what it thinks of each
// pool, and the Services whose addresses must not be announced whatever else holds.
//
// Types only. References are kept: `pools` and `refusals` are the same map as last time when nothing in
// them changed, so that their readers can go by identity.

import type { Reason } from '@herald/api';
import type { Address, PersistentMap } from '@herald/net';

/** One wanted write to a Service's status: addresses to give, or none and the reason for taking away. */
export type Allocation = Write &
  (
    | { readonly kind: 'give'; readonly addresses: readonly Address[]; readonly pool: string }
    | { readonly kind: 'take'; readonly addresses: readonly []; readonly reason: Reason }
  );

interface Write {
  readonly serviceKey: string;
  readonly uid: string;
  /** To be written beside the addresses. That of this leadership, or of an address that stays, if it is older. */
  readonly term: number;
}

export interface FamilyCount {
  readonly assigned: number;
  /** Free addresses; capped at Number.MAX_SAFE_INTEGER for large IPv6 pools. */
  readonly available: number;
}

export interface PoolVerdict {
  readonly accepted: boolean;
  readonly reason: Reason | 'Accepted';
  readonly message: string;
  readonly counts: { readonly 4: FamilyCount; readonly 6: FamilyCount };
}

export interface AllocationOutcome<Memory> {
  /** Sorted by Service key; empty when all is as it should be or this replica does not lead. */
  readonly allocations: readonly Allocation[];
  /** By pool name. */
  readonly pools: PersistentMap<PoolVerdict>;
  /** By Service key: AddressConflict, AddressNotOurs - decided alike on every replica, leading or not. */
  readonly refusals: PersistentMap<Reason>;
  readonly memory: Memory;
}
