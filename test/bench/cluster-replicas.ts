// The replicas of Herald in a cluster as processes of this machine: what each holds of the memory, and how to kill its
// bgpd. In: a pod's status. Found by the control groups of its containers, never by name alone.

import type { Cluster } from '@herald/lab';

import { NAMESPACE, RELEASE, list, type KubernetesObject } from '../support/cluster-herald.ts';
import { processesOf, proportionalBytes, workingSetBytes } from '../support/container-processes.ts';
import type { RouterName } from '../support/shared-cluster.ts';

export interface Replica extends KubernetesObject {
  readonly status: {
    readonly initContainerStatuses?: readonly ContainerStatus[];
    readonly containerStatuses?: readonly ContainerStatus[];
  };
}

interface ContainerStatus {
  readonly name: string;
  readonly containerID?: string;
}

export interface ReplicaMemory {
  /** Mebibytes. What the kernel would not get back by dropping caches; shared pages count once. */
  readonly workingSet: number;
  /** Mebibytes: what its processes have resident, a page that several of them have counted once. */
  readonly proportional: number;
  /** Mebibytes: the same, but such a page counted for each: the program text of two Node.js processes twice. */
  readonly resident: number;
}

const MEBIBYTE = 1024 * 1024;

export async function replicas(cluster: Cluster<RouterName>): Promise<readonly Replica[]> {
  const selector = ['-l', `app.kubernetes.io/name=${RELEASE}`];
  const all = await list<Replica>(cluster, 'pods', '-n', NAMESPACE, ...selector);
  return all.filter(({ status }) => containerIds({ status }).length > 1);
}

export function memoryOf(replica: Replica): ReplicaMemory {
  const containers = containerIds(replica).map(processesOf);
  const workingSets = containers.flatMap(([first]) =>
    first === undefined ? [] : workingSetBytes(first.pid),
  );
  const processes = containers.flat();
  const resident = processes.map(({ status }) => Number.parseInt(status['VmRSS'] ?? '0', 10) * 1024);
  return {
    workingSet: sum(workingSets) / MEBIBYTE,
    proportional: sum(processes.map(({ pid }) => proportionalBytes(pid))) / MEBIBYTE,
    resident: sum(resident) / MEBIBYTE,
  };
}

function containerIds({ status }: Pick<Replica, 'status'>): readonly string[] {
  const all = [...(status.initContainerStatuses ?? []), ...(status.containerStatuses ?? [])];
  return all.flatMap(({ containerID }) => containerID ?? []);
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
