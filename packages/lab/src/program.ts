/**
 * A program that the lab started and that stays: router daemon, pod process, listener, client.
 *
 * Gives its output as lines (both streams, in order of arrival), its end as a promise, and signals. It is a process
 * group of its own, so that Ctrl-C in a terminal reaches the lab first and everything is cleaned up once. The last
 * lines are kept for error messages; nothing here decides what a line means.
 */
import { spawn } from 'node:child_process';
import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { setPriority } from 'node:os';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import type { Ledger } from './ledger.ts';

export interface ProgramOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** -20 is served first. Measuring tools and listeners use it on a busy machine. */
  readonly priority?: number;
  readonly keepLines?: number;
}

export interface ProgramExit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export type LineListener = (line: string, stream: 'stdout' | 'stderr') => void;

const KEEP_LINES = 5_000;
const STOP_TIMEOUT_MS = 5_000;

export class Program {
  readonly name: string;
  readonly exited: Promise<ProgramExit>;
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #listeners = new Set<LineListener>();
  readonly #lines: string[] = [];
  readonly #keepLines: number;
  #exit: ProgramExit | undefined;

  constructor(ledger: Ledger, name: string, argv: readonly string[], options: ProgramOptions = {}) {
    const [file = '', ...rest] = argv;
    this.name = name;
    this.#keepLines = options.keepLines ?? KEEP_LINES;
    this.#child = spawn(file, rest, {
      detached: true,
      stdio: 'pipe',
      env: { ...(options.env ?? process.env) },
    });
    this.exited = this.#watchEnd(ledger);
    this.#readLines(this.#child.stdout, 'stdout');
    this.#readLines(this.#child.stderr, 'stderr');
    this.#child.stdin.on('error', () => {});
    if (this.#child.pid === undefined) return;
    ledger.addProcess(this.#child.pid);
    if (options.priority !== undefined) setPriority(this.#child.pid, options.priority);
  }

  get pid(): number {
    if (this.#child.pid === undefined) throw new Error(`${this.name} did not start: ${this.output}`);
    return this.#child.pid;
  }

  get isRunning(): boolean {
    return this.#exit === undefined;
  }

  get lines(): readonly string[] {
    return this.#lines;
  }

  get output(): string {
    return this.#lines.join('\n');
  }

  onLine(listener: LineListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Resolves with the first line, printed before or after this call, that matches. */
  lineMatching(pattern: RegExp, timeoutMs = 10_000): Promise<string> {
    const printed = this.#lines.find((line) => pattern.test(line));
    if (printed !== undefined) return Promise.resolve(printed);
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => finish(new Error(this.#notPrinted(pattern, timeoutMs))), timeoutMs);
      const forget = this.onLine((line) => pattern.test(line) && finish(line));
      function finish(result: string | Error): void {
        clearTimeout(timer);
        forget();
        if (typeof result === 'string') resolve(result);
        else reject(result);
      }
      void this.exited.then(() => finish(new Error(this.#notPrinted(pattern, timeoutMs))));
    });
  }

  write(text: string): void {
    this.#child.stdin.write(text);
  }

  kill(signal: NodeJS.Signals = 'SIGKILL'): void {
    if (this.isRunning) this.#child.kill(signal);
  }

  pause(): void {
    this.kill('SIGSTOP');
  }

  resume(): void {
    this.kill('SIGCONT');
  }

  /** Asks it to end and makes it end after a bound; a paused program is continued so that it can hear the request. */
  async stop(timeoutMs = STOP_TIMEOUT_MS): Promise<ProgramExit> {
    this.kill('SIGTERM');
    this.kill('SIGCONT');
    const timer = setTimeout(() => this.kill('SIGKILL'), timeoutMs);
    const exit = await this.exited;
    clearTimeout(timer);
    return exit;
  }

  #watchEnd(ledger: Ledger): Promise<ProgramExit> {
    return new Promise((resolve) => {
      const end = (exit: ProgramExit): void => {
        this.#exit = exit;
        if (this.#child.pid !== undefined) ledger.removeProcess(this.#child.pid);
        resolve(exit);
      };
      this.#child.once('error', (error) => {
        this.#keep(error.message);
        end({ code: null, signal: null });
      });
      this.#child.once('exit', (code, signal) => end({ code, signal }));
    });
  }

  #readLines(stream: Readable, name: 'stdout' | 'stderr'): void {
    createInterface({ input: stream, crlfDelay: Infinity }).on('line', (line) => {
      this.#keep(line);
      for (const listener of this.#listeners) listener(line, name);
    });
  }

  #keep(line: string): void {
    this.#lines.push(line);
    if (this.#lines.length > this.#keepLines) this.#lines.splice(0, this.#keepLines / 2);
  }

  #notPrinted(pattern: RegExp, timeoutMs: number): string {
    const state = this.isRunning ? `within ${timeoutMs} ms` : 'before it ended';
    return `${this.name} did not print ${String(pattern)} ${state}:\n${this.#lines.slice(-20).join('\n')}`;
  }
}
