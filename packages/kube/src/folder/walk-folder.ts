// Finds the manifest files below a path: *.yaml, *.yml and *.json, in any depth, through symbolic links.
// Hidden names are passed over: editors keep temporary files there, and a mounted ConfigMap its versions
// (`..data`), to which the visible files are links. A path that is a file itself is its only manifest.
//
// Reads names and stamps, never content. What cannot be read is reported, so that nobody takes it as gone.

import type { BigIntStats } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

/** Equal stamps mean an unchanged file. */
export type Stamp = string;

export interface FolderWalk {
  readonly root: 'present' | 'missing';
  /** Changes when the root is replaced by another directory of the same name. */
  readonly rootIdentity: string;
  /** By path relative to the root. */
  readonly files: ReadonlyMap<string, Stamp>;
  /** Absolute paths, with what tells a directory from another of the same name. */
  readonly directories: ReadonlyMap<string, string>;
  /** Relative paths below which nothing is known. */
  readonly unreadable: readonly string[];
}

interface Findings {
  readonly root: string;
  readonly files: Map<string, Stamp>;
  readonly directories: Map<string, string>;
  readonly unreadable: string[];
}

/** A file that has just changed must not wait behind thousands of looks at others. */
const LOOKS_AT_ONCE = 32;

const MANIFEST = /\.(?:ya?ml|json)$/;

export function isManifestName(name: string): boolean {
  return MANIFEST.test(name) && !isPassedOver(name);
}

export function isPassedOver(name: string): boolean {
  return name.startsWith('.') || name.endsWith('~');
}

export function stampOf(stats: BigIntStats): Stamp {
  return `${stats.dev}:${stats.ino}:${stats.size}:${stats.mtimeNs}`;
}

/** undefined when there is nothing at the path; throws for anything else than that. */
export async function statIfThere(path: string): Promise<BigIntStats | undefined> {
  try {
    return await stat(path, { bigint: true });
  } catch (error) {
    if (isAbsence(error)) {
      return undefined;
    }
    throw error;
  }
}

export function isAbsence(error: unknown): boolean {
  const code = (error as NodeJS.ErrnoException).code;
  return code === 'ENOENT' || code === 'ENOTDIR';
}

export async function walkFolder(root: string): Promise<FolderWalk> {
  const stats = await statIfThere(root);
  if (stats === undefined) {
    return { root: 'missing', rootIdentity: '', files: new Map(), directories: new Map(), unreadable: [] };
  }
  const found: Findings = { root, files: new Map(), directories: new Map(), unreadable: [] };
  if (stats.isDirectory()) {
    await walkDirectory(found, '', stats, new Set());
  } else {
    found.files.set(basename(root), stampOf(stats));
  }
  const { files, directories, unreadable } = found;
  return { root: 'present', rootIdentity: identityOf(stats), files, directories, unreadable };
}

/** Where a file lies whose path came out of a walk. */
export function fileLocation(root: string, path: string, shape: 'folder' | 'file'): string {
  return shape === 'file' ? join(dirname(root), path) : join(root, path);
}

/** Tells a directory from another one of the same name. */
export function identityOf(stats: BigIntStats): string {
  return stats.isDirectory() ? `${stats.dev}:${stats.ino}:${stats.birthtimeNs}` : 'file';
}

/** `above`: identities of the directories on the way here, so that a link to one of them ends. */
async function walkDirectory(
  found: Findings,
  path: string,
  stats: BigIntStats,
  above: ReadonlySet<string>,
): Promise<void> {
  const identity = identityOf(stats);
  if (above.has(identity)) {
    return;
  }
  const location = join(found.root, path);
  const names = await namesIn(location);
  if (names === undefined) {
    found.unreadable.push(path);
    return;
  }
  found.directories.set(location, identity);
  const inside = new Set([...above, identity]);
  const visible = names.filter((name) => !isPassedOver(name));
  for (const batch of batchesOf(visible, LOOKS_AT_ONCE)) {
    await Promise.all(batch.map((name) => visit(found, join(path, name), inside)));
  }
}

async function visit(found: Findings, path: string, above: ReadonlySet<string>): Promise<void> {
  try {
    const stats = await statIfThere(join(found.root, path));
    if (stats?.isDirectory() === true) {
      await walkDirectory(found, path, stats, above);
    } else if (stats?.isFile() === true && MANIFEST.test(path)) {
      found.files.set(path, stampOf(stats));
    }
  } catch {
    found.unreadable.push(path);
  }
}

/** undefined when the directory is there but cannot be read. */
async function namesIn(directory: string): Promise<string[] | undefined> {
  try {
    return await readdir(directory);
  } catch (error) {
    return isAbsence(error) ? [] : undefined;
  }
}

export function* batchesOf<T>(items: readonly T[], size: number): Generator<readonly T[]> {
  for (let start = 0; start < items.length; start += size) {
    yield items.slice(start, start + size);
  }
}
