// A cluster of a test file's own, for what disturbs nodes or Herald itself: started, its routers accepting, Herald
// installed by its chart, peered with both, the pool of addresses there. Ended by the file.

import { Cluster, ROUTER_ASN, UP_ROUTERS, openRouter, type ClusterOptions } from '@herald/lab';

import { ensureHerald, ensureSite, sessionsUp, type Values } from './cluster-herald.ts';
import type { RouterName } from './shared-cluster.ts';

/** Of the pool that everything is given from. */
export const SITE_RANGES = ['203.0.113.0/24', '2001:db8:113::/120'] as const;

export interface OwnClusterOptions extends Omit<
  ClusterOptions<RouterName>,
  'routers' | 'progress' | 'flows'
> {
  /** Of the chart. */
  readonly values?: Values;
}

/** Flows stay where they are, as on switches with resilient hashing, so that a lost request is the cluster's doing. */
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
    await ensureHerald(cluster, values, say);
    await ensureSite(cluster, ROUTER_ASN);
    await sessionsUp(cluster);
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
