// The replica that leads and one that does not, by the names of their pods, and another pod in the place of one.

import { notYet, waitFor, type Cluster } from '@herald/lab';

import { NAMESPACE } from './cluster-herald.ts';
import { replicaPods, replicaProcesses, replicaStatuses } from './replica-status.ts';

const ELECTED_MS = 30_000;
const REPLACED_MS = 100_000;

/** Once one leads. */
export function replicaOf(cluster: Cluster, role: 'leader' | 'standby'): Promise<string> {
  return waitFor(
    'one leads',
    async () => {
      const all = await replicaStatuses(cluster);
      const leader = all.find(({ replica }) => replica.leading);
      return leader && (role === 'leader' ? leader : all.find((one) => one !== leader))?.name;
    },
    ELECTED_MS,
  );
}

/** Resolves when its successor runs bgpd and answers. */
export async function replaced(cluster: Cluster, name: string): Promise<void> {
  await cluster.kubectl(['delete', 'pod', name, '-n', NAMESPACE]);
  await waitFor(
    'its successor runs',
    async () => {
      const now = (await replicaPods(cluster)).map((pod) => ({
        name: pod.metadata.name,
        programs: replicaProcesses(pod).map(({ status }) => status['Name']),
      }));
      const isThere =
        now.length === 2 && now.every((pod) => pod.name !== name && pod.programs.includes('bgpd'));
      return (isThere && (await replicaStatuses(cluster)).length === 2) || notYet(now);
    },
    REPLACED_MS,
  );
}
