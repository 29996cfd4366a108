/**
 * The one file that the image carries of Herald: does it start alone, in a folder without packages, and is it complete in
 * what it says of others' licences?
 */
import { spawn, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type NotYet, REPOSITORY, notYet, waitFor } from '@herald/lab';
import { bundle } from '../../deploy/image/bundle.ts';
import { packageFolder } from '../../deploy/image/bundled-licences.ts';

const EXAMPLES = join(REPOSITORY, 'deploy/examples');

/** On a machine that has other things to do. */
const BUNDLING_MS = 120_000;

/** Settings, schemas and templates are a hundred times as much. */
const SUPERVISOR_BYTES = 16 * 1024;

let folder = '';

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'herald-bundle-'));
  await bundle(folder);
}, BUNDLING_MS);

afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** With nothing of the environment, as in the image. */
function herald(...args: string[]) {
  return spawnSync(process.execPath, [join(folder, 'herald.mjs'), ...args], {
    cwd: folder,
    env: {},
    encoding: 'utf8',
  });
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === 'object' && address !== null ? address.port : expect.fail('no port');
}

async function hasSynced(port: number): Promise<true | NotYet> {
  const answer = await fetch(`http://127.0.0.1:${port}/api/v1/status`).catch(() => undefined);
  const status = (await answer?.json()) as { readonly source: { readonly synced: boolean } } | undefined;
  return status?.source.synced === true ? true : notYet('it has not answered that it has');
}

describe('the bundle', () => {
  it('is a program, its source map and licences, and nothing else', () => {
    const files = readdirSync(folder);
    expect(files).toEqual(expect.arrayContaining(['LICENCES', 'herald.mjs', 'herald.mjs.map']));
    expect(
      files.filter((name) => !/^(LICENCES|herald\.mjs(\.map)?|part-\w+\.mjs(\.map)?)$/.test(name)),
    ).toEqual([]);
    expect(readFileSync(join(folder, 'herald.mjs'), 'utf8')).toMatch(/^#!\/usr\/bin\/node\n/);
  });

  it('shows its help and its version', () => {
    expect(herald('--help')).toMatchObject({
      status: 0,
      stdout: expect.stringMatching(/run .*bgpd .*plan /s),
    });
    const { version } = JSON.parse(
      readFileSync(join(REPOSITORY, 'packages/controller/package.json'), 'utf8'),
    ) as { readonly version: string };
    expect(herald('--version')).toMatchObject({ status: 0, stdout: `${version}\n` });
  });

  it.each(readdirSync(EXAMPLES).filter((name) => name.endsWith('.yaml')))(
    'decides %s as the sources do',
    (name) => {
      const args = ['plan', join(EXAMPLES, name), '--output', 'json'];
      const source = spawnSync(process.execPath, ['packages/controller/src/herald.ts', ...args], {
        cwd: REPOSITORY,
        encoding: 'utf8',
      });
      const bundled = herald(...args);
      expect(bundled.stdout).toBe(source.stdout);
      expect(bundled.stdout).toContain('{');
      expect(bundled.status).toBe(source.status);
    },
  );

  it('says what is wrong with its settings', () => {
    writeFileSync(join(folder, 'wrong.yaml'), 'asn: 0\n');
    const { status, stderr } = herald('run', '--config', 'wrong.yaml');
    rmSync(join(folder, 'wrong.yaml'));
    expect({ status, stderr }).toMatchObject({ status: 2, stderr: expect.stringContaining('asn') });
  });

  it('runs the controller, which logs and ends when it is told to', async () => {
    const place = mkdtempSync(join(tmpdir(), 'herald-run-'));
    mkdirSync(join(place, 'manifests'));
    cpSync(join(EXAMPLES, 'minimal.yaml'), join(place, 'manifests/minimal.yaml'));
    const settings = {
      asn: 64512,
      routerId: '192.0.2.1',
      source: { kind: 'folder', path: join(place, 'manifests') },
      stateDir: join(place, 'state'),
      bgpd: { vtyDir: join(place, 'vty'), configDir: join(place, 'frr') },
      http: { port: await freePort() },
    };
    writeFileSync(join(place, 'settings.yaml'), JSON.stringify(settings));
    const child = spawn(
      process.execPath,
      [join(folder, 'herald.mjs'), 'run', '--config', join(place, 'settings.yaml')],
      { cwd: folder, env: {} },
    );
    let log = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (text: Buffer) => (log += text.toString()));
    }
    const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
    await waitFor('the controller has read its folder', () => hasSynced(settings.http.port));
    child.kill('SIGTERM');
    expect(await ended, log).toBe(0);
    rmSync(place, { recursive: true });
  });

  it('leaves little of itself beside bgpd', () => {
    const place = mkdtempSync(join(tmpdir(), 'herald-bgpd-'));
    const loaded = join(place, 'loaded');
    const bgpd = { binary: process.execPath, vtyDir: join(place, 'vty'), configDir: join(place, 'frr') };
    const settings = { asn: 64512, routerId: '192.0.2.1', source: { kind: 'folder', path: place }, bgpd };
    writeFileSync(join(place, 'settings.yaml'), JSON.stringify({ ...settings, stateDir: place }));
    // In bgpd's place a Node that refuses bgpd's arguments; what ends last says which parts it had loaded.
    const hook = `data:text/javascript,import { registerHooks } from 'node:module';
      import { appendFileSync, writeFileSync } from 'node:fs';
      writeFileSync(${JSON.stringify(loaded)}, '');
      registerHooks({ load(url, context, next) { appendFileSync(${JSON.stringify(loaded)}, url + '\\n'); return next(url, context); } });`;
    const { status, stdout } = spawnSync(
      process.execPath,
      [join(folder, 'herald.mjs'), 'bgpd', '--config', join(place, 'settings.yaml')],
      { cwd: folder, env: { NODE_OPTIONS: `--import=${encodeURI(hook)}` }, encoding: 'utf8' },
    );
    expect([status, stdout]).toEqual([9, expect.stringContaining('"event":"bgpd-ended","code":9')]);
    const parts = readFileSync(loaded, 'utf8')
      .split('\n')
      .filter((url) => url.startsWith('file:'));
    rmSync(place, { recursive: true });
    expect(parts.length).toBeGreaterThan(1);
    const bytes = parts.reduce((sum, url) => sum + readFileSync(new URL(url)).length, 0);
    expect(bytes).toBeLessThan(SUPERVISOR_BYTES);
  });

  it('carries the licence of everything that is in it', () => {
    const licences = readFileSync(join(folder, 'LICENCES'), 'utf8');
    for (const name of ['ajv', 'commander', 'fastify', 'handlebars', 'pino', 'yaml']) {
      expect(licences).toMatch(new RegExp(`^${name} \\d+\\.\\d+\\.\\d+ \\((MIT|ISC|BSD)`, 'm'));
    }
    // Not run, so not shipped.
    expect(licences).not.toMatch(/^(vitest|typescript|esbuild) /m);
  });
});

describe('the package of a bundled file', () => {
  it.each([
    ['packages/net/src/address.ts', []],
    ['node_modules/yaml/dist/index.js', ['node_modules/yaml']],
    ['node_modules/@fastify/swagger/index.js', ['node_modules/@fastify/swagger']],
    ['packages/a/node_modules/b/c/d.js', ['packages/a/node_modules/b']],
    ['node_modules/a/node_modules/@b/c/lib/d.js', ['node_modules/a/node_modules/@b/c']],
  ])('of %s', (input, expected) => {
    expect(packageFolder(input)).toEqual(expected);
  });
});
