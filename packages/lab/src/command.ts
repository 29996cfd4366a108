/**
 * Runs one short program to its end and gives its standard output.
 *
 * In: argument vector, optional standard input. Out: text, or a CommandError that carries what the program said.
 * Never goes through a shell; a program that does not end within its bound is killed. For programs that stay,
 * see program.ts.
 */
import { spawn, spawnSync } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';

export interface CommandOptions {
  readonly input?: string;
  readonly timeoutMs?: number;
}

const DEFAULT_TIMEOUT_MS = 20_000;

export class CommandError extends Error {
  readonly command: string;
  readonly exitCode: number | null;
  readonly stderr: string;

  constructor(command: string, exitCode: number | null, stderr: string) {
    super(`${command}: exit ${exitCode ?? 'by signal'}: ${stderr.trim() || 'no message'}`);
    this.name = 'CommandError';
    this.command = command;
    this.exitCode = exitCode;
    this.stderr = stderr;
  }
}

interface Ended {
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export async function run(argv: readonly string[], options: CommandOptions = {}): Promise<string> {
  const ended = await collect(start(argv, options), options.input);
  if (ended.exitCode !== 0)
    throw new CommandError(commandLine(argv), ended.exitCode, ended.stderr || ended.stdout);
  return ended.stdout;
}

/** The answer of a program that may fail for a known reason, such as a daemon that is not up yet. */
export async function tryRun(
  argv: readonly string[],
  options: CommandOptions = {},
): Promise<string | undefined> {
  try {
    return await run(argv, options);
  } catch (error) {
    if (error instanceof CommandError) return undefined;
    throw error;
  }
}

/** For exit handlers and prerequisites, where nothing can be awaited. */
export function runSync(argv: readonly string[]): { readonly ok: boolean; readonly stdout: string } {
  const [file = '', ...rest] = argv;
  const result = spawnSync(file, rest, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  return { ok: result.status === 0, stdout: result.stdout ?? '' };
}

/** A script given as an argument would bury what went wrong. */
function commandLine(argv: readonly string[]): string {
  return argv.map((word) => (word.includes('\n') ? '(script)' : word)).join(' ');
}

function start(argv: readonly string[], options: CommandOptions): ChildProcess {
  const [file = '', ...rest] = argv;
  return spawn(file, rest, { stdio: 'pipe', timeout: options.timeoutMs ?? DEFAULT_TIMEOUT_MS });
}

function collect(child: ChildProcess, input: string | undefined): Promise<Ended> {
  const stdout: Buffer[] = [];
  const stderr: Buffer[] = [];
  child.stdout?.on('data', (chunk: Buffer) => stdout.push(chunk));
  child.stderr?.on('data', (chunk: Buffer) => stderr.push(chunk));
  // A program that ends without reading its input is judged by its exit code, not by the broken pipe.
  child.stdin?.on('error', () => {});
  child.stdin?.end(input ?? '');
  return new Promise((resolve) => {
    child.once('error', (error) => resolve({ exitCode: null, stdout: '', stderr: error.message }));
    child.once('close', (exitCode) => resolve({ exitCode, stdout: text(stdout), stderr: text(stderr) }));
  });
}

function text(chunks: readonly Buffer[]): string {
  return Buffer.concat(chunks).toString('utf8');
}
