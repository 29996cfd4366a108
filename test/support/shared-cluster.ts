// The cluster that all cluster tests share, and whether they can run at all.

import { Cluster, missingClusterPrerequisites } from '@herald/lab';

export type RouterName = 'frr' | 'bird';

export const CAN_RUN = missingClusterPrerequisites().length === 0;

/** Attaches; `stop` of what it gives ends only what this process has started. */
export async function sharedCluster(): Promise<Cluster<RouterName>> {
  const cluster = await Cluster.attach<RouterName>();
  if (cluster === undefined) {
    throw new Error('no cluster is up; it is started before the tests of the project `cluster`');
  }
  return cluster;
}
