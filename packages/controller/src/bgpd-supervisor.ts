// What stays beside bgpd: starts it, hands signals on, turns its log into ours, one JSON object a line, without the
// two warnings that mean nothing here, and ends when bgpd ends, with its exit code.
//
// Imports as little as it can, since all of it stays in memory: no settings, no schemas, and for the log no library
// (pino costs half as much again as everything that is here); logger.ts says what a line looks like.

import { spawn, type ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';

import type { LogLevel } from '@herald/api';
import { parseLog } from '@herald/frr/log';

/** pino's order: what is written at the level of the settings stands at or behind it. */
const LEVELS: readonly LogLevel[] = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'];

type Log = (level: LogLevel, facts: Readonly<Record<string, unknown>>, message: string) => void;

/** Resolves with the exit code. The task is the log level, bgpd's binary and its arguments; `write` takes lines. */
export async function superviseBgpd(
  [least, binary = '', ...args]: readonly string[],
  write: (line: string) => void,
): Promise<number> {
  const log: Log = (level, facts, message) => {
    if (LEVELS.indexOf(level) >= LEVELS.findIndex((name) => name === least)) {
      const time = new Date().toISOString();
      write(`${JSON.stringify({ level, time, ...facts, msg: message })}\n`);
    }
  };
  const child = spawn(binary, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  forwardSignals(child);
  followLog(child, log);
  return await exitCode(child, log);
}

function forwardSignals(child: ChildProcess): void {
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => child.kill(signal));
  }
}

function followLog(child: ChildProcess, log: Log): void {
  for (const stream of [child.stdout, child.stderr]) {
    if (stream !== null) {
      createInterface({ input: stream }).on('line', (line) => logLine(line, log));
    }
  }
}

function logLine(line: string, log: Log): void {
  const parsed = parseLog(line);
  if (parsed !== undefined) {
    const { kind = 'bgpd-log', ...facts } = parsed.event ?? {};
    log(parsed.level, { event: kind, daemon: 'bgpd', ...facts }, parsed.message);
  }
}

/** Known when everything that bgpd said has been read. */
function exitCode(child: ChildProcess, log: Log): Promise<number> {
  return new Promise((resolve) => {
    child.on('error', (error) => {
      log('fatal', { event: 'bgpd-not-started' }, `bgpd cannot be started: ${error.message}`);
      resolve(1);
    });
    child.on('close', (code, signal) => {
      log('info', { event: 'bgpd-ended', code, signal }, 'bgpd ended');
      resolve(code ?? 1);
    });
  });
}
