// The term of a controller that has its source to itself (a folder): one leadership that goes on as long as
// the state directory is there. It is read back after a restart, because a new term would only re-rank
// prefixes whose content is the same. A term never goes back: max(last known + 1, seconds since 2026-01-01).

import { keptNumber } from './kept-number.ts';

const EPOCH_2026_MS = Date.UTC(2026, 0, 1);

/** A term for a leadership that begins now; `lastKnown` is 0 where none was ever seen. */
export function newTerm(lastKnown: number, nowMs: number): number {
  return Math.max(lastKnown + 1, Math.floor((nowMs - EPOCH_2026_MS) / 1000));
}

/** Reads the term of the state directory, or begins one and writes it there; throws as `keptNumber` does. */
export async function loadTerm(stateDir: string, nowMs: number): Promise<number> {
  return await keptNumber(stateDir, 'term', () => newTerm(0, nowMs));
}
