// Addresses that are given to Services of a folder: shown, kept over a restart, taken away.

import { chmod, mkdir, readFile, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { address } from '@herald/net';
import { describe, expect, it } from 'vitest';
import type { AddressWrite, FolderSource } from '../src/index.ts';
import { documents, folder, service, until } from './manifests.ts';

const own = 'status:\n  loadBalancer:\n    ingress:\n      - ip: 198.51.100.1\n';
const WATCH_ONLY = { rescanMs: 600_000 };

const ingress = (source: FolderSource, key: string): string[] | undefined =>
  source
    .snapshot()
    .services.get(key)
    ?.ingress.map((given) => given.text);

const uidOf = (source: FolderSource, key: string): string => source.snapshot().services.get(key)?.uid ?? '';

function give(source: FolderSource, key: string, ...addresses: readonly string[]): AddressWrite {
  const decidedFrom = source.snapshot().services.get(key);
  if (decidedFrom === undefined) {
    throw new Error(`no Service ${key}`);
  }
  return { serviceKey: key, uid: decidedFrom.uid, addresses: addresses.map(address), decidedFrom, term: 1 };
}

describe('an address that is given', () => {
  it('is shown in the next snapshot, signalled once, and touches no other Service', async () => {
    await using at = await folder({ 'a.yaml': documents(service('a'), service('b')) });
    const source = await at.source(WATCH_ONLY);
    const before = source.snapshot();
    let signals = 0;
    source.onChange(() => signals++);
    await source.applyAllocations([give(source, 'default/a', '203.0.113.1', '2001:db8::1')]);
    expect(ingress(source, 'default/a')).toEqual(['203.0.113.1', '2001:db8::1']);
    expect(source.snapshot().services.changedKeys(before.services)).toEqual(['default/a']);
    expect(signals).toBe(1);
  });

  it('stays the same reference when it is given again, and after an edit beside it', async () => {
    await using at = await folder({ 'a.yaml': service('a') });
    const source = await at.source(WATCH_ONLY);
    await source.applyAllocations([give(source, 'default/a', '203.0.113.1')]);
    const before = source.snapshot().services.get('default/a');
    await source.applyAllocations([give(source, 'default/a', '203.0.113.1')]);
    await at.write('a.yaml', documents(service('a'), service('b')));
    await until(source, () => source.snapshot().services.has('default/b'));
    expect(source.snapshot().services.get('default/a')).toBe(before);
  });

  it('is kept through an edit of the Service', async () => {
    await using at = await folder({ 'a.yaml': service('a') });
    const source = await at.source(WATCH_ONLY);
    await source.applyAllocations([give(source, 'default/a', '203.0.113.1')]);
    await at.write('a.yaml', service('a', '  externalTrafficPolicy: Local\n'));
    await until(source, () => source.snapshot().services.get('default/a')?.externalTrafficPolicy === 'Local');
    expect(ingress(source, 'default/a')).toEqual(['203.0.113.1']);
  });

  it('is taken away by a write without addresses', async () => {
    await using at = await folder({ 'a.yaml': service('a') });
    const source = await at.source(WATCH_ONLY);
    await source.applyAllocations([give(source, 'default/a', '203.0.113.1')]);
    await source.applyAllocations([give(source, 'default/a')]);
    expect(ingress(source, 'default/a')).toEqual([]);
    expect(ingress(await at.source(WATCH_ONLY), 'default/a')).toEqual([]);
  });

  it('yields to what the manifest says itself, and comes back after', async () => {
    await using at = await folder({ 'a.yaml': service('a') });
    const source = await at.source(WATCH_ONLY);
    await source.applyAllocations([give(source, 'default/a', '203.0.113.1')]);
    await at.write('a.yaml', service('a', own));
    await until(source, () => ingress(source, 'default/a')?.[0] === '198.51.100.1');
    await at.write('a.yaml', service('a'));
    await until(source, () => ingress(source, 'default/a')?.[0] === '203.0.113.1');
  });

  it('to another object of the same name, or to none, is dropped', async () => {
    await using at = await folder({ 'a.yaml': service('a') });
    const source = await at.source(WATCH_ONLY);
    const before = source.snapshot();
    await source.applyAllocations([
      { ...give(source, 'default/a', '203.0.113.1'), uid: 'older' },
      { ...give(source, 'default/a', '203.0.113.2'), serviceKey: 'default/none' },
    ]);
    expect(source.snapshot()).toBe(before);
  });

  it('is dropped when the Service changed since the decision', async () => {
    await using at = await folder({ 'a.yaml': service('a') });
    const source = await at.source(WATCH_ONLY);
    const late = give(source, 'default/a', '203.0.113.2');
    await source.applyAllocations([give(source, 'default/a', '203.0.113.1')]);
    await source.applyAllocations([late]);
    expect(ingress(source, 'default/a')).toEqual(['203.0.113.1']);
  });

  it('goes with its Service', async () => {
    await using at = await folder({ 'a.yaml': service('a'), 'b.yaml': service('b') });
    const source = await at.source(WATCH_ONLY);
    await source.applyAllocations([give(source, 'default/a', '203.0.113.1')]);
    await at.remove('a.yaml');
    await until(source, () => !source.snapshot().services.has('default/a'));
    await at.write('a.yaml', service('a'));
    await until(source, () => source.snapshot().services.has('default/a'));
    expect(ingress(source, 'default/a')).toEqual([]);
  });

  it('goes when the Service is replaced by another of the same name', async () => {
    await using at = await folder({ 'a.yaml': service('a\n  uid: one') });
    const source = await at.source(WATCH_ONLY);
    await source.applyAllocations([give(source, 'default/a', '203.0.113.1')]);
    await at.write('a.yaml', service('a\n  uid: two'));
    await until(source, () => uidOf(source, 'default/a') === 'two');
    expect(ingress(source, 'default/a')).toEqual([]);
  });

  it('is not lost when many are given at once', async () => {
    const names = Array.from({ length: 20 }, (_, i) => `s${i}`);
    await using at = await folder({ 'all.yaml': documents(...names.map((name) => service(name))) });
    const source = await at.source(WATCH_ONLY);
    await Promise.all(
      names.map((name, i) => source.applyAllocations([give(source, `default/${name}`, `203.0.113.${i}`)])),
    );
    const restarted = await at.source(WATCH_ONLY);
    expect(names.map((name) => ingress(restarted, `default/${name}`))).toEqual(
      names.map((_, i) => [`203.0.113.${i}`]),
    );
  });
});

describe('a restart', () => {
  it('keeps every address', async () => {
    await using at = await folder({ 'a.yaml': documents(service('a'), service('b')) });
    const source = await at.source(WATCH_ONLY);
    await source.applyAllocations([give(source, 'default/a', '203.0.113.1')]);
    await source.close();
    const restarted = await at.source(WATCH_ONLY);
    expect([ingress(restarted, 'default/a'), ingress(restarted, 'default/b')]).toEqual([['203.0.113.1'], []]);
  });

  it('forgets the addresses of Services that went meanwhile', async () => {
    await using at = await folder({ 'a.yaml': service('a'), 'b.yaml': service('b') });
    const source = await at.source(WATCH_ONLY);
    await source.applyAllocations([
      give(source, 'default/a', '203.0.113.1'),
      give(source, 'default/b', '203.0.113.2'),
    ]);
    await source.close();
    await at.remove('a.yaml');
    await (await at.source(WATCH_ONLY)).close();
    await at.write('a.yaml', service('a'));
    const restarted = await at.source(WATCH_ONLY);
    expect([ingress(restarted, 'default/a'), ingress(restarted, 'default/b')]).toEqual([[], ['203.0.113.2']]);
  });

  it('forgets none while a file that may hold the Service cannot be read', async () => {
    await using at = await folder({ 'a.yaml': service('a') });
    const source = await at.source(WATCH_ONLY);
    await source.applyAllocations([give(source, 'default/a', '203.0.113.1')]);
    await source.close();
    await at.write('a.yaml', 'kind: [\n');
    const restarted = await at.source(WATCH_ONLY);
    expect(ingress(restarted, 'default/a')).toBeUndefined();
    await at.write('a.yaml', service('a'));
    await until(restarted, () => ingress(restarted, 'default/a') !== undefined);
    expect(ingress(restarted, 'default/a')).toEqual(['203.0.113.1']);
  });

  it.each([
    ['no JSON', '{'],
    ['another shape', '[]'],
    ['null', 'null'],
    ['an entry that is none', '{"services": [null]}'],
    ['an address that is none', '{"services": [{"service": "default/a", "uid": "u", "addresses": ["x"]}]}'],
  ])('with a state file that holds %s says so and sets it aside', async (_, text) => {
    await using at = await folder({ 'a.yaml': service('a') });
    await mkdir(at.stateDir);
    await writeFile(join(at.stateDir, 'addresses.json'), text);
    const source = await at.source(WATCH_ONLY);
    expect(source.faults()).toEqual([
      expect.objectContaining({ object: expect.stringContaining('addresses.json') }),
    ]);
    expect(ingress(source, 'default/a')).toEqual([]);
    expect(await readFile(join(at.stateDir, 'addresses.json.unreadable'), 'utf8')).toBe(text);
  });
});

describe('the state file', () => {
  it('is for its owner only, and nothing is left beside it', async () => {
    await using at = await folder({ 'a.yaml': service('a') });
    const source = await at.source(WATCH_ONLY);
    await source.applyAllocations([give(source, 'default/a', '203.0.113.1')]);
    expect(await readdir(at.stateDir)).toEqual(['addresses.json']);
    expect((await stat(join(at.stateDir, 'addresses.json'))).mode & 0o777).toBe(0o600);
    expect((await stat(at.stateDir)).mode & 0o777).toBe(0o700);
  });

  it('that cannot be written leaves the address unseen, and the next try works', async () => {
    await using at = await folder({ 'a.yaml': service('a') });
    const source = await at.source(WATCH_ONLY);
    await writeFile(at.stateDir, 'a file in its place');
    const wanted = [give(source, 'default/a', '203.0.113.1')];
    await expect(source.applyAllocations(wanted)).rejects.toThrow(/EEXIST|ENOTDIR/);
    expect(ingress(source, 'default/a')).toEqual([]);
    await rm(at.stateDir);
    await source.applyAllocations(wanted);
    expect(ingress(source, 'default/a')).toEqual(['203.0.113.1']);
  });

  it('narrows the rights of a file that was left behind', async () => {
    await using at = await folder({ 'a.yaml': service('a') });
    await mkdir(at.stateDir);
    await writeFile(join(at.stateDir, 'addresses.json.new'), 'left behind');
    await chmod(join(at.stateDir, 'addresses.json.new'), 0o644);
    const source = await at.source(WATCH_ONLY);
    await source.applyAllocations([give(source, 'default/a', '203.0.113.1')]);
    expect((await stat(join(at.stateDir, 'addresses.json'))).mode & 0o777).toBe(0o600);
  });
});
