// The term of a controller that has its source to itself (a folder): one leadership that goes on as long as
// the state directory is there. It is read back after a restart, because a new term would only re-rank
// prefixes whose content is the same. A term never goes back: max(last known + 1, seconds since 2026-01-01).

import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const EPOCH_2026_MS = Date.UTC(2026, 0, 1);

/** A term for a leadership that begins now; `lastKnown` is 0 where none was ever seen. */
export function newTerm(lastKnown: number, nowMs: number): number {
  return Math.max(lastKnown + 1, Math.floor((nowMs - EPOCH_2026_MS) / 1000));
}

/**
 * Reads the term of the state directory, or begins one and writes it there. Throws on a folder that cannot be written,
 * and on a term that cannot be read: there may be one, and a new one in its place could be lower.
 */
export async function loadTerm(stateDir: string, nowMs: number): Promise<number> {
  const file = join(stateDir, 'term');
  const known = Number(await readFile(file, 'utf8').catch(nothingYet));
  if (Number.isSafeInteger(known) && known > 0) {
    return known;
  }
  const term = newTerm(0, nowMs);
  await mkdir(stateDir, { recursive: true, mode: 0o700 });
  await writeFile(`${file}.new`, `${term}\n`, { mode: 0o600 });
  await rename(`${file}.new`, file);
  return term;
}

function nothingYet(error: NodeJS.ErrnoException): string {
  if (error.code !== 'ENOENT') {
    throw error;
  }
  return '';
}
