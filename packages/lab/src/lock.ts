/**
 * A lock between processes of one machine: a file that names its holder.
 *
 * In: a path. Out: a release function, once the lock is ours. A lock whose holder is gone is taken over. Not for
 * hot paths: waiting is polling.
 */
import { linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { isRunning, processStartTime } from './ledger.ts';
import type { ProcessEntry } from './ledger.ts';

const POLL_MS = 500;

export async function takeLock(path: string, onWait: () => void): Promise<() => void> {
  const mine: ProcessEntry = { pid: process.pid, startTime: processStartTime(process.pid) ?? '' };
  for (let waited = false; !tryTake(path, mine); waited = true) {
    if (!waited) onWait();
    dropIfAbandoned(path);
    await delay(POLL_MS);
  }
  return () => rmSync(path, { force: true });
}

/** Linked, not created: whoever sees the lock can read its holder. */
function tryTake(path: string, holder: ProcessEntry): boolean {
  const candidate = `${path}.${holder.pid}`;
  writeFileSync(candidate, JSON.stringify(holder));
  try {
    linkSync(candidate, path);
    return true;
  } catch {
    return false;
  } finally {
    rmSync(candidate, { force: true });
  }
}

function dropIfAbandoned(path: string): void {
  try {
    const holder = JSON.parse(readFileSync(path, 'utf8')) as ProcessEntry;
    if (!isRunning(holder)) rmSync(path, { force: true });
  } catch {
    // Released between the attempt and the look.
  }
}
