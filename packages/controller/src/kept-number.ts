// A number that outlives the process, in a file of the state directory that nobody else may read: found there, or made
// and written there. Throws on a folder that cannot be written, and on a file that cannot be read: there may be a number,
// and another one in its place would be wrong.

import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Positive and whole; a file that says anything else counts as none. */
export async function keptNumber(stateDir: string, name: string, make: () => number): Promise<number> {
  const file = join(stateDir, name);
  const known = Number(await readFile(file, 'utf8').catch(nothingYet));
  if (Number.isSafeInteger(known) && known > 0) {
    return known;
  }
  const made = make();
  await keepNumber(stateDir, name, made);
  return made;
}

export async function keepNumber(stateDir: string, name: string, value: number): Promise<void> {
  const file = join(stateDir, name);
  await mkdir(stateDir, { recursive: true, mode: 0o700 });
  await writeFile(`${file}.new`, `${value}\n`, { mode: 0o600 });
  await rename(`${file}.new`, file);
}

function nothingYet(error: NodeJS.ErrnoException): string {
  if (error.code !== 'ENOENT') {
    throw error;
  }
  return '';
}
