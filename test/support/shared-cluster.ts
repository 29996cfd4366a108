// The cluster that all cluster tests share, and whether they can run at all. One that is up already is used, which is
// how tests are written against it; otherwise the first test that asks starts it, so that it takes nothing from the
// tests that run before, and the project's end takes it down (cluster-global.ts).

import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

import { Cluster, REPOSITORY, missingClusterPrerequisites } from '@herald/lab';

export type RouterName = 'frr' | 'bird';

export const CAN_RUN = missingClusterPrerequisites().length === 0;

const BARE = join(REPOSITORY, 'packages/lab/cluster.ts');
/** Also installs Herald. */
const WITH_HERALD = join(REPOSITORY, 'test/support/cluster-command.ts');

/** Attaches; `stop` of what it gives ends only what this process has started. */
export async function sharedCluster(): Promise<Cluster<RouterName>> {
  const running = await Cluster.attach<RouterName>();
  if (running !== undefined) {
    return running;
  }
  clusterCommand('up');
  const started = await Cluster.attach<RouterName>();
  if (started === undefined) {
    throw new Error('the cluster was started and is not there');
  }
  return started;
}

export async function isUp(): Promise<boolean> {
  const cluster = await Cluster.attach();
  await cluster?.stop();
  return cluster !== undefined;
}

/** The one that is up, Herald in it; one that was not there before ends with what is done, unless it is to be kept. */
export async function withSharedHerald(
  act: () => Promise<number>,
  afterwards: 'end' | 'keep' = 'end',
): Promise<number> {
  const wasUp = await isUp();
  // Also where one is up: it installs what is missing.
  clusterCommand('up', WITH_HERALD);
  try {
    return await act();
  } finally {
    if (!wasUp && afterwards === 'end') {
      clusterCommand('down');
    }
  }
}

export function clusterCommand(word: 'up' | 'down', program = BARE): void {
  const { status } = spawnSync(process.execPath, [program, word], { stdio: ['ignore', 'ignore', 'inherit'] });
  if (status !== 0) {
    throw new Error(`cluster ${word} ended with ${status}`);
  }
}
