// The API server is away, or its etcd frozen, while something happens; then both are ready again, whatever that was.

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
