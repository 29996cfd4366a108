/**
 * The root folder whose FRR runs in the pods: FRR >= 9.1, which many machines do not have as their own.
 *
 * Decides whether the machine's own root serves; otherwise gives a cached Debian 13 folder, made once a machine by
 * `mmdebstrap` from the mirror in the machine's own apt configuration. The folder's name comes from its package
 * list, so a changed list makes a new one. It is renamed into place when complete; a lock keeps two runs apart.
 */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { cacheDirectory } from './cache-directory.ts';
import { run, runSync } from './command.ts';
import { takeLock } from './lock.ts';

export type Progress = (line: string) => void;

export interface FrrRoot {
  readonly path: string;
  readonly version: string;
}

const SUITE = 'trixie';
/** Node.js needs libatomic1, which a minimal root does not have. */
const PACKAGES = ['frr', 'iproute2', 'libatomic1'];
const BUILD_TIMEOUT_MS = 900_000;
const NEEDED_VERSION = [9, 1] as const;

export function rootFolderName(packages: readonly string[] = PACKAGES): string {
  const key = createHash('sha256')
    .update([SUITE, ...packages].join(' '))
    .digest('hex')
    .slice(0, 8);
  return `${SUITE}-frr-${key}`;
}

export function frrRootPath(): string {
  return hostFrrServes() ? '/' : cacheDirectory(rootFolderName());
}

function hostFrrServes(): boolean {
  const version = parseFrrVersion(runSync(['/usr/lib/frr/bgpd', '--version']).stdout);
  return version !== undefined && isAtLeast(version, NEEDED_VERSION);
}

export function parseFrrVersion(text: string): string | undefined {
  return /bgpd version (\d+\.\d+(?:\.\d+)*)/.exec(text)?.[1];
}

export function isAtLeast(version: string, needed: readonly [number, number]): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major > needed[0] || (major === needed[0] && minor >= needed[1]);
}

/** Gives the root, building it first if it is not there: about a minute and 300 MB, once. */
export async function ensureFrrRoot(progress: Progress = () => {}): Promise<FrrRoot> {
  if (hostFrrServes()) return { path: '/', version: await versionIn('/') };
  const path = frrRootPath();
  if (!existsSync(path)) await build(path, progress);
  return { path, version: await versionIn(path) };
}

async function versionIn(root: string): Promise<string> {
  const text = await run(['chroot', root, '/usr/lib/frr/bgpd', '--version']);
  return parseFrrVersion(text) ?? 'unknown';
}

async function build(path: string, progress: Progress): Promise<void> {
  mkdirSync(cacheDirectory(), { recursive: true });
  const release = await takeLock(`${path}.lock`, () => progress('waiting for another run that makes it'));
  try {
    if (existsSync(path)) return;
    const unfinished = `${path}.unfinished`;
    rmSync(unfinished, { recursive: true, force: true });
    progress(`making a Debian root folder with FRR in ${path} (about a minute, once)`);
    await run(await bootstrapArgv(unfinished), { timeoutMs: BUILD_TIMEOUT_MS });
    renameSync(unfinished, path);
    progress('root folder ready');
  } finally {
    release();
  }
}

async function bootstrapArgv(target: string): Promise<string[]> {
  const mirror = aptMirror(await run(APT_TARGETS));
  if (mirror === undefined) throw new Error('apt knows no mirror of Debian (apt-get indextargets)');
  return [
    'mmdebstrap',
    '--quiet',
    '--variant=minbase',
    `--include=${PACKAGES.join(',')}`,
    SUITE,
    target,
    mirror,
  ];
}

const APT_TARGETS = [
  'apt-get',
  'indextargets',
  '--format',
  '$(ORIGIN)|$(REPO_URI)|$(COMPONENT)',
  'Created-By: Packages',
];

export function hasDebianMirror(): boolean {
  return aptMirror(runSync(APT_TARGETS).stdout) !== undefined;
}

/** The first main archive of Debian proper; security and backport archives lack the base system. */
export function aptMirror(indexTargets: string): string | undefined {
  const rows = indexTargets.split('\n').map((line) => line.split('|'));
  return rows.find(
    ([origin, uri = '', component]) =>
      origin === 'Debian' && component === 'main' && !uri.includes('security'),
  )?.[1];
}
