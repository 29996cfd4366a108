// Before and after all tests of the project `cluster`: the one cluster that they share. One that is up already is
// used and left alone, which is how tests are written against it; otherwise one is started and taken down.
// Where something is missing to run it, that is said and nothing is started; tests then skip themselves, unless
// the machine is there to prove everything (CI=true).

import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

import { Cluster, REPOSITORY, missingClusterPrerequisites } from '@herald/lab';

const COMMAND = join(REPOSITORY, 'packages/lab/cluster.ts');

export async function setup(): Promise<() => void> {
  const missing = missingClusterPrerequisites();
  if (missing.length > 0) {
    const sentence = `The cluster cannot run here:\n${missing.join('\n')}`;
    if (process.env['CI'] === 'true') {
      throw new Error(sentence);
    }
    process.stderr.write(`${sentence}\ncluster tests are skipped\n`);
    return () => undefined;
  }
  const running = await Cluster.attach();
  await running?.stop();
  if (running !== undefined) {
    return () => undefined;
  }
  clusterCommand('up');
  return () => clusterCommand('down');
}

function clusterCommand(word: string): void {
  const { status } = spawnSync(process.execPath, [COMMAND, word], { stdio: ['ignore', 'ignore', 'inherit'] });
  if (status !== 0) {
    throw new Error(`cluster ${word} ended with ${status}`);
  }
}
