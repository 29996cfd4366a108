// frr.conf on disk, readable by its owner only, because it holds passwords. Written beside its place and
// renamed into it, so that a reader never sees a part of it. Text -> file.

import { chmod, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const OWNER_ONLY = 0o600;

/** Writes `configDir/name` if `check` accepts the file, which then still has another name. */
export async function writeConfigFile(
  configDir: string,
  name: string,
  text: string,
  check: (file: string) => Promise<void>,
): Promise<void> {
  const candidate = join(configDir, `${name}.candidate`);
  await writeFile(candidate, text, { mode: OWNER_ONLY });
  await chmod(candidate, OWNER_ONLY);
  try {
    await check(candidate);
    await rename(candidate, join(configDir, name));
  } catch (error) {
    await rm(candidate, { force: true });
    throw error;
  }
}
