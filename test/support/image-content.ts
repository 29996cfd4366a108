// What the image is as it runs: every file that a container of it sees, without what was mounted for the pod, and the
// labels of the image that the container was made of.
//
// In: a process of the container; the tag and the digest by which the kubelet knows the image. Out: paths with types and
// modes; labels.

import { lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

import { run } from '@herald/lab';

import { mountsOf } from './container-processes.ts';
import { builtArchive } from './image-build.ts';

export interface ImageFile {
  readonly path: string;
  readonly kind: 'file' | 'folder' | 'other';
  /** Of a link: what it may be used for is up to what it leads to. */
  readonly mode: number | undefined;
}

export function imageFiles(pid: number): ImageFile[] {
  const mounted = new Set(mountsOf(pid).map(({ path }) => path));
  const below = (folder: string): ImageFile[] =>
    readdirSync(join(`/proc/${pid}/root`, folder))
      .map((name) => join(folder, name))
      .filter((path) => !mounted.has(path))
      .map((path) => imageFile(pid, path))
      .flatMap((file) => (file.kind === 'folder' ? [file, ...below(file.path)] : [file]));
  return below('/');
}

function imageFile(pid: number, path: string): ImageFile {
  const stat = lstatSync(join(`/proc/${pid}/root`, path));
  const kind = stat.isDirectory() ? 'folder' : stat.isFile() ? 'file' : 'other';
  return { path, kind, mode: stat.isSymbolicLink() ? undefined : stat.mode & 0o7777 };
}

/** `digest` is that of the configuration, by which containerd calls an image. */
export async function imageLabels(tag: string, digest: string): Promise<Readonly<Record<string, string>>> {
  const blob = `blobs/${digest.replace(':', '/')}`;
  const text = await run(['tar', '--extract', '--to-stdout', '--file', builtArchive(tag), blob]);
  return (JSON.parse(text) as { config: { Labels: Record<string, string> } }).config.Labels;
}
