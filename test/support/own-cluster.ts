// A cluster with Herald in it, installed by its chart, peered with both routers, the pool of addresses there: the one
// that tests share, or one of a test file's own, for what cannot be put back as it was.

import { Cluster, UP_ROUTERS, openRouter, type ClusterOptions } from '@herald/lab';

import { ensureAll, type Values } from './cluster-herald.ts';
import { sharedCluster, type RouterName } from './shared-cluster.ts';

/** Of the pool that everything is given from. */
export const SITE_RANGES = ['203.0.113.0/24', '2001:db8:113::/120'] as const;

export interface OwnClusterOptions extends Omit<
  ClusterOptions<RouterName>,
  'routers' | 'progress' | 'flows'
> {
  /** Of the chart. */
  readonly values?: Values;
}

/** Attaches; whoever disturbs it puts it back. */
export async function sharedHerald(): Promise<Cluster<RouterName>> {
  const cluster = await sharedCluster();
  await ensureAll(cluster);
  return cluster;
}

/** Ended by the file. Flows stay where they are, as in the shared one. */
export async function ownCluster({
  values = {},
  ...options
}: OwnClusterOptions): Promise<Cluster<RouterName>> {
  const say = (line: string): void => void process.stderr.write(`${options.name}: ${line}\n`);
  const cluster = await Cluster.start({ ...options, routers: UP_ROUTERS, flows: 'pinned', progress: say });
  try {
    for (const name of ['frr', 'bird'] as const) {
      const router = cluster.router(name);
      await router.start(openRouter(router));
    }
    await ensureAll(cluster, values, say);
    return cluster;
  } catch (error) {
    await cluster.stop();
    throw error;
  }
}

/** Addresses of that pool by number. */
export function siteAddresses(number: number): [ipv4: string, ipv6: string] {
  return [`203.0.113.${number}`, `2001:db8:113::${number.toString(16)}`];
}
