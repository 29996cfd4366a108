// The README's quick start, run as it stands: its code blocks by name, and a shell in which `kubectl` and `helm` are the
// cluster's and `curl` is a machine's behind the router.
//
// In: README.md, a cluster, what is ours for the variables of the first block. Out: what each block has said. A
// variable that the README does not have is refused, so that the test cannot drift from it. The lines of
// deploy/manifests/README.md are run in the same shell, on a copy of the folder with an image of ours.

import { chmodSync, cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { REPOSITORY, run, type Cluster } from '@herald/lab';

/** Names of the README's blocks, in its order. */
export type StepName = 'install' | 'configure' | 'serve' | 'ask' | 'look' | 'uninstall' | 'remove';

const README = join(REPOSITORY, 'README.md');
const MANIFESTS = 'deploy/manifests';
const BLOCK = /^```(?<name>[^\n]*)\n(?<text>.*?)^```$/gms;
const STEP_TIMEOUT_MS = 240_000;

/** Text of a block by what stands behind its opening fence, such as `sh install` or `frr`. */
export function readmeBlock(name: string): string {
  const section =
    /^## Install\n(?<text>.*?)^## /ms.exec(readFileSync(README, 'utf8'))?.groups?.['text'] ?? '';
  return blockOf(section, name);
}

function blockOf(text: string, name: string): string {
  const found = [...text.matchAll(BLOCK)].filter(({ groups }) => groups?.['name'] === name);
  const [only, ...more] = found.map(({ groups }) => groups?.['text'] ?? '');
  if (only === undefined || more.length > 0) {
    throw new Error(`there are ${found.length} blocks called "${name}"`);
  }
  return only;
}

/** What a reader would have: the programs, and the variables set to what is theirs. */
export class QuickStart {
  readonly #directory: string;
  readonly #preamble: string;
  readonly #kubeconfig: string;

  constructor(cluster: Cluster, client: string, variables: Readonly<Record<string, string | number>>) {
    const { programs, directory, kubeconfig } = cluster.facts;
    this.#directory = join(directory, 'quick-start');
    this.#kubeconfig = kubeconfig;
    this.#preamble = `${readmeBlock('sh variables')}${overridden(variables)}`;
    mkdirSync(this.#directory);
    symlinkSync(join(programs.kubernetes, 'kubectl'), join(this.#directory, 'kubectl'));
    symlinkSync(join(programs.helm, 'helm'), join(this.#directory, 'helm'));
    const curl = `#!/bin/sh\nexec nsenter --net=/run/netns/${client} /usr/bin/curl -sS -m 2 "$@"\n`;
    writeFileSync(join(this.#directory, 'curl'), curl);
    chmodSync(join(this.#directory, 'curl'), 0o755);
  }

  step(name: StepName): Promise<string> {
    return this.#run(REPOSITORY, `${this.#preamble}${readmeBlock(`sh ${name}`)}`);
  }

  /** Without Helm. */
  applyManifests(image: string): Promise<string> {
    const checkout = join(this.#directory, 'checkout');
    const folder = join(checkout, MANIFESTS);
    cpSync(join(REPOSITORY, MANIFESTS), folder, { recursive: true });
    const manifest = join(folder, 'herald.yaml');
    const text = readFileSync(manifest, 'utf8').replaceAll(/^(?<key> +image: ).*$/gm, `$<key>${image}`);
    writeFileSync(manifest, text);
    return this.#run(checkout, blockOf(readFileSync(join(folder, 'README.md'), 'utf8'), ''));
  }

  #run(folder: string, lines: string): Promise<string> {
    const environment = [
      `HOME=${this.#directory}`,
      `KUBECONFIG=${this.#kubeconfig}`,
      `PATH=${this.#directory}:/usr/sbin:/usr/bin:/sbin:/bin`,
    ];
    return run(['env', '-i', ...environment, 'bash', '-euo', 'pipefail', '-c', `cd ${folder}\n${lines}`], {
      timeoutMs: STEP_TIMEOUT_MS,
    });
  }
}

function overridden(variables: Readonly<Record<string, string | number>>): string {
  const block = readmeBlock('sh variables');
  return Object.entries(variables)
    .map(([name, value]) => {
      if (!new RegExp(`(^|\\s)${name}=`, 'm').test(block)) {
        throw new Error(`the README sets no variable ${name}`);
      }
      return `${name}=${value}\n`;
    })
    .join('');
}

/** One table of `kubectl get`: rows by what their NAME column says, cells by the head of their column. */
export function kubectlTables(text: string): ReadonlyMap<string, Readonly<Record<string, string>>> {
  const tables = text.trim().split(/\n\n+/).map(rowsOf);
  return new Map(tables.flat().map((row) => [row['NAME'] ?? '', row]));
}

/** Columns are as wide as their head and cells begin below it; an empty cell is there as blanks. */
function rowsOf(table: string): Record<string, string>[] {
  const [head = '', ...lines] = table.split('\n');
  const columns = [...head.matchAll(/\S+(?: \S+)*/g)].map(({ 0: title, index }) => ({ title, index }));
  return lines.map((line) =>
    Object.fromEntries(
      columns.map(({ title, index }, number) => [
        title,
        line.slice(index, columns[number + 1]?.index).trim(),
      ]),
    ),
  );
}
