// `npm run demo -- --cluster [--json] [--keep]`: the main job on a real Kubernetes, with Herald installed by its chart:
// a Service of real pods, reached by a client through a real router, while pods and replicas come and go. The
// cluster that `npm run cluster -- up` left is used; otherwise one is started, and ends with the demo unless it is to be
// kept. Exit code 0 only if every step ended as expected and no request was lost.

import { parseArgs, styleText } from 'node:util';

import { isUp, withSharedHerald } from '../support/shared-cluster.ts';
import { ClusterWalk, type ClusterStep } from './cluster-walk.ts';

const { values: options } = parseArgs({
  options: {
    cluster: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    keep: { type: 'boolean', default: false },
  },
});

/** With --json, standard output is for the machine's line; people read standard error. */
function print(text: string): void {
  (options.json ? process.stderr : process.stdout).write(`${text}\n`);
}

function render({ title, commands, routes, answers, ...step }: ClusterStep): string {
  const { sent, lost, lostByCause, convergedMs } = step;
  const hops = Object.entries(routes).map(
    ([prefix, nodes]) => `        ${prefix.padEnd(22)} via ${nodes.join(', ')}`,
  );
  const pods = Object.entries(answers).map(([pod, count]) => `        ${pod.padEnd(32)} ${count}`);
  const facts = `routers right after ${convergedMs} ms, ${sent} requests, ${lost} lost`;
  return [
    '',
    styleText('bold', `  ${title}`),
    ...commands.map((command) => styleText('dim', `      $ ${command}`)),
    '      frr and bird: BGP table and kernel FIB',
    ...(hops.length === 0 ? ['        (none)'] : hops),
    ...(pods.length === 0 ? [] : ['      answers through frr', ...pods]),
    lost === 0
      ? styleText('green', `      ok: ${facts}`)
      : styleText('red', `      LOST: ${facts}: ${JSON.stringify(lostByCause)}`),
  ].join('\n');
}

async function main(): Promise<number> {
  if (!(await isUp())) {
    print('Starting a Kubernetes with three control-plane nodes and three workers, and Herald in it.');
  }
  return await withSharedHerald(walk, options.keep ? 'keep' : 'end');
}

async function walk(): Promise<number> {
  const steps: ClusterStep[] = [];
  const walking = await ClusterWalk.open();
  try {
    print(`\n${await walking.introduction()}`);
    for await (const step of walking.steps()) {
      steps.push(step);
      print(render(step));
    }
  } finally {
    await walking.close();
  }
  const sent = steps.reduce((sum, step) => sum + step.sent, 0);
  const lost = steps.reduce((sum, step) => sum + step.lost, 0);
  print(`\n${steps.length} steps, ${sent} requests, ${lost} lost.`);
  if (options.json) {
    process.stdout.write(`${JSON.stringify({ ok: lost === 0, requests: sent, lost, steps })}\n`);
  }
  if (options.keep) {
    print('The cluster stays: `npm run cluster -- status` says how to look around, `-- down` takes it away.');
  }
  return lost === 0 ? 0 : 1;
}

try {
  process.exitCode = await main();
} catch (error) {
  process.stderr.write(`demo: ${(error as Error).message}\n`);
  process.exitCode = 1;
}
