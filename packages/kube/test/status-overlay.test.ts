// Kept addresses, without a folder: writes, what is shown, what is forgotten, and the file between restarts.

import { mkdir, mkdtemp, readFile, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { projectObject, type Service } from '@herald/api';
import { address } from '@herald/net';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { StatusOverlay } from '../src/folder/status-overlay.ts';
import type { AddressWrite } from '../src/index.ts';

interface Place extends AsyncDisposable {
  readonly path: string;
  readonly directory: string;
  overlay(): Promise<StatusOverlay>;
}

async function place(text?: string): Promise<Place> {
  const base = await mkdtemp(join(tmpdir(), 'herald-overlay-'));
  const directory = join(base, 'state');
  const path = join(directory, 'addresses.json');
  if (text !== undefined) {
    await mkdir(directory);
    await writeFile(path, text);
  }
  return {
    path,
    directory,
    overlay: async () => {
      const overlay = new StatusOverlay(path);
      await overlay.load();
      return overlay;
    },
    [Symbol.asyncDispose]: () => rm(base, { recursive: true, force: true }),
  };
}

function service(name: string, uid = `uid-${name}`, ingress: readonly string[] = []): Service {
  const result = projectObject(
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name, namespace: 'default', uid },
      spec: { type: 'LoadBalancer', ports: [{ port: 80 }] },
      status: { loadBalancer: { ingress: ingress.map((ip) => ({ ip })) } },
    },
    'manifest',
  );
  if (result?.ok !== true || result.value.kind !== 'Service') {
    throw new Error('not a service');
  }
  return result.value;
}

const finder =
  (...services: readonly Service[]) =>
  (key: string): Service | undefined =>
    services.find((one) => one.key === key);

const write = (name: string, addresses: readonly string[], uid = `uid-${name}`): AddressWrite => ({
  serviceKey: `default/${name}`,
  uid,
  addresses: addresses.map(address),
  decidedFrom: service(name),
  term: 1,
});

const shown = (overlay: StatusOverlay, one: Service): string[] =>
  overlay.shown(one).ingress.map((a) => a.text);

const A = service('a');
const B = service('b');

describe('a write', () => {
  it.each<[string, AddressWrite[], string[], string[]]>([
    ['of one address', [write('a', ['203.0.113.1'])], ['default/a'], ['203.0.113.1']],
    [
      'of both families',
      [write('a', ['203.0.113.1', '2001:db8::1'])],
      ['default/a'],
      ['203.0.113.1', '2001:db8::1'],
    ],
    ['of none where there is none', [write('a', [])], [], []],
    ['for another UID', [write('a', ['203.0.113.1'], 'older')], [], []],
    ['for an empty UID', [write('a', ['203.0.113.1'], '')], [], []],
    ['for a Service that is not there', [write('x', ['203.0.113.1'])], [], []],
    [
      'of two, the last counts',
      [write('a', ['203.0.113.1']), write('a', ['203.0.113.2'])],
      ['default/a'],
      ['203.0.113.2'],
    ],
    ['given and taken at once', [write('a', ['203.0.113.1']), write('a', [])], [], []],
    [
      'for two Services',
      [write('b', ['203.0.113.2']), write('a', ['203.0.113.1'])],
      ['default/b', 'default/a'],
      ['203.0.113.1'],
    ],
    [
      'of which one is dropped',
      [write('b', ['203.0.113.2'], 'older'), write('a', ['203.0.113.1'])],
      ['default/a'],
      ['203.0.113.1'],
    ],
    ['of nothing', [], [], []],
  ])('%s', async (_, writes, changed, addresses) => {
    await using at = await place();
    const overlay = await at.overlay();
    expect(await overlay.apply(writes, finder(A, B))).toEqual(changed);
    expect(shown(overlay, A)).toEqual(addresses);
  });

  it.each<[string, AddressWrite, string[]]>([
    ['the same again changes nothing', write('a', ['203.0.113.1', '203.0.113.2']), []],
    ['another order is a change', write('a', ['203.0.113.2', '203.0.113.1']), ['default/a']],
    ['fewer is a change', write('a', ['203.0.113.1']), ['default/a']],
    ['none is a change', write('a', []), ['default/a']],
    ['for another UID is none', write('a', [], 'older'), []],
  ])('after another: %s', async (_, next, changed) => {
    await using at = await place();
    const overlay = await at.overlay();
    await overlay.apply([write('a', ['203.0.113.1', '203.0.113.2'])], finder(A));
    expect(await overlay.apply([next], finder(A))).toEqual(changed);
  });

  it('that changes nothing touches no file', async () => {
    await using at = await place();
    const overlay = await at.overlay();
    await overlay.apply([write('a', []), write('x', ['203.0.113.1'])], finder(A));
    await expect(readdir(at.directory)).rejects.toThrow('ENOENT');
  });

  it('that cannot be kept is not shown, and does not stop the next', async () => {
    await using at = await place();
    const overlay = await at.overlay();
    await writeFile(at.directory, 'a file in its place');
    const failing = overlay.apply([write('a', ['203.0.113.1'])], finder(A));
    await expect(failing).rejects.toThrow(/EEXIST|ENOTDIR/);
    expect([shown(overlay, A), overlay.keys()]).toEqual([[], []]);
    await rm(at.directory);
    expect(await overlay.apply([write('b', ['203.0.113.2'])], finder(B))).toEqual(['default/b']);
    expect(overlay.keys()).toEqual(['default/b']);
  });
});

