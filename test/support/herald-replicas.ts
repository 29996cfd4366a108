// The replicas of Herald in the cluster and their processes on this machine: who leads, and how to kill a part of one.

import { notYet, waitFor, type Cluster } from '@herald/lab';

import type { ApiPool } from './api-pool.ts';
import { NAMESPACE, RELEASE, heraldPods, leaseHolder } from './cluster-herald.ts';
import type { ContainerProcess } from './container-processes.ts';
import { replicaPods, replicaProcesses, type ReplicaPod } from './replica-status.ts';

const LEFT_MS = 60_000;
const LEASE = `/apis/coordination.k8s.io/v1/namespaces/${NAMESPACE}/leases/${RELEASE}`;

interface Lease {
  readonly spec: { readonly holderIdentity?: string };
}

export interface Replica {
  readonly name: string;
  readonly node: string;
  readonly pod: ReplicaPod;
}

export async function replicas(cluster: Cluster): Promise<readonly Replica[]> {
  const pods = await replicaPods(cluster);
  const described = await heraldPods(cluster);
  return pods.map((pod) => {
    const found = described.find(({ metadata }) => metadata.name === pod.metadata.name);
    const { nodeName = '' } = (found?.spec ?? {}) as { nodeName?: string };
    return { name: pod.metadata.name, node: nodeName, pod };
  });
}

export async function leader(cluster: Cluster): Promise<Replica> {
  return await waitFor('one leads', async () => {
    const holder = await leaseHolder(cluster);
    return (await replicas(cluster)).find(({ name }) => name === holder) ?? notYet(holder);
  });
}

export async function standby(cluster: Cluster): Promise<Replica> {
  const { name } = await leader(cluster);
  const other = (await replicas(cluster)).find((replica) => replica.name !== name);
  if (other === undefined) {
    throw new Error('there is no standby');
  }
  return other;
}

/** Resolves with the moment at which another one or nobody held the Lease, as soon as that is seen. */
export async function leaseLeft(api: ApiPool, name: string): Promise<number> {
  for (const untilMs = Date.now() + LEFT_MS; Date.now() < untilMs;) {
    const lease = await api.must<Lease>({ method: 'GET', path: LEASE });
    if (lease.spec.holderIdentity !== name) {
      return Date.now();
    }
  }
  throw new Error(`${name} holds the Lease after ${LEFT_MS} ms`);
}

export function controllerOf({ pod }: Pick<Replica, 'pod'>): ContainerProcess {
  return only(pod, ({ commandLine }) => /^\S*node \S*herald run/.test(commandLine));
}

export function bgpdOf({ pod }: Pick<Replica, 'pod'>): ContainerProcess {
  return only(pod, ({ status }) => status['Name'] === 'bgpd');
}

export function kill(...processes: readonly ContainerProcess[]): void {
  for (const { pid } of processes) {
    process.kill(pid, 'SIGKILL');
  }
}

function only(pod: ReplicaPod, isWanted: (process: ContainerProcess) => boolean): ContainerProcess {
  const found = replicaProcesses(pod).filter(isWanted);
  const [first] = found;
  if (first === undefined || found.length > 1) {
    throw new Error(`${pod.metadata.name} has ${found.length} such processes`);
  }
  return first;
}
