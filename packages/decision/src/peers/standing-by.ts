// Which peers this replica only stands by for, because another one speaks to their routers: (World, peers) -> names.
//
//   Hot          none: every replica announces, and ranks say whom routers prefer
//   Warm, Cold   the leader speaks; a peer whose replicaSelector leaves out the leader, or any peer while nobody is
//                known to lead, has the best-ranked of the replicas that it selects
//
// A replica counts as long as it says that it is there and its node is Ready. Two that see this differently for a
// moment both speak, as in Hot; that nobody speaks takes a replica that died and still looks alive. What standing by
// means, a session without routes or none, is not decided here.

import { matchesSelector } from '@herald/api';
import type { Labels, Peer } from '@herald/api';
import type { OtherReplica, World } from '../world.ts';

type Facts = Pick<World, 'settings' | 'leadership' | 'freshness' | 'replica' | 'replicas' | 'nodes'>;

const NONE: ReadonlySet<string> = new Set();

export function standsByFor(peers: readonly Peer[], world: Facts): ReadonlySet<string> {
  const { settings, leadership, freshness, replica, replicas } = world;
  // Who led and is about to end speaks until another one serves its routers.
  const leads = leadership.leading || freshness.handsOver;
  // Our own name in the Lease, from before a restart, is ours until somebody else's is there.
  if (settings.standbyMode === 'Hot' || leads || replicas.leader === replica.name) {
    return NONE;
  }
  return new Set(peers.filter((peer) => isAnothers(peer, world)).map(({ name }) => name));
}

export function selectsReplica({ replicaSelector }: Peer, labels: Labels): boolean {
  return replicaSelector === undefined || matchesSelector(replicaSelector, labels);
}

function isAnothers(peer: Peer, world: Facts): boolean {
  const { leader, others } = world.replicas;
  if (leader !== '' && selectsLeader(peer, world)) {
    return true;
  }
  const ours = world.replica;
  return [...others].some(
    ([name, other]) => name !== ours.name && isCandidate(peer, other, world) && isBefore(name, other, ours),
  );
}

function selectsLeader(peer: Peer, { replicas, nodes }: Facts): boolean {
  const node = replicas.others.get(replicas.leader)?.node;
  return peer.replicaSelector === undefined || selectsReplica(peer, nodes.get(node ?? '')?.labels ?? {});
}

function isCandidate(peer: Peer, { node: name }: OtherReplica, { nodes }: Facts): boolean {
  const node = nodes.get(name);
  return node?.ready === 'True' && selectsReplica(peer, node.labels);
}

/** In the order of standby ranks. */
function isBefore(name: string, { ordinal }: OtherReplica, ours: World['replica']): boolean {
  return ordinal < ours.ordinal || (ordinal === ours.ordinal && name < ours.name);
}
