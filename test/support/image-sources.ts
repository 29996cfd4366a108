/**
 * What the image is made of: the key of the files that its Dockerfile sees. The same files give the same key on every
 * machine; tests and documents are not among them, as .dockerignore says.
 */
import { createHash } from 'node:crypto';
import { readFileSync, readdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import { REPOSITORY } from '@herald/lab';

const FILES = ['Dockerfile', '.dockerignore', '.npmrc', 'LICENSE', 'package.json', 'package-lock.json'];
const FOLDERS = ['deploy/image', 'deploy/examples'];

export function imageSourcesKey(): string {
  const hash = createHash('sha256').update(process.arch);
  for (const file of imageSources()) {
    hash.update(`\n${file}\n`).update(readFileSync(join(REPOSITORY, file)));
  }
  return hash.digest('hex').slice(0, 12);
}

export function imageSources(): string[] {
  const packages = readdirSync(join(REPOSITORY, 'packages')).map((name) => join('packages', name));
  // The lab is no part of the image; npm only wants to know that it exists.
  const sources = packages.filter((folder) => folder !== 'packages/lab').map((folder) => join(folder, 'src'));
  const manifests = packages.map((folder) => join(folder, 'package.json'));
  return [...FILES, ...manifests, ...[...FOLDERS, ...sources].flatMap(filesBelow)].sort();
}

function filesBelow(folder: string): string[] {
  return readdirSync(join(REPOSITORY, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(REPOSITORY, join(entry.parentPath, entry.name)));
}
