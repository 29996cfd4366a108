/**
 * `up`, `down`, `status`, `shell`: the cluster that stays on this machine until it is taken down.
 *
 * In: words of a command line. Out: an exit code; results on standard output, progress on standard error. What is put
 * into the cluster after its start is the caller's: `afterUp` gets it attached.
 */
import { spawn, spawnSync } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { closeSync, mkdirSync, openSync } from 'node:fs';
import { cacheDirectory } from '../cache-directory.ts';
import { isRunning } from '../ledger.ts';
import { takeLock } from '../lock.ts';
import { waitFor } from '../wait-for.ts';
import { Cluster } from './cluster.ts';
import { controlSocket, readFacts } from './cluster-facts.ts';
import type { ClusterFacts } from './cluster-facts.ts';
import { KEEPER, UP_ROUTERS, keepCluster } from './cluster-keeper.ts';
import type { Keeper, KeeperMessage } from './cluster-keeper.ts';
import type { PodTraffic } from './cluster-node.ts';
import { clusterStatus, statusText, usageText } from './cluster-status.ts';
import { remoteObject } from './remote-calls.ts';

export interface ClusterCommandOptions {
  /** Installs things into a cluster that has just been started or was up already; must be idempotent. */
  readonly afterUp?: (cluster: Cluster, say: (line: string) => void) => Promise<void>;
}

const DOWN_TIMEOUT_MS = 60_000;
/** Flows stay where they are, as on switches with resilient hashing, so that a lost request is the cluster's doing. */
const KEPT = { name: 'cluster', routers: UP_ROUTERS, flows: 'pinned' } as const;
const USAGE = `cluster up [--masqueraded]   start it, or find it running
cluster down                 take it away
cluster status [--json]      what there is
cluster shell                a shell with kubectl and helm
`;

export async function clusterCommand(
  words: readonly string[],
  options: ClusterCommandOptions = {},
): Promise<number> {
  const [command = '', ...flags] = words;
  switch (command) {
    case 'up':
      return up(flags.includes('--masqueraded') ? 'masqueraded' : 'routed', options);
    case 'down':
      return down();
    case 'status':
      return status(flags);
    case 'shell':
      return shell();
    case 'keep':
      await keepCluster({ ...KEPT, podTraffic: flags[0] as PodTraffic });
      return 0;
    default:
      process.stderr.write(USAGE);
      return 2;
  }
}

function say(line: string): void {
  process.stderr.write(`cluster: ${line}\n`);
}

async function up(podTraffic: PodTraffic, { afterUp }: ClusterCommandOptions): Promise<number> {
  const failure = await startOnce(podTraffic);
  const facts = readFacts();
  if (facts === undefined) {
    say(failure ?? 'it ended just after its start');
    return 1;
  }
  if (afterUp !== undefined) await installed(afterUp);
  process.stdout.write(usageText(facts));
  return 0;
}

async function installed(afterUp: NonNullable<ClusterCommandOptions['afterUp']>): Promise<void> {
  const cluster = await Cluster.attach();
  if (cluster === undefined) return;
  try {
    await afterUp(cluster, say);
  } finally {
    await cluster.stop();
  }
}

/** One at a time: two that are asked for at once become one. */
async function startOnce(podTraffic: PodTraffic): Promise<string | undefined> {
  mkdirSync(cacheDirectory(), { recursive: true });
  const release = await takeLock(cacheDirectory('cluster.lock'), () => say('it is being started already'));
  try {
    return readFacts() === undefined ? await startKeeper(podTraffic) : undefined;
  } finally {
    release();
  }
}

/** Gives the reason where it could not be started. */
async function startKeeper(podTraffic: PodTraffic): Promise<string | undefined> {
  say('starting three control-plane nodes, three workers, two routers');
  const log = openSync(cacheDirectory('cluster.log'), 'w');
  const [, script = ''] = process.argv;
  const keeper = spawn(process.execPath, [script, 'keep', podTraffic], {
    detached: true,
    stdio: ['ignore', log, log, 'ipc'],
    cwd: '/',
  });
  closeSync(log);
  try {
    return await outcomeOf(keeper);
  } finally {
    if (keeper.connected) keeper.disconnect();
    keeper.unref();
  }
}

function outcomeOf(keeper: ChildProcess): Promise<string | undefined> {
  return new Promise((resolve) => {
    keeper.on('message', (message) => {
      const said = message as KeeperMessage;
      if (said.kind === 'progress') say(said.line);
      else resolve(said.kind === 'failed' ? said.reason : undefined);
    });
    keeper.once('exit', () => resolve(`it ended at its start; see ${cacheDirectory('cluster.log')}`));
  });
}

async function down(): Promise<number> {
  const facts = readFacts();
  if (facts === undefined) {
    say('there is none');
    return 0;
  }
  await (remoteObject(controlSocket(facts), KEEPER, {}) as Keeper).end();
  await waitFor('the keeper has ended', () => !isRunning(facts.keeper), DOWN_TIMEOUT_MS);
  say('it is gone');
  return 0;
}

async function status(flags: readonly string[]): Promise<number> {
  const found = await clusterStatus(readFacts());
  const asJson = flags.includes('--json');
  process.stdout.write(asJson ? `${JSON.stringify(found, undefined, 2)}\n` : statusText(found));
  return found.state === 'up' ? 0 : 3;
}

function shell(): number {
  const facts = readFacts();
  if (facts === undefined) {
    say('there is none; start it with: cluster up');
    return 1;
  }
  process.stderr.write(usageText(facts));
  const program = process.env['SHELL'] ?? '/bin/sh';
  return spawnSync(program, [], { stdio: 'inherit', env: shellEnvironment(facts) }).status ?? 1;
}

function shellEnvironment({ kubeconfig, programs }: ClusterFacts): NodeJS.ProcessEnv {
  const path = `${programs.kubernetes}:${programs.helm}:${process.env['PATH'] ?? ''}`;
  return { ...process.env, KUBECONFIG: kubeconfig, PATH: path };
}
