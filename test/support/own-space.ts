// A namespace of a test's own in the cluster that all share, with pools and other objects whose names begin as it
// does: made empty before, and gone afterwards.

import type { Cluster } from '@herald/lab';

import { list, restrictedNamespace } from './cluster-herald.ts';

const KINDS = ['ipaddresspools', 'bgppeers', 'bgpadvertisements'];

export async function openSpace(cluster: Cluster, space: string): Promise<void> {
  await closeSpace(cluster, space);
  await restrictedNamespace(cluster, space);
}

/** Pools first: who holds an address of a pool that is gone gives it back anyway. */
export async function closeSpace(cluster: Cluster, space: string): Promise<void> {
  for (const kind of KINDS) {
    const names = (await list(cluster, kind)).map(({ metadata }) => metadata.name);
    const ours = names.filter((name) => name.startsWith(`${space}-`));
    if (ours.length > 0) await cluster.kubectl(['delete', kind, ...ours, '--ignore-not-found']);
  }
  await cluster.kubectl(['delete', 'namespace', space, '--ignore-not-found']);
}
