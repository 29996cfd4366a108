// A cluster for one test file alone with nothing installed in it, for what begins at the install or takes rights away. Our
// image is in every node; the router runs nothing yet. It ends with the file.

import { Cluster, type ClusterOptions } from '@herald/lab';

import { importHerald } from './cluster-herald.ts';

export interface BareCluster {
  readonly cluster: Cluster<'frr'>;
  /** Of the image. */
  readonly tag: string;
}

export async function bareCluster(
  options: Omit<ClusterOptions<'frr'>, 'routers' | 'progress'>,
): Promise<BareCluster> {
  const progress = (line: string): void => void process.stderr.write(`${options.name}: ${line}\n`);
  const cluster = await Cluster.start({ ...options, routers: { frr: 'frr' }, progress });
  try {
    return { cluster, tag: await importHerald(cluster, progress) };
  } catch (error) {
    await cluster.stop();
    throw error;
  }
}
