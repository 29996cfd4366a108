// The other replicas as a decision sees them: (holder of the Lease, what replicas say of themselves) -> Replicas, the
// same object while nothing of it changed. A replica that has not said where it runs is not there yet.

import { sameProjected, type HeraldReplicaStatus } from '@herald/api';
import type { OtherReplica, Replicas } from '@herald/decision';

export const NOBODY_ELSE: Replicas = { leader: '', others: new Map() };

export function companyOf(
  leader: string,
  statuses: ReadonlyMap<string, HeraldReplicaStatus>,
  before: Replicas,
): Replicas {
  const others = new Map([...statuses].flatMap(([name, status]) => entryOf(name, status)));
  const isSame = leader === before.leader && sameProjected([...others], [...before.others]);
  return isSame ? before : { leader, others };
}

function entryOf(name: string, { node, ordinal }: HeraldReplicaStatus): [string, OtherReplica][] {
  return node === undefined || ordinal === undefined ? [] : [[name, { node, ordinal }]];
}
