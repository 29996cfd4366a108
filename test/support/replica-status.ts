// What each replica says of itself on its loopback. Asked from inside its network, so that neither rights nor the API
// server are needed for the answer.

import { run, type Cluster } from '@herald/lab';

import { heraldPods } from './cluster-herald.ts';
import { processesOf, type ContainerProcess } from './container-processes.ts';

interface ContainerStatus {
  readonly name: string;
  readonly containerID?: string;
}

export interface ReplicaPod {
  readonly metadata: { readonly name: string; readonly uid: string };
  readonly status: {
    readonly podIP?: string;
    readonly containerStatuses?: readonly ContainerStatus[];
    readonly initContainerStatuses?: readonly ContainerStatus[];
  };
}

export interface ReplicaStatus {
  readonly name: string;
  readonly ready: boolean;
  readonly faults: readonly { readonly object: string; readonly message: string }[];
  readonly replica: { readonly leading: boolean };
}

export async function replicaPods(cluster: Cluster): Promise<readonly ReplicaPod[]> {
  return (await heraldPods(cluster)) as readonly unknown[] as readonly ReplicaPod[];
}

/** By the pod: what its status says of containers is old where its kubelet does not reach the API server. */
export function replicaProcesses({ metadata }: ReplicaPod): ContainerProcess[] {
  return processesOf(metadata.uid);
}

/** Rejects while one of them does not answer. */
export async function replicaStatuses(cluster: Cluster): Promise<ReplicaStatus[]> {
  return await Promise.all((await replicaPods(cluster)).map(statusOf));
}

/** What is wrong, in the words of all replicas. */
export async function faultMessages(cluster: Cluster): Promise<string[]> {
  const statuses = await replicaStatuses(cluster);
  return statuses.flatMap(({ faults }) => faults.map(({ message }) => message));
}

async function statusOf(pod: ReplicaPod): Promise<ReplicaStatus> {
  const [first] = replicaProcesses(pod);
  const argv = ['curl', '-sS', '-m', '5', 'http://127.0.0.1:8179/api/v1/status'];
  const answer = await run(['nsenter', `--net=/proc/${first?.pid}/ns/net`, ...argv]);
  return { ...(JSON.parse(answer) as ReplicaStatus), name: pod.metadata.name };
}
