// `herald bgpd` as a program, with a program in bgpd's place that says what it was started with.

import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

import { afterEach, beforeEach, expect, test } from 'vitest';

import { createLogger } from '../src/logger.ts';
import { SUPERVISE } from '../src/supervise.ts';

type Line = Readonly<Record<string, unknown>>;

const HERALD = fileURLToPath(import.meta.resolve('../src/herald.ts'));
const DOWN = '%ADJCHANGE: neighbor 192.0.2.1(tor-1) in vrf default Down Peer closed the session';

/** Stays until it is asked to end, then ends with 7. */
const PLAYED_BGPD = `#!${process.execPath}
process.on('SIGTERM', () => process.exit(7));
console.log('2026/01/01 00:00:00.000000 BGP: [ABCDE-12345] ' + process.argv.slice(2).join(' '));
console.error('2026/01/01 00:00:00 warnings: BGP: [ABCDE-12345] sendmsg_nexthop: zclient_send_message() failed');
console.log('2026/01/01 00:00:00 notifications: BGP: [ABCDE-12345] ${DOWN}');
console.log('2026/01/01 00:00:00 debugging: BGP: [ABCDE-12345] a detail');
console.log('2026/01/01 00:00:00 errors: BGP: [ABCDE-12345] neighbor 192.0.2.1 password hunter2');
setInterval(() => undefined, 1000);
`;

let place = '';
let child: ChildProcess | undefined;

beforeEach(async () => {
  place = await mkdtemp(join(tmpdir(), 'herald-bgpd-'));
});

afterEach(async () => {
  child?.kill('SIGKILL');
  await rm(place, { recursive: true });
});

function start(...args: readonly string[]) {
  const started = spawn(process.execPath, [HERALD, ...args]);
  child = started;
  const lines: Line[] = [];
  const reader = createInterface({ input: started.stdout });
  reader.on('line', (line) => lines.push(JSON.parse(line) as Line));
  let errors = '';
  started.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()));
  return { started, lines, reader, ended: once(started, 'close'), errors: () => errors };
}

async function settingsFor(binary: string): Promise<string> {
  const bgpd = { binary, vtyDir: join(place, 'vty'), configDir: join(place, 'frr') };
  const settings = { asn: 64512, routerId: '192.0.2.1', source: { kind: 'folder', path: place }, bgpd };
  await writeFile(join(place, 'settings.yaml'), JSON.stringify({ ...settings, stateDir: place }));
  return join(place, 'settings.yaml');
}

async function playedBgpd(): Promise<string> {
  const file = join(place, 'bgpd');
  await writeFile(file, PLAYED_BGPD);
  await chmod(file, 0o755);
  return file;
}

test('bgpd is started with the feed and no router, its log is ours, and its end is the end', async () => {
  const { started, lines, reader, ended, errors } = start(
    'bgpd',
    '--config',
    await settingsFor(await playedBgpd()),
  );
  while (!lines.some(({ level }) => level === 'error')) {
    await once(reader, 'line');
  }
  started.kill('SIGTERM');
  expect([await ended, errors()]).toEqual([[7, null], '']);
  const [begun, ...rest] = lines.map(({ time: _time, ...line }) => line);
  const port = '-p 1790 -l 127.0.0.1 -P 0';
  const files = `--vty_socket ${place}/vty -i ${place}/frr/bgpd.pid -f ${place}/frr/boot.conf`;
  expect(begun).toEqual({
    level: 'info',
    event: 'bgpd-log',
    daemon: 'bgpd',
    msg: `-Z -S -x ${port} -z /nonexistent/zserv.api ${files}`,
  });
  const session = { address: '192.0.2.1', instance: 'default', up: false, cause: 'Peer closed the session' };
  expect(rest).toEqual([
    { level: 'info', event: 'session', daemon: 'bgpd', ...session, msg: DOWN },
    { level: 'error', event: 'bgpd-log', daemon: 'bgpd', msg: 'neighbor 192.0.2.1 password ********' },
    { level: 'info', event: 'bgpd-ended', code: 7, signal: null, msg: 'bgpd ended' },
  ]);
  expect(await readFile(join(place, 'frr/boot.conf'), 'utf8')).not.toContain('192.0.2.2');
  expect((await stat(join(place, 'frr/boot.conf'))).mode & 0o777).toBe(0o600);
});

test('a bgpd that cannot be started is said, as a line of the same form as the controller writes', async () => {
  const { lines, ended } = start(SUPERVISE, 'info', join(place, 'nothing'));
  expect(await ended).toEqual([1, null]);
  const written: string[] = [];
  createLogger('info', { write: (text) => written.push(text) }).fatal(
    { event: 'bgpd-not-started' },
    `bgpd cannot be started: spawn ${place}/nothing ENOENT`,
  );
  const pinos = JSON.parse(written.join('')) as Line;
  const [ours] = lines;
  expect(Object.keys(ours ?? {})).toEqual(Object.keys(pinos));
  expect({ ...ours, time: '' }).toEqual({ ...pinos, time: '' });
  expect(ours?.['time']).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
});

test('what the log level leaves out is not written', async () => {
  const { started, lines, reader, ended } = start(SUPERVISE, 'error', await playedBgpd());
  await once(reader, 'line');
  started.kill('SIGTERM');
  await ended;
  expect(lines.map(({ level }) => level)).toEqual(['error']);
});
