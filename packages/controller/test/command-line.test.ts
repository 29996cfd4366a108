import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

import { afterAll, beforeAll, expect, test } from 'vitest';

import { commandLine } from '../src/command-line.ts';
import { VERSION } from '../src/version.ts';
import { peer, scene, SITE, siteWith, type Scene, TOR_2 } from './plan/scene.ts';

interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

async function herald(...args: readonly string[]): Promise<Ended> {
  let stdout = '';
  let stderr = '';
  const code = await commandLine(args, {
    out: (text) => (stdout += text),
    error: (text) => (stderr += text),
  });
  return { code, stdout, stderr };
}

let place: Scene;

beforeAll(async () => {
  place = await scene();
  await place.folder('good', SITE);
  await place.folder('faulty', siteWith([peer('tor-2', { ...TOR_2, peerAddress: '192.0.2.1' })]));
  await writeFile(place.path('settings.yaml'), 'asn: 0\nstandbyMode: Lukewarm\n');
});

afterAll(() => place[Symbol.asyncDispose]());

interface Case {
  readonly args: readonly string[];
  readonly code: number;
  readonly stdout?: RegExp;
  readonly stderr?: RegExp;
}

/** A word with @ in front is a path in the folder of this test. */
const CASES: readonly Case[] = [
  { args: ['--version'], code: 0, stdout: new RegExp(`^${VERSION}$`, 'm') },
  { args: ['plan', '--help'], code: 0, stdout: /--against/ },
  { args: ['plan', '@good'], code: 0, stdout: /^2 Services announced/ },
  { args: ['plan', '@good', '-o', 'json'], code: 0, stdout: /"format": "herald-plan\/1"/ },
  { args: ['plan', '@faulty'], code: 1, stdout: /DuplicatePeerAddress/ },
  { args: [], code: 2, stderr: /Usage: herald/ },
  { args: ['paln'], code: 2, stderr: /unknown command/ },
  { args: ['plan'], code: 2, stderr: /missing required argument/ },
  { args: ['plan', '@good', '--nonsense'], code: 2, stderr: /unknown option/ },
  { args: ['plan', '@good', '-o', 'xml'], code: 2, stderr: /text, json, yaml/ },
  { args: ['plan', '@nowhere'], code: 2, stderr: /^herald: .*nowhere: cannot be read \(ENOENT\)$/m },
  { args: ['plan', '@good', '--config', '@settings.yaml'], code: 2, stderr: /asn[^]*standbyMode/ },
  { args: ['run'], code: 2, stderr: /--config/ },
  { args: ['run', '--config', '@settings.yaml'], code: 2, stderr: /asn[^]*standbyMode/ },
  { args: ['bgpd', '--config', '@nowhere'], code: 2, stderr: /cannot be read/ },
];

test.for(CASES)('$args ends with $code', async ({ args, code, stdout = /^$/, stderr = /^$/ }) => {
  const ended = await herald(...args.map((arg) => (arg.startsWith('@') ? place.path(arg.slice(1)) : arg)));
  expect(ended.stderr).toMatch(stderr);
  expect(ended.stdout).toMatch(stdout);
  expect(ended.code).toBe(code);
});

test('the program ends with the code, and nothing but the plan is on its standard output', async () => {
  const program = fileURLToPath(import.meta.resolve('../src/herald.ts'));
  const { promise, resolve } = Promise.withResolvers<Ended>();
  execFile(process.execPath, [program, 'plan', place.path('faulty'), '-o', 'json'], (error, stdout, stderr) =>
    resolve({ code: Number(error?.code), stdout, stderr }),
  );
  const { code, stdout, stderr } = await promise;
  expect({ code, stderr }).toEqual({ code: 1, stderr: '' });
  expect(JSON.parse(stdout)).toMatchObject({ format: 'herald-plan/1', verdict: { faults: 1 } });
});

test('a reader that has seen enough is no failure', async () => {
  const program = fileURLToPath(import.meta.resolve('../src/herald.ts'));
  const child = spawn(process.execPath, [program, 'plan', place.path('good')], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stderr = '';
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  child.stdout.destroy();
  await once(child, 'close');
  expect({ code: child.exitCode, stderr }).toEqual({ code: 0, stderr: '' });
});
