// Before and after all tests of the project `cluster`. Where something is missing to run the cluster that they share,
// that is said, and tests skip themselves, unless the machine is there to prove everything (CI=true). A cluster
// that a test started is taken down; one that was up before is left alone.

import { missingClusterPrerequisites } from '@herald/lab';

import { clusterCommand, isUp } from './shared-cluster.ts';

export async function setup(): Promise<() => Promise<void>> {
  const missing = missingClusterPrerequisites();
  if (missing.length > 0) {
    const sentence = `The cluster cannot run here:\n${missing.join('\n')}`;
    if (process.env['CI'] === 'true') {
      throw new Error(sentence);
    }
    process.stderr.write(`${sentence}\ncluster tests are skipped\n`);
  }
  const wasUp = await isUp();
  return async () => {
    if (!wasUp && (await isUp())) {
      clusterCommand('down');
    }
  };
}
