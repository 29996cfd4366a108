// `node packages/lab/cluster.ts up|down|status|shell`: the bare cluster, with nothing of ours installed in it.

import { clusterCommand } from './src/index.ts';

process.exitCode = await clusterCommand(process.argv.slice(2));
