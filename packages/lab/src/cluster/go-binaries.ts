/**
 * The programs of a real Kubernetes, built from source once a machine: helm, containerd, Kubernetes with etcd,
 * and the small web server of the lab's pods.
 *
 * In: the Go modules in packages/lab/go. Out: a folder with the programs for each, in the user's cache, named after
 * the hash of go.mod and go.sum (or of our own source), so that a changed module makes a new one. Built into an unfinished folder and renamed
 * when complete; a lock keeps two runs apart. Go is needed for building only, and its settings are left alone.
 */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cacheDirectory } from '../cache-directory.ts';
import { run, runSync } from '../command.ts';
import type { Progress } from '../frr-root.ts';
import { takeLock } from '../lock.ts';

export type GoModule = 'web' | 'helm' | 'containerd' | 'kubernetes';

/** Folder of programs of each module. */
export type GoBinaries = Readonly<Record<GoModule, string>>;

interface Recipe {
  readonly what: string;
  /** On two cores, with nothing in Go's cache. */
  readonly minutes: number;
  readonly tags: string;
  readonly linkerFlags: string;
  /** What gives the folder its name. */
  readonly files: readonly string[];
  /** Tools that go.mod names, or the package that is there. */
  readonly target: 'tool' | '.';
}

const TOOLS = { files: ['go.mod', 'go.sum'], target: 'tool' } as const;

const KUBERNETES_VERSION = 'v1.36.3';

const RECIPES: Readonly<Record<GoModule, Recipe>> = {
  web: {
    what: "the pods' web server",
    minutes: 1,
    tags: '',
    linkerFlags: '-s -w',
    files: ['go.mod', 'main.go'],
    target: '.',
  },
  helm: { what: 'helm', minutes: 3, tags: '', linkerFlags: '-s -w', ...TOOLS },
  containerd: {
    what: 'containerd',
    minutes: 2,
    tags: 'no_btrfs no_zfs no_devmapper',
    linkerFlags: '-s -w',
    ...TOOLS,
  },
  kubernetes: {
    what: `Kubernetes ${KUBERNETES_VERSION} and etcd`,
    minutes: 10,
    tags: '',
    linkerFlags: `-s -w -X k8s.io/component-base/version.gitVersion=${KUBERNETES_VERSION}`,
    ...TOOLS,
  },
};

const GO_MODULES = Object.keys(RECIPES) as GoModule[];

const SOURCES = fileURLToPath(new URL('../../go', import.meta.url));
const BUILD_TIMEOUT_MS = 3_600_000;
/** Where Go is when it is not on the search path. */
const USUAL_GO = '/usr/local/go/bin/go';

export function goFolderName(name: GoModule, moduleFiles: readonly string[]): string {
  const key = createHash('sha256').update(moduleFiles.join('')).digest('hex').slice(0, 8);
  return `go-${name}-${key}`;
}

/** Gives the folders, building what is not there: about a quarter of an hour the first time. */
export async function ensureGoBinaries(progress: Progress = () => {}): Promise<GoBinaries> {
  for (const name of GO_MODULES) if (!isBuilt(name)) await build(name, progress);
  return Object.fromEntries(GO_MODULES.map((name) => [name, folder(name)])) as GoBinaries;
}

/** Says what is missing to build what is not built; empty when there is nothing to build. */
export function missingGo(): string[] {
  const unbuilt = GO_MODULES.filter((name) => !isBuilt(name)).map((name) => RECIPES[name].what);
  if (unbuilt.length === 0 || goProgram() !== undefined) return [];
  return [`Go is missing; it is needed once, to build ${unbuilt.join(', ')} (https://go.dev).`];
}

function folder(name: GoModule): string {
  const files = RECIPES[name].files.map((file) => readFileSync(join(SOURCES, name, file), 'utf8'));
  return cacheDirectory(goFolderName(name, files));
}

function isBuilt(name: GoModule): boolean {
  return existsSync(join(folder(name), 'complete'));
}

function goProgram(): string | undefined {
  return ['go', USUAL_GO].find((program) => runSync([program, 'version']).ok);
}

async function build(name: GoModule, progress: Progress): Promise<void> {
  const path = folder(name);
  mkdirSync(dirname(path), { recursive: true });
  const release = await takeLock(`${path}.lock`, () => progress('waiting for another run that builds it'));
  try {
    if (!isBuilt(name)) await buildInto(path, name, progress);
  } finally {
    release();
  }
}

async function buildInto(path: string, name: GoModule, progress: Progress): Promise<void> {
  const [missing] = missingGo();
  if (missing !== undefined) throw new Error(missing);
  const { what, minutes } = RECIPES[name];
  progress(`building ${what} in ${path} (about ${minutes} min on two cores, once)`);
  const unfinished = `${path}.unfinished`;
  rmSync(unfinished, { recursive: true, force: true });
  mkdirSync(unfinished);
  await run(buildArgv(name, unfinished), { timeoutMs: BUILD_TIMEOUT_MS });
  writeFileSync(join(unfinished, 'complete'), '');
  rmSync(path, { recursive: true, force: true });
  renameSync(unfinished, path);
  progress(`${what} is built`);
}

function buildArgv(name: GoModule, output: string): string[] {
  const { tags, linkerFlags, target } = RECIPES[name];
  const flags = ['-mod=readonly', '-trimpath', '-tags', tags, '-ldflags', linkerFlags];
  return [
    'env',
    'CGO_ENABLED=0',
    'nice',
    goProgram() ?? 'go',
    'build',
    '-C',
    join(SOURCES, name),
    ...flags,
    '-o',
    output,
    target,
  ];
}
