#!/usr/bin/env node
// The `herald` program. Sets the exit code and lets the process end by itself, so that all output is written. Loads
// only what its command needs.

import { SUPERVISE } from './supervise.ts';

// A reader that has seen enough (`| head`) closes the pipe; that is no failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  process.exit(error.code === 'EPIPE' ? 0 : 1);
});

const [command, ...args] = process.argv.slice(2);
process.exitCode = command === SUPERVISE ? await supervise(args) : await run(process.argv.slice(2));

async function supervise(task: readonly string[]): Promise<number> {
  const { superviseBgpd } = await import('./bgpd-supervisor.ts');
  return await superviseBgpd(task, (line) => process.stdout.write(line));
}

async function run(words: readonly string[]): Promise<number> {
  const { commandLine } = await import('./command-line.ts');
  return await commandLine(words, {
    out: (text) => process.stdout.write(text),
    error: (text) => process.stderr.write(text),
  });
}
