// What one decision hands to the next. A value like any other: deciding twice from the same memory gives the
// same, and a plan may branch off from it.
//
// `ranks`, `joins`, `peers`, `withdrawals`, `guard` and `allocation` are inputs that a decision depends on; `routes` only saves work.

import { emptyAllocationMemory } from './allocate/allocate.ts';
import type { AllocationMemory } from './allocate/allocate.ts';
import { emptyPeerMemory } from './peers/plan-peers.ts';
import type { PeerMemory } from './peers/plan-peers.ts';
import type { GuardMemory } from './guard/guard.ts';
import { emptyWithdrawalMemory } from './peers/withdraw-peers.ts';
import type { WithdrawalMemory } from './peers/withdraw-peers.ts';
import type { JoinMemory } from './routes/join-memory.ts';
import type { RankMemory, RouteMemory } from './routes/route-memory.ts';

export interface Memory {
  readonly peers: PeerMemory;
  readonly withdrawals: WithdrawalMemory;
  readonly allocation: AllocationMemory;
  /** undefined until the first decision, the one that knows of no node since when it looks dead. */
  readonly guard: GuardMemory | undefined;
  /** undefined until the first decision, the one that adopts held ranks. */
  readonly ranks: RankMemory | undefined;
  /** undefined until the first decision, the one that makes nobody wait. */
  readonly joins: JoinMemory | undefined;
  readonly routes: RouteMemory | undefined;
}

export function emptyMemory(): Memory {
  return {
    peers: emptyPeerMemory(),
    withdrawals: emptyWithdrawalMemory(),
    allocation: emptyAllocationMemory(),
    guard: undefined,
    ranks: undefined,
    joins: undefined,
    routes: undefined,
  };
}
