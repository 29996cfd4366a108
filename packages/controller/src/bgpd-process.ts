// `herald bgpd`: the other container of the pod. Writes the boot configuration (the feed and no router),
// starts bgpd with the flags that an unprivileged pod needs, and turns its log into ours, one JSON object a
// line, without the two warnings that mean nothing here. Ends when bgpd ends, with its exit code.

import { spawn, type ChildProcess } from 'node:child_process';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

import type { Settings } from '@herald/api';
import { parseLog, renderBoot } from '@herald/frr';

import type { Logger } from './logger.ts';
import { placement } from './placement.ts';

/** bgpd dials a zebra that it finds at its default path and then resets its peers; this one never exists. */
const NO_ZEBRA = '/nonexistent/zserv.api';

export async function runBgpd(settings: Settings, logger: Logger): Promise<number> {
  const bootFile = await writeBootFile(settings);
  const child = spawn(settings.bgpd.binary, bgpdArguments(settings, bootFile), {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  forwardSignals(child);
  followLog(child, logger);
  return await exitCode(child, logger);
}

async function writeBootFile(settings: Settings): Promise<string> {
  const { configDir, vtyDir } = settings.bgpd;
  await mkdir(configDir, { recursive: true, mode: 0o700 });
  await mkdir(vtyDir, { recursive: true, mode: 0o700 });
  const file = join(configDir, 'boot.conf');
  await writeFile(file, renderBoot(settings.asn, settings.routerId, placement(settings)), { mode: 0o600 });
  await chmod(file, 0o600);
  return file;
}

/**
 * -Z no zebra, -S no change of user, -x IPv6 on IPv4 sessions without an interface address, -l/-p loopback
 * only, -P 0 no vty over TCP, -z see NO_ZEBRA.
 */
function bgpdArguments({ bgpd }: Settings, bootFile: string): string[] {
  const listen = ['-p', `${bgpd.port}`, '-l', '127.0.0.1', '-P', '0'];
  const files = [
    '-z',
    NO_ZEBRA,
    '--vty_socket',
    bgpd.vtyDir,
    '-i',
    join(bgpd.configDir, 'bgpd.pid'),
    '-f',
    bootFile,
  ];
  return ['-Z', '-S', '-x', ...listen, ...files];
}

function forwardSignals(child: ChildProcess): void {
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => child.kill(signal));
  }
}

function followLog(child: ChildProcess, logger: Logger): void {
  for (const stream of [child.stdout, child.stderr]) {
    if (stream !== null) {
      createInterface({ input: stream }).on('line', (line) => logLine(line, logger));
    }
  }
}

function logLine(line: string, logger: Logger): void {
  const parsed = parseLog(line);
  if (parsed !== undefined) {
    const { kind = 'bgpd-log', ...facts } = parsed.event ?? {};
    logger[parsed.level]({ event: kind, daemon: 'bgpd', ...facts }, parsed.message);
  }
}

function exitCode(child: ChildProcess, logger: Logger): Promise<number> {
  return new Promise((resolve) => {
    child.on('error', (error) => {
      logger.fatal({ event: 'bgpd-not-started' }, `bgpd cannot be started: ${error.message}`);
      resolve(1);
    });
    child.on('exit', (code, signal) => {
      logger.info({ event: 'bgpd-ended', code, signal }, 'bgpd ended');
      resolve(code ?? 1);
    });
  });
}
