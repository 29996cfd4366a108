// `npm run cluster -- up|down|status|shell`: the real cluster with Herald installed in it, sessions to its
// routers up, and a pool of addresses to give.

import { clusterCommand } from '@herald/lab';

import { ensureAll } from './cluster-herald.ts';

process.exitCode = await clusterCommand(process.argv.slice(2), {
  afterUp: (cluster, say) => ensureAll(cluster, {}, say),
});
