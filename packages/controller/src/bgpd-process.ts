// `herald bgpd`: the other container of the pod. Writes the boot configuration (the feed and no router), then
// gives its place to a small process that runs bgpd and turns its log into ours (bgpd-supervisor.ts): what reads and
// checks settings takes more memory than bgpd itself, and is needed once.

import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import type { Settings } from '@herald/api';
import { renderBoot } from '@herald/frr';

import { placement } from './placement.ts';
import { SUPERVISE } from './supervise.ts';

/** bgpd dials a zebra that it finds at its default path and then resets its peers; this one never exists. */
const NO_ZEBRA = '/nonexistent/zserv.api';
/** Log lines are garbage at once: the young generation need not grow. */
const SMALL_HEAP = '--max-semi-space-size=1';

/** Does not return: the process goes on as the supervisor, under the same process id. */
export async function becomeBgpd(settings: Settings): Promise<never> {
  const bootFile = await writeBootFile(settings);
  const program = [process.execPath, SMALL_HEAP, ...process.argv.slice(1, 2)];
  const task = [SUPERVISE, settings.logLevel, settings.bgpd.binary, ...bgpdArguments(settings, bootFile)];
  if (process.execve === undefined) {
    throw new Error('this platform cannot replace a process by another program');
  }
  return process.execve(process.execPath, [...program, ...task], process.env);
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
