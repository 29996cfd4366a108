/** Adds the end of a program's log to an error about it: the log itself goes with the cluster. */
import { readFileSync } from 'node:fs';

const LINES = 12;

export async function withLogTail<T>(file: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const said = error instanceof Error ? error.message : String(error);
    throw new Error(`${said}\n${logTail(file)}`, { cause: error });
  }
}

function logTail(file: string): string {
  try {
    return readFileSync(file, 'utf8').trimEnd().split('\n').slice(-LINES).join('\n');
  } catch {
    return `(${file} is not there)`;
  }
}
