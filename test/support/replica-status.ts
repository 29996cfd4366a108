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

/** Of what a replica says of a Service. */
interface Explained {
  readonly explanation: {
    readonly prefixes: readonly {
      readonly peers: readonly {
        readonly leftOut: readonly { readonly node: string; readonly reason: string }[];
      }[];
    }[];
  };
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

/** Why the node is no next hop of the Service (`namespace/name`): of each replica, prefix and peer. */
export async function leftOutReasons(cluster: Cluster, service: string, node: string): Promise<string[]> {
  const pods = await replicaPods(cluster);
  const answers = await Promise.all(pods.map((pod) => ask<Explained>(pod, `/api/v1/services/${service}`)));
  const peers = answers.flatMap(({ explanation }) => explanation.prefixes.flatMap((prefix) => prefix.peers));
  return peers.flatMap(({ leftOut }) => leftOut.filter((one) => one.node === node).map((one) => one.reason));
}

async function statusOf(pod: ReplicaPod): Promise<ReplicaStatus> {
  return { ...(await ask<ReplicaStatus>(pod, '/api/v1/status')), name: pod.metadata.name };
}

async function ask<T>(pod: ReplicaPod, path: string): Promise<T> {
  const [first] = replicaProcesses(pod);
  const argv = ['curl', '-sS', '-m', '5', `http://127.0.0.1:8179${path}`];
  return JSON.parse(await run(['nsenter', `--net=/proc/${first?.pid}/ns/net`, ...argv])) as T;
}
