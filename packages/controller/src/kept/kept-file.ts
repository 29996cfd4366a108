// The file of the kept table in the state directory, which only this user may read. A new one takes the place of the
// old one at once or not at all. When the content was last confirmed is the file's time of modification: a table that
// did not change for days is not old.

import { mkdir, open, readFile, rename, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';

const NAME = 'kept-table';
/** The state directory holds 256 MiB. */
const MAX_BYTES = 96 * 1024 * 1024;
/** What is written in one go, in characters. */
const CHUNK = 16_384;

export interface KeptText {
  readonly text: string;
  readonly confirmedAtMs: number;
}

export class KeptFile {
  readonly #directory: string;
  readonly #path: string;

  constructor(directory: string) {
    this.#directory = directory;
    this.#path = join(directory, NAME);
  }

  /** undefined where there is none; throws what the file system says otherwise. */
  async read(): Promise<KeptText | undefined> {
    try {
      const { size, mtimeMs } = await stat(this.#path);
      if (size > MAX_BYTES) {
        throw new RangeError(`the kept table has ${size} bytes, which no table has`);
      }
      return { text: await readFile(this.#path, 'utf8'), confirmedAtMs: mtimeMs };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') {
        return undefined;
      }
      throw error;
    }
  }

  /** The pieces are asked for a chunk at a time, and everything else has its turn in between. */
  async write(pieces: Iterable<string>): Promise<void> {
    const draft = `${this.#path}.new`;
    await mkdir(this.#directory, { recursive: true, mode: 0o700 });
    await rm(draft, { force: true });
    const handle = await open(draft, 'wx', 0o600);
    try {
      let chunk = '';
      for (const piece of pieces) {
        chunk += piece;
        if (chunk.length >= CHUNK) {
          await handle.writeFile(chunk);
          chunk = '';
        }
      }
      await handle.writeFile(chunk);
      await handle.datasync();
    } finally {
      await handle.close();
    }
    await rename(draft, this.#path);
  }

  async confirm(nowMs: number): Promise<void> {
    await utimes(this.#path, nowMs / 1000, nowMs / 1000);
  }
}
