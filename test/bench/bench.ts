// `npm run bench -- [NAME...] [--json] [--save FOLDER]`: runs the named benchmarks, or all of them, one after
// the other. With --json the last line of standard output is one JSON array of figures; with --save each
// benchmark's figures are kept in FOLDER/NAME.json, with how loaded the machine was. Exit code 1 if any
// figure misses its bound.

import { mkdirSync, writeFileSync } from 'node:fs';
import { availableParallelism, loadavg, setPriority } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

import { table } from './figure.ts';
import type { Figure } from './figure.ts';

type Benchmark = () => Promise<readonly Figure[]>;

/** Loaded when asked for: some need root and routers, and memory figures want nothing else in the process. */
const BENCHMARKS: Readonly<Record<string, () => Promise<{ readonly run: Benchmark }>>> = {
  'decide-full': () => import('./decide-full.ts'),
  'decide-one-change': () => import('./decide-one-change.ts'),
  'feed-replay': () => import('./feed-replay.ts'),
  'event-to-update': () => import('./event-to-update.ts'),
  rss: () => import('./rss.ts'),
  cluster: () => import('./cluster.ts'),
  scale: () => import('./scale.ts'),
  replicas: () => import('./replicas.ts'),
};

/** Served before other programs of the machine, and so are the routers and pods that are started from here. */
const PRIORITY = -10;

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { json: { type: 'boolean' }, save: { type: 'string' } },
  });
  const names = positionals.length > 0 ? positionals : Object.keys(BENCHMARKS);
  const unknown = names.filter((name) => !(name in BENCHMARKS));
  if (unknown.length > 0) {
    process.stderr.write(
      `no benchmark ${unknown.join(', ')}; there are ${Object.keys(BENCHMARKS).join(', ')}\n`,
    );
    return 2;
  }
  if (process.getuid?.() === 0) {
    setPriority(PRIORITY);
  }
  const figures: Figure[] = [];
  for (const name of names) {
    process.stderr.write(`running ${name}\n`);
    const own = await runOne(name);
    figures.push(...own);
    if (values.save !== undefined) {
      save(values.save, name, own);
    }
  }
  process.stdout.write(`${table(figures)}\n`);
  if (values.json) {
    process.stdout.write(`${JSON.stringify(figures)}\n`);
  }
  return figures.every((f) => f.ok) ? 0 : 1;
}

/** The load is that of the run and the minutes around it: this process and others. */
function save(folder: string, name: string, figures: readonly Figure[]): void {
  const [loadAverage = 0] = loadavg().slice(1);
  const kept = {
    command: `npm run bench -- ${name} --json`,
    cores: availableParallelism(),
    loadAverage,
    figures,
  };
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, `${name}.json`), `${JSON.stringify(kept, undefined, 2)}\n`);
}

async function runOne(name: string): Promise<readonly Figure[]> {
  const module = await BENCHMARKS[name]?.();
  return (await module?.run()) ?? [];
}

process.exitCode = await main();
