// World -> Decision. Pure: no clock but world.now, no random, no IO; the same World and memory give the same
// Decision, byte for byte, on every replica.
//
//   peers       who is spoken to, where bgpd keeps them, under which number
//   addresses   which writes are wanted, which Services may not be announced
//   routes      what each peer is told, and why not more

import { allocating } from './allocate/allocate.ts';
import type { Decision } from './decision.ts';
import type { Memory } from './memory.ts';
import { planPeers } from './peers/plan-peers.ts';
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
export function* deciding(world: World, memory: Memory): Steps<Decided> {
  const peers = planPeers(world, memory.peers);
  const addresses = yield* allocating(world, memory.allocation);
  const { refusals, unmet } = addresses;
  const routes = yield* decideRoutes(
    { world, peers: peers.peers, announces: peers.announces, refusals, unmet },
    memory,
  );
  const decision: Decision = {
    ...routes.outcome,
    allocations: addresses.allocations,
    sessions: peers.plan,
    peers: peers.verdicts,
    pools: addresses.pools,
    unmet,
    joining: routes.joins.joining,
    wakeAtMs: wakeAt(routes.joins, world),
  };
  return {
    decision,
    memory: {
      peers: peers.memory,
      allocation: addresses.memory,
      ranks: routes.ranks,
      joins: routes.joins,
      routes: routes.memory,
    },
  };
}