describe('what is shown', () => {
  it.each<[string, Service, string[]]>([
    ['the kept addresses', A, ['203.0.113.1']],
    ['what the manifest says', service('a', 'uid-a', ['198.51.100.1']), ['198.51.100.1']],
    ['nothing for another object of the same name', service('a', 'other'), []],
    ['nothing for another Service', B, []],
  ])('%s', async (_, one, addresses) => {
    await using at = await place();
    const overlay = await at.overlay();
    await overlay.apply([write('a', ['203.0.113.1'])], finder(A));
    expect(shown(overlay, one)).toEqual(addresses);
  });

  it('is the same object when nothing is added', async () => {
    await using at = await place();
    const overlay = await at.overlay();
    expect(overlay.shown(A)).toBe(A);
  });

  it('leaves everything else as it is', async () => {
    await using at = await place();
    const overlay = await at.overlay();
    await overlay.apply([write('a', ['203.0.113.1'])], finder(A));
    expect({ ...overlay.shown(A), ingress: [] }).toEqual(A);
    expect(A.ingress).toEqual([]);
  });
});

describe('forgetting', () => {
  it.each<[string, string[], Service[], string[]]>([
    ['those that are gone', ['default/a', 'default/b'], [B], ['default/b']],
    ['those that were replaced', ['default/a'], [service('a', 'other'), B], ['default/b']],
    ['all', ['default/a', 'default/b'], [], []],
    ['none that is still there', ['default/a', 'default/b'], [A, B], ['default/a', 'default/b']],
    ['none that is not asked about', [], [], ['default/a', 'default/b']],
    ['none that has none', ['default/x'], [A, B], ['default/a', 'default/b']],
  ])('%s', async (_, asked, there, left) => {
    await using at = await place();
    const overlay = await at.overlay();
    await overlay.apply([write('a', ['203.0.113.1']), write('b', ['203.0.113.2'])], finder(A, B));
    await overlay.forget(asked, finder(...there));
    expect(overlay.keys().sort()).toEqual(left);
    expect((await at.overlay()).keys().sort()).toEqual(left);
  });
});

