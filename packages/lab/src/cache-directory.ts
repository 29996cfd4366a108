/** Where what takes long to make is kept for the next run: a folder of ours in the user's cache. */
import { homedir } from 'node:os';
import { join } from 'node:path';

export function cacheDirectory(...parts: readonly string[]): string {
  return join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'herald', ...parts);
}
