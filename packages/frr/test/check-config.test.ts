import { mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { ConfigRefused, SessionOutput, VTY_BOUNDS, checkConfig } from '../src/index.ts';
import { writeConfigFile } from '../src/apply/io/config-file.ts';
import { findVtysh } from './frr-program.ts';
import { PLACEMENT, peer, plan } from './session-plan.ts';

let folder = '';

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'herald-check-'));
});

afterEach(() => rmSync(folder, { recursive: true }));

function refuse(): Promise<void> {
  return Promise.reject(new ConfigRefused('no'));
}

function check(text: string): Promise<void> {
  const file = join(folder, 'x.conf');
  writeFileSync(file, text);
  return checkConfig(file, findVtysh());
}

it.each([
  ['a word that is none', 'router bgp 65000\n neighbor 192.0.2.2 remot-as 1\n', 'line 2'],
  ['a line of another place', 'neighbor 192.0.2.2 remote-as 1\n', 'line 1'],
])('vtysh refuses %s and says where', async (_name, text, where) => {
  const error = await check(text).catch((caught: unknown) => caught);
  expect(error).toBeInstanceOf(ConfigRefused);
  expect(String(error)).toMatch(new RegExp(`-C: ${where}: [^;]*$`));
});

it('a refusal does not repeat the password of the line', async () => {
  const error = await check('router bgp 65000\n neighbor x.y password geheim und mehr\n').catch(
    (caught: unknown) => caught,
  );
  expect(String(error)).toContain('password ********');
  expect(String(error)).not.toContain('geheim');
});

it('a vtysh that is not there is an error and not an acceptance', async () => {
  const missing = { binary: join(folder, 'vtysh'), args: [] };
  await expect(checkConfig(join(folder, 'x.conf'), missing)).rejects.toThrow('ENOENT');
});

it('the file is for its owner only, also where an open one was before', async () => {
  writeFileSync(join(folder, 'frr.conf.candidate'), '', { mode: 0o666 });
  await writeConfigFile(folder, 'frr.conf', 'text', () => Promise.resolve());
  expect(statSync(join(folder, 'frr.conf')).mode & 0o777).toBe(0o600);
  expect(readFileSync(join(folder, 'frr.conf'), 'utf8')).toBe('text');
  expect(readdirSync(folder)).toEqual(['frr.conf']);
});

it('a file that is not accepted leaves the old one, and no other', async () => {
  writeFileSync(join(folder, 'frr.conf'), 'old');
  await expect(writeConfigFile(folder, 'frr.conf', 'new', refuse)).rejects.toThrow('no');
  expect(readFileSync(join(folder, 'frr.conf'), 'utf8')).toBe('old');
  expect(readdirSync(folder)).toEqual(['frr.conf']);
});

it('a configuration that vtysh refuses never reaches bgpd, and the next one is tried anew', async () => {
  const output = new SessionOutput({
    vty: { socketPath: join(folder, 'bgpd.vty'), ...VTY_BOUNDS },
    vtysh: findVtysh(),
    configDir: folder,
    placement: PLACEMENT,
  });
  const bad = plan(peer('tor-1', { holdTimeSeconds: 70_000 }));
  await expect(output.apply(bad)).rejects.toBeInstanceOf(ConfigRefused);
  const good = output.apply(plan(peer('tor-1')));
  await expect(good).rejects.toMatchObject({ name: 'VtyError', code: 'Unreachable' });
});
