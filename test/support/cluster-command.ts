// `npm run cluster -- up|down|status|shell`: the real cluster with Herald installed in it, sessions to its
// routers up, and a pool of addresses to give.

import { ROUTER_ASN, clusterCommand, type Cluster } from '@herald/lab';

import { ensureHerald, ensureSite, sessionsUp } from './cluster-herald.ts';

async function install(cluster: Cluster, say: (line: string) => void): Promise<void> {
  await ensureHerald(cluster, {}, say);
  await ensureSite(cluster, ROUTER_ASN);
  await sessionsUp(cluster);
}

process.exitCode = await clusterCommand(process.argv.slice(2), { afterUp: install });
