// World -> Decision. Pure: no clock but world.now, no random, no IO; the same World and memory give the same
// Decision, byte for byte, on every replica.
//
//   peers       who is spoken to, where bgpd keeps them, under which number
//   withdrawn   who is told nothing, because this replica is stale and a fresh one serves the router
//   guard       which signs of dead nodes are not believed: too many at once, or too new
//   addresses   which writes are wanted, which Services may not be announced
//   routes      what each peer is told, and why not more

import { allocating } from './allocate/allocate.ts';
import { guard } from './guard/guard.ts';
import type { Decision } from './decision.ts';
import { earliest } from './earliest.ts';
import type { Memory } from './memory.ts';
import { planPeers } from './peers/plan-peers.ts';
import { withdrawPeers } from './peers/withdraw-peers.ts';
import { decideRoutes } from './routes/decide-routes.ts';
import { wakeAt } from './routes/join-memory.ts';
import { finished } from './steps.ts';
import type { Steps } from './steps.ts';
import type { World } from './world.ts';

export interface Decided {
  readonly decision: Decision;
  readonly memory: Memory;
}

export function decide(world: World, memory: Memory): Decided {
  return finished(deciding(world, memory));
}

/** The same, in steps. */
export function* deciding(seen: World, memory: Memory): Steps<Decided> {
  const guarded = guard(seen, memory.guard);
  const world: World = { ...seen, ...guarded.guarded };
  const peers = planPeers(world, memory.peers);
  const silent = withdrawPeers(world, peers, memory.withdrawals);
  const addresses = yield* allocating(world, memory.allocation);
  const { refusals, unmet } = addresses;
  const { announces } = peers;
  const routes = yield* decideRoutes({ world, peers: silent.peers, announces, refusals, unmet }, memory);
  const decision: Decision = {
    ...routes.outcome,
    allocations: addresses.allocations,
    sessions: peers.plan,
    peers: silent.verdicts,
    pools: addresses.pools,
    unmet,
    heldNodes: guarded.held,
    joining: routes.joins.joining,
    wakeAtMs: earliest(wakeAt(routes.joins, world), silent.memory.wakeAtMs, guarded.wakeAtMs),
  };
  return {
    decision,
    memory: {
      peers: peers.memory,
      guard: guarded,
      withdrawals: silent.memory,
      allocation: addresses.memory,
      ranks: routes.ranks,
      joins: routes.joins,
      routes: routes.memory,
    },
  };
}
