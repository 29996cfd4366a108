// `npm run demo [-- --json] [-- --keep]`: the main job on real daemons, without a cluster. Exit code 0 only if
// every step ended exactly as expected and no request was lost. --json prints one object as the last line.

import { once } from 'node:events';
import { parseArgs } from 'node:util';

import { renderIntroduction, renderStep } from './print.ts';
import { openScene, type Scene } from './scene.ts';
import { STEPS } from './steps.ts';
import { walk, type StepResult } from './walk.ts';

const { values: options } = parseArgs({
  options: { json: { type: 'boolean', default: false }, keep: { type: 'boolean', default: false } },
});

/** With --json, standard output is for the machine's line; people read standard error. */
function print(text: string): void {
  (options.json ? process.stderr : process.stdout).write(`${text}\n`);
}

async function main(): Promise<number> {
  const started = performance.now();
  print(renderIntroduction());
  const scene = await openScene((sentence) => print(`  ${sentence}`));
  try {
    const results = await walkAll(scene);
    const ok = results.every((result) => result.ok);
    const seconds = Math.round((performance.now() - started) / 100) / 10;
    print(summary(results, seconds));
    if (options.json) {
      process.stdout.write(`${JSON.stringify(report(results, ok, seconds))}\n`);
    }
    await keepIfAsked(scene);
    return ok ? 0 : 1;
  } finally {
    await scene.lab.close();
  }
}

async function walkAll(scene: Scene): Promise<StepResult[]> {
  const results: StepResult[] = [];
  let serving: readonly string[] = [];
  for (const step of STEPS) {
    const result = await walk(scene, step, serving);
    results.push(result);
    print(renderStep(result, results.length, STEPS.length));
    serving = [...serving, ...(step.serves ?? [])];
  }
  return results;
}

function summary(results: readonly StepResult[], seconds: number): string {
  const failed = results.filter((result) => !result.ok).length;
  const requests = results.reduce((sum, result) => sum + result.requests, 0);
  const lost = results.reduce((sum, result) => sum + result.lost, 0);
  const verdict = failed === 0 ? 'Every step ended as expected' : `${failed} steps did not end as expected`;
  return `${verdict}: ${results.length} steps, ${requests} requests, ${lost} lost, ${seconds} s.`;
}

function report(results: readonly StepResult[], ok: boolean, seconds: number) {
  const requests = results.reduce((sum, result) => sum + result.requests, 0);
  const lost = results.reduce((sum, result) => sum + result.lost, 0);
  return { ok, seconds, requests, lost, steps: results };
}

async function keepIfAsked(scene: Scene): Promise<void> {
  if (!options.keep) {
    return;
  }
  const { topology, manifests } = scene;
  const frr = topology.router('tor-frr');
  const bird = topology.router('tor-bird');
  const client = topology.client('tor-frr');
  print(`
It keeps running. Look around from another terminal:
  edit the manifests  ${manifests.path}
  FRR router          vtysh --vty_socket ${frr.directory} -c 'show bgp ipv4 unicast'
  BIRD router         birdc -s ${bird.directory}/bird.ctl show route all
  kernel of tor-frr   ${inside(frr.namespace)} ip route
  as a client         ${inside(client.namespace)} curl http://203.0.113.1
  Herald's status     ${inside(topology.pod().namespace)} curl http://127.0.0.1:8179/api/v1/status
  Herald's bgpd       vtysh --vty_socket ${topology.pod().sharedDirectory} -c 'show bgp summary'
Stop it with Ctrl-C.`);
  await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')]);
}

function inside(namespace: { readonly name: string }): string {
  return `nsenter --net=/run/netns/${namespace.name}`;
}

try {
  process.exitCode = await main();
} catch (error) {
  process.stderr.write(`demo: ${(error as Error).message}\n`);
  process.exitCode = 1;
}