describe('the file', () => {
  it('has one entry for each Service, sorted, and a version', async () => {
    await using at = await place();
    const overlay = await at.overlay();
    await overlay.apply([write('b', ['2001:db8::2']), write('a', ['203.0.113.1'])], finder(A, B));
    expect(JSON.parse(await readFile(at.path, 'utf8'))).toEqual({
      version: 1,
      services: [
        { service: 'default/a', uid: 'uid-a', addresses: ['203.0.113.1'] },
        { service: 'default/b', uid: 'uid-b', addresses: ['2001:db8::2'] },
      ],
    });
    expect(await readdir(at.directory)).toEqual(['addresses.json']);
  });

  it.each<[string, string, string]>([
    ['nothing', '', 'is not well-formed JSON'],
    ['a word', 'hello', 'is not well-formed JSON'],
    ['half of it', '{"version": 1, "services": [', 'is not well-formed JSON'],
    ['null', 'null', 'has no list of services'],
    ['a number', '5', 'has no list of services'],
    ['an array', '[]', 'has no list of services'],
    ['no services', '{"version": 1}', 'has no list of services'],
    ['services that are a map', '{"services": {}}', 'has no list of services'],
    ['an entry that is null', '{"services": [null]}', 'has an entry that is not one: services[0]'],
    ['an entry that is a word', '{"services": ["x"]}', 'has an entry that is not one: services[0]'],
    [
      'an entry without a name',
      '{"services": [{"uid": "u", "addresses": []}]}',
      'has an entry that is not one: services[0]',
    ],
    [
      'an entry without a UID',
      '{"services": [{"service": "a/b", "addresses": []}]}',
      'has an entry that is not one: services[0]',
    ],
    [
      'an address that is none, in the second',
      '{"services": [{"service": "a/b", "uid": "u", "addresses": []}, {"service": "a/c", "uid": "u", "addresses": ["x"]}]}',
      'has an entry that is not one: services[1]',
    ],
  ])('that holds %s is set aside and said', async (_, text, problem) => {
    await using at = await place(text);
    const overlay = new StatusOverlay(at.path);
    expect(await overlay.load()).toEqual({ ok: false, problem });
    expect([overlay.keys(), await readdir(at.directory)]).toEqual([[], ['addresses.json.unreadable']]);
    expect(await readFile(`${at.path}.unreadable`, 'utf8')).toBe(text);
  });

  it('that cannot be read is left where it is', async () => {
    await using at = await place();
    await mkdir(at.directory);
    await symlink('addresses.json', at.path);
    const overlay = new StatusOverlay(at.path);
    expect(await overlay.load()).toEqual({ ok: false, problem: 'cannot be read (ELOOP)' });
    expect(await readdir(at.directory)).toEqual(['addresses.json']);
  });

  it.each(['', '{"services": []}'])('is replaced after %j', async (text) => {
    await using at = await place(text);
    const overlay = await at.overlay();
    await overlay.apply([write('a', ['203.0.113.1'])], finder(A));
    expect(shown(await at.overlay(), A)).toEqual(['203.0.113.1']);
  });

  it('gives back what was kept, whatever that was', async () => {
    const octet = fc.integer({ min: 1, max: 254 });
    const addresses = fc.uniqueArray(
      octet.map((last) => `203.0.113.${last}`),
      { maxLength: 3 },
    );
    const writes = fc.array(fc.tuple(fc.constantFrom('a', 'b'), addresses), { maxLength: 5 });
    await fc.assert(
      fc.asyncProperty(writes, async (all) => {
        await using at = await place();
        const overlay = await at.overlay();
        const kept = new Map<string, readonly string[]>([
          ['a', []],
          ['b', []],
        ]);
        for (const [name, given] of all) {
          kept.set(name, given);
          await overlay.apply([write(name, given)], finder(A, B));
        }
        const restarted = await at.overlay();
        expect([shown(restarted, A), shown(restarted, B)]).toEqual([kept.get('a'), kept.get('b')]);
      }),
      { numRuns: 20 },
    );
  });
});
