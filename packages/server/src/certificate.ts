// Certificate and key of a listener, as files that are replaced while it runs (a mounted Secret). They are looked
// at every few seconds; a new pair is handed on when both read and fit together, and until then the last good
// one stays in use.

import { readFile } from 'node:fs/promises';
import { createSecureContext } from 'node:tls';

export interface CertificateFiles {
  /** Paths of files in PEM. */
  readonly certificate: string;
  readonly key: string;
}

export interface KeyPair {
  readonly cert: string;
  readonly key: string;
}

export interface CertificateEvents {
  onChange(pair: KeyPair): void;
  /** Said once for each problem. */
  onProblem(problem: string): void;
}

export class Certificate {
  readonly #files: CertificateFiles;
  readonly #events: CertificateEvents;
  readonly #timer: NodeJS.Timeout;
  #pair: KeyPair;
  #problem: string | undefined;

  private constructor(files: CertificateFiles, pair: KeyPair, events: CertificateEvents, everyMs: number) {
    this.#files = files;
    this.#pair = pair;
    this.#events = events;
    this.#timer = setInterval(() => void this.look(), everyMs).unref();
  }

  /** Throws Error with a sentence when there is no usable pair to begin with. */
  static async open(
    files: CertificateFiles,
    events: CertificateEvents,
    everyMs: number,
  ): Promise<Certificate> {
    return new Certificate(files, await readPair(files), events, everyMs);
  }

  get pair(): KeyPair {
    return this.#pair;
  }

  /** Looks at the files now; never throws. */
  async look(): Promise<void> {
    try {
      const pair = await readPair(this.#files);
      this.#problem = undefined;
      if (pair.cert !== this.#pair.cert || pair.key !== this.#pair.key) {
        this.#pair = pair;
        this.#events.onChange(pair);
      }
    } catch (error) {
      this.#say(String(error instanceof Error ? error.message : error));
    }
  }

  close(): void {
    clearInterval(this.#timer);
  }

  #say(problem: string): void {
    if (problem !== this.#problem) {
      this.#problem = problem;
      this.#events.onProblem(problem);
    }
  }
}

async function readPair({ certificate, key }: CertificateFiles): Promise<KeyPair> {
  const [cert, secret] = await Promise.all([readText(certificate), readText(key)]);
  try {
    createSecureContext({ cert, key: secret });
  } catch (error) {
    throw new Error(`podListener.tls: ${certificate} and ${key} are not a usable pair: ${wordsOf(error)}`, {
      cause: error,
    });
  }
  return { cert, key: secret };
}

async function readText(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    throw new Error(`podListener.tls: ${path} cannot be read: ${wordsOf(error)}`, { cause: error });
  }
}

function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
