// The API server is away, or its etcd frozen, while something happens; then both are ready again, whatever that was. And
// what has to begin anew after etcd was restored.

import type { Cluster } from '@herald/lab';

type ControlPlane = Pick<Cluster['controlPlane'], 'kill' | 'start' | 'pause' | 'resume' | 'ready'>;

/** Without `meanwhile` it is a restart. */
export async function withoutApiServer(
  controlPlane: ControlPlane,
  meanwhile: () => Promise<unknown> = () => Promise.resolve(),
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
 * What Kubernetes tells its owner to do after etcd was restored: its programs watch from versions that lie in the
 * future now, and would miss what happens until then. Not the kubelets: their pods would be taken for not ready.
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
