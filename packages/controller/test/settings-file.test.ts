import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, beforeEach, expect, test, vi } from 'vitest';

import { loadSettings, SettingsInvalid } from '../src/settings-file.ts';

let folder = '';
let file = '';

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'herald-settings-'));
  file = join(folder, 'settings.yaml');
});

afterEach(async () => {
  vi.unstubAllEnvs();
  await rm(folder, { recursive: true });
});

async function problems(text: string): Promise<string[]> {
  await writeFile(file, text);
  const error = await loadSettings(file).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(SettingsInvalid);
  return (error as Error).message.split('\n');
}

test('every fault is listed at once, each with the file and the field', async () => {
  const said = await problems(
    'asn: 0\nrouterId: 2001:db8::1\nstandbyMode: Lukewarm\nhttp: {port: 70000}\ncolour: blue\n',
  );
  for (const field of ['asn', 'routerId', 'standbyMode', 'http.port', 'colour']) {
    expect(said.filter((line) => line.includes(field))).toHaveLength(1);
  }
  expect(said).toHaveLength(5);
  expect(said.every((line) => line.startsWith(`${file}: settings`))).toBe(true);
});

test.for([
  { what: 'not YAML', text: 'asn: [', says: 'line 1' },
  { what: 'no mapping', text: 'just words', says: 'mapping' },
  { what: 'empty', text: '', says: 'mapping' },
])('$what', async ({ text, says }) => {
  expect((await problems(text)).join('\n')).toContain(says);
});

test('a file that is not there is named', async () => {
  await expect(loadSettings(join(folder, 'nowhere.yaml'))).rejects.toThrow(
    /nowhere\.yaml: cannot be read \(ENOENT\)/,
  );
});

test.for([
  { what: "the pod's address", pod: '10.1.2.3', instead: undefined, routerId: '10.1.2.3' },
  {
    what: "the pod's address before the stand-in",
    pod: '10.1.2.3',
    instead: '192.0.2.255',
    routerId: '10.1.2.3',
  },
  { what: 'the stand-in without a pod', pod: undefined, instead: '192.0.2.255', routerId: '192.0.2.255' },
])('the router id is $what', async ({ pod, instead, routerId }) => {
  vi.stubEnv('POD_IP', pod);
  await writeFile(file, 'asn: 64512\n');
  expect((await loadSettings(file, instead)).routerId.text).toBe(routerId);
});

test('without either the router id must be written down', async () => {
  vi.stubEnv('POD_IP', undefined);
  expect((await problems('asn: 64512\n')).join()).toContain('routerId');
});
