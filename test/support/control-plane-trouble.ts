// The API server is away, or its etcd frozen, while something happens; then both are ready again, whatever that was. And
// what has to begin anew after etcd was restored.

import { notYet, waitFor, type Cluster, type NodeConditions } from '@herald/lab';

import { get } from './cluster-herald.ts';

type ControlPlane = Pick<Cluster['controlPlane'], 'kill' | 'start' | 'pause' | 'resume' | 'ready'>;

const KUBELET_MS = 60_000;

export async function restartApiServer(controlPlane: ControlPlane): Promise<void> {
  await withoutApiServer(controlPlane, () => Promise.resolve());
}

export async function withoutApiServer(
  controlPlane: ControlPlane,
  meanwhile: () => Promise<unknown>,
): Promise<void> {
  await controlPlane.kill('apiserver');
  try {
    await meanwhile();
  } finally {
    await controlPlane.start('apiserver');
    await controlPlane.ready();
  }
}

export async function whileEtcdIsFrozen(
  controlPlane: ControlPlane,
  meanwhile: () => Promise<unknown>,
): Promise<void> {
  await controlPlane.pause('etcd');
  try {
    await meanwhile();
  } finally {
    await controlPlane.resume('etcd');
    await controlPlane.ready();
  }
}

/**
 * A controller manager that is elected, as it is where there is more than one, ends when it could not renew its Lease for
 * ten seconds. The process after it gives each node the full time to be heard before it marks the node and its pods not
 * ready. One that goes on remembers when it heard the nodes last, and marks at once those that are slower to come back
 * than it.
 */
export async function withoutControllerManager(
  controlPlane: ControlPlane,
  outage: () => Promise<unknown>,
): Promise<void> {
  await controlPlane.kill('controller-manager');
  try {
    await outage();
  } finally {
    await controlPlane.start('controller-manager');
  }
}

/**
 * What Kubernetes tells its owner to do after etcd was restored: its programs watch from versions that lie in the
 * future now, and would miss what happens until then. Not the kubelets: their pods would be taken for not ready.
 * One node after the other, as an update does it.
 */
export async function restartWatchers({ controlPlane, nodes }: Cluster): Promise<void> {
  for (const name of ['controller-manager', 'scheduler'] as const) {
    await controlPlane.kill(name);
    await controlPlane.start(name);
  }
  for (const node of nodes) {
    await node.restart('kube-proxy');
  }
}

/**
 * Belongs to the same advice, when requests do not count any more: a kubelet that watches from the future does not hear for
 * minutes that its pods were marked not ready, and does not mend it. Resolves when each has told of its node again.
 */
export async function restartKubelets(cluster: Cluster): Promise<void> {
  for (const node of cluster.nodes) {
    const sinceMs = Date.now();
    await node.restart('kubelet');
    await waitFor(
      `the kubelet of ${node.name} tells of its node`,
      async () => {
        const { status } = await get<NodeConditions>(cluster, 'node', node.name);
        const ready = status?.conditions?.find(({ type }) => type === 'Ready');
        return Date.parse(ready?.lastHeartbeatTime ?? '') > sinceMs || notYet(ready);
      },
      KUBELET_MS,
    );
  }
}
