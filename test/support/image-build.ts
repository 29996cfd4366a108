/**
 * Builds the image from the real Dockerfile, its RUN steps included, and gives it as an archive that containerd imports.
 *
 * In: the repository, a Debian mirror known to the machine's apt. Out: an OCI archive in the user's cache, named after
 * what the image is made of (see image-sources.ts), so that an unchanged image is made once a machine. There is no
 * engine and no daemon: buildah keeps its layers in the same cache, so that a changed source makes only the last ones.
 * Proxies and registries come from the machine's own configuration, as secrets that no layer keeps.
 */
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { REPOSITORY, cacheDirectory, run, tryRun } from '@herald/lab';
import { aptMirror } from '../../packages/lab/src/frr-root.ts';
import { takeLock } from '../../packages/lab/src/lock.ts';
import { imageSourcesKey } from './image-sources.ts';

export interface BuiltImage {
  /** With a host part, as containerd wants it, and the key of its sources as tag. */
  readonly name: string;
  readonly archive: string;
  readonly archiveBytes: number;
}

type Progress = (line: string) => void;

export const IMAGE_REPOSITORY = 'lab.local/herald';

const SUITE = 'trixie';
const BASE_NAME = `localhost/debian:${SUITE}-minbase`;
const RUN_ROOT = '/run/herald-image-build';
const KEPT_ARCHIVES = 3;
const BUILD_TIMEOUT_MS = 1_800_000;

/** Where a machine keeps what its proxy needs; what is not there is not given. */
const SECRETS: Readonly<Record<string, string | undefined>> = {
  ca: process.env['NODE_EXTRA_CA_CERTS'],
  npmrc: join(homedir(), '.npmrc'),
};

export async function ensureImage(progress: Progress = () => {}): Promise<BuiltImage> {
  const key = imageSourcesKey();
  const name = `${IMAGE_REPOSITORY}:${key}`;
  const archive = builtArchive(key);
  if (!existsSync(archive)) {
    mkdirSync(cacheFolder(), { recursive: true });
    const lock = join(cacheFolder(), 'build.lock');
    const release = await takeLock(lock, () => progress('waiting for another run that builds the image'));
    try {
      if (!existsSync(archive)) await buildArchive(name, key, archive, progress);
    } finally {
      release();
    }
  }
  return { name, archive, archiveBytes: statSync(archive).size };
}

async function buildArchive(name: string, key: string, archive: string, progress: Progress): Promise<void> {
  const buildah = await buildahArgv();
  await ensureBase(buildah, progress);
  progress(`building ${name} (some minutes the first time, then seconds)`);
  await run([...buildah, ...buildArguments(name, key)], { timeoutMs: BUILD_TIMEOUT_MS });
  const unfinished = `${archive}.unfinished`;
  rmSync(unfinished, { force: true });
  await run([...buildah, 'push', '--quiet', name, `oci-archive:${unfinished}:${name}`], {
    timeoutMs: BUILD_TIMEOUT_MS,
  });
  renameSync(unfinished, archive);
  await dropOldImages(buildah);
  progress(`${name} is built: ${Math.round(statSync(archive).size / 1e6)} MB as an archive`);
}

function buildArguments(name: string, key: string): string[] {
  const secrets = Object.entries(SECRETS).flatMap(([id, path]) =>
    path !== undefined && existsSync(path) ? ['--secret', `id=${id},src=${path}`] : [],
  );
  const flags = ['--quiet', '--isolation', 'chroot', '--pull=never', '--layers'];
  const values = { BASE: BASE_NAME, VERSION: `0.0.0-${key}`, REVISION: key };
  return [
    'build',
    ...flags,
    ...Object.entries(values).flatMap(([argument, value]) => ['--build-arg', `${argument}=${value}`]),
    ...secrets,
    '--tag',
    name,
    REPOSITORY,
  ];
}

async function ensureBase(buildah: readonly string[], progress: Progress): Promise<void> {
  if ((await tryRun([...buildah, 'inspect', '--type', 'image', BASE_NAME])) !== undefined) {
    return;
  }
  progress('making a Debian base image (about a minute, once)');
  const context = join(cacheFolder(), 'base');
  rmSync(context, { recursive: true, force: true });
  mkdirSync(context, { recursive: true });
  const mirror = await debianMirror();
  const tar = join(context, 'root.tar');
  await run(['mmdebstrap', '--quiet', '--variant=minbase', SUITE, tar, mirror], {
    timeoutMs: BUILD_TIMEOUT_MS,
  });
  writeFileSync(join(context, 'Dockerfile'), 'FROM scratch\nADD root.tar /\n');
  await run([...buildah, 'build', '--quiet', '--pull=never', '--tag', BASE_NAME, context], {
    timeoutMs: BUILD_TIMEOUT_MS,
  });
  rmSync(context, { recursive: true });
}

async function debianMirror(): Promise<string> {
  const format = ['--format', '$(ORIGIN)|$(REPO_URI)|$(COMPONENT)', 'Created-By: Packages'];
  const mirror = aptMirror(await run(['apt-get', 'indextargets', ...format]));
  if (mirror === undefined) {
    throw new Error('apt knows no mirror of Debian (apt-get indextargets)');
  }
  return mirror;
}

/** Layers of its own, in the cache. Copying them, as `vfs` does, is for where nothing may be mounted. */
async function buildahArgv(): Promise<string[]> {
  const root = cacheDirectory('image', 'layers');
  const driver = (await canMountOverlay()) ? 'overlay' : 'vfs';
  return ['buildah', '--root', root, '--runroot', RUN_ROOT, '--storage-driver', driver];
}

async function canMountOverlay(): Promise<boolean> {
  const folder = mkdtempSync(join(cacheFolder(), 'overlay-'));
  try {
    for (const name of ['lower', 'upper', 'work', 'all']) mkdirSync(join(folder, name));
    const options = `lowerdir=${folder}/lower,upperdir=${folder}/upper,workdir=${folder}/work`;
    const mount = ['mount', '-t', 'overlay', 'overlay', '-o', options, `${folder}/all`];
    return (await tryRun(['unshare', '--mount', ...mount])) !== undefined;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Enough for an upgrade and a way back; the rest is made again when it is wanted. */
async function dropOldImages(buildah: readonly string[]): Promise<void> {
  const archives = readdirSync(cacheFolder())
    .filter((name) => /^herald-\w+\.tar$/.test(name))
    .map((name) => ({ name, path: join(cacheFolder(), name) }))
    .sort((a, b) => statSync(b.path).mtimeMs - statSync(a.path).mtimeMs);
  for (const { name, path } of archives.slice(KEPT_ARCHIVES)) {
    rmSync(path);
    await tryRun([...buildah, 'rmi', `${IMAGE_REPOSITORY}:${name.slice('herald-'.length, -'.tar'.length)}`]);
  }
}

/** Where the archive of the image with that tag is, if it was built. */
export function builtArchive(tag: string): string {
  return join(cacheFolder(), `herald-${tag}.tar`);
}

function cacheFolder(): string {
  return cacheDirectory('image');
}
