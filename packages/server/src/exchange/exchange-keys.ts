// The keys by which replicas know each other: a file of a mounted Secret, one key a line. Read anew each time, so that
// exchanged keys count as soon as the file has them.

import { readFile } from 'node:fs/promises';

/** Half of it would do (RFC 2104 section 3 wants the 32 octets of the hash); letters carry less than an octet each. */
const MIN_KEY_LENGTH = 32;
const MAX_KEYS = 8;

/** Rejects with a sentence that holds no key. */
export async function readKeys(path: string): Promise<readonly string[]> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new Error(`exchange.keyFile ${path} cannot be read: ${error.code ?? 'unknown error'}`);
  });
  const keys = text.split(/\r?\n/).filter((line) => line !== '');
  if (keys.length === 0 || keys.length > MAX_KEYS || keys.some(({ length }) => length < MIN_KEY_LENGTH)) {
    throw new Error(
      `exchange.keyFile ${path} must have 1 to ${MAX_KEYS} lines of at least ${MIN_KEY_LENGTH} characters`,
    );
  }
  return keys;
}
