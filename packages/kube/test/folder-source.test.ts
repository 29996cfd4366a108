// A folder on a real file system, watched. "Nothing is withdrawn" is shown by an object that arrives later:
// what would have been withdrawn is still there when it does.

import {
  appendFile,
  mkdir,
  readdir,
  rename,
  rm,
  symlink,
  truncate,
  unlink,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { FolderSource } from '../src/index.ts';
import { documents, folder, node, pool, service, serviceKeys, until, type Folder } from './manifests.ts';

const NEVER = 600_000;
/** So that what happens is seen by the watch or not at all. */
const WATCH_ONLY = { rescanMs: NEVER };

const has = (source: FolderSource, key: string): boolean => source.snapshot().services.has(key);

/** Waits until a file that is written now has been seen. */
async function barrier(at: Folder, source: FolderSource, name = 'barrier'): Promise<void> {
  await at.write(`${name}.yaml`, node(name));
  await until(source, () => source.snapshot().nodes.has(name));
}

async function symlinkTo(at: Folder, name: string): Promise<void> {
  await mkdir(at.stateDir, { recursive: true });
  await writeFile(join(at.stateDir, 'target'), service('new'));
  await symlink(join(at.stateDir, 'target'), at.path(name));
}

async function swap(at: Folder, version: string, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, text] of Object.entries(files)) {
    await at.write(`..${version}/${name}`, text);
  }
  await symlink(`..${version}`, at.path('..data_tmp'));
  await rename(at.path('..data_tmp'), at.path('..data'));
}

describe('the start', () => {
  it('reads files in every depth and kind, and nothing else', async () => {
    await using at = await folder({
      'a.yaml': service('a'),
      'deep/er/b.yml': service('b'),
      'c.json': JSON.stringify({ apiVersion: 'v1', kind: 'Service', metadata: { name: 'c' } }),
      'notes.txt': service('not'),
      '.hidden.yaml': service('not'),
      '.git/x.yaml': service('not'),
      'backup.yaml~': service('not'),
    });
    const source = await at.source();
    expect([source.synced, serviceKeys(source), source.faults()]).toEqual([
      true,
      ['default/a', 'default/b', 'default/c'],
      [],
    ]);
    expect(source.freshAtMs).toBeGreaterThan(Date.now() - 60_000);
  });

  it('of an empty folder is synced', async () => {
    await using at = await folder();
    expect((await at.source()).synced).toBe(true);
  });

  it('without the folder is not synced, says so, and goes on when it comes', async () => {
    await using at = await folder();
    await at.remove('.');
    const source = await at.source(WATCH_ONLY);
    expect([source.synced, source.freshAtMs]).toEqual([false, 0]);
    expect(source.faults().map((fault) => fault.message)).toEqual([expect.stringMatching(/is missing/)]);
    await at.write('a.yaml', service('a'));
    await until(source, () => has(source, 'default/a') && source.faults().length === 0);
    expect(source.synced).toBe(true);
  });
});

describe('a change is seen', () => {
  const start = { 'a.yaml': service('a'), 'sub/b.yaml': service('b') };
  it.each<[string, (at: Folder) => Promise<void>]>([
    ['a new file', (at) => at.write('new.yaml', service('new'))],
    ['a file that is renamed in', (at) => at.replace('new.yaml', service('new'))],
    ['a file in a new directory', (at) => at.write('x/y/z/new.yaml', service('new'))],
    ['a rewrite', (at) => at.write('a.yaml', documents(service('a'), service('new')))],
    ['a replacement', (at) => at.replace('sub/b.yaml', service('new'))],
    ['an addition at the end', (at) => appendFile(at.path('a.yaml'), documents(service('new')))],
    [
      'an editor that moves the old file away first',
      async (at) => {
        await rename(at.path('a.yaml'), at.path('a.yaml~'));
        await at.write('4913', '');
        await unlink(at.path('4913'));
        await at.write('a.yaml', documents(service('a'), service('new')));
        await unlink(at.path('a.yaml~'));
      },
    ],
    [
      'a directory that is moved in',
      async (at) => {
        await mkdir(join(at.stateDir, 'outside'), { recursive: true });
        await writeFile(join(at.stateDir, 'outside', 'new.yaml'), service('new'));
        await rename(join(at.stateDir, 'outside'), at.path('moved'));
      },
    ],
    [
      'the folder removed and made again',
      async (at) => {
        await rm(at.root, { recursive: true });
        await at.write('new.yaml', service('new'));
      },
    ],
    [
      'a sub-directory removed and made again',
      async (at) => {
        await rm(at.path('sub'), { recursive: true });
        await at.write('sub/new.yaml', service('new'));
      },
    ],
    ['a link to a file', (at) => symlinkTo(at, 'new.yaml')],
  ])('%s', async (_, change) => {
    await using at = await folder(start);
    const source = await at.source(WATCH_ONLY);
    await change(at);
    await until(source, () => has(source, 'default/new'));
  });

  // `freshAtMs` is when everything was looked at the last time.
  it.each<[string, 'looks' | 'does not look', (at: Folder) => Promise<void>]>([
    [
      'a file that was written under another name and renamed over it',
      'does not look',
      async (at) => {
        await at.write('a.yaml.new', service('a'));
        await rename(at.path('a.yaml.new'), at.path('a.yaml'));
      },
    ],
    [
      'a file that is no manifest and goes again',
      'does not look',
      async (at) => {
        await at.write('4913', '');
        await unlink(at.path('4913'));
      },
    ],
    [
      'a new directory',
      'looks',
      async (at) => {
        await mkdir(at.path('x'));
      },
    ],
    ['a directory that goes', 'looks', (at) => rm(at.path('sub'), { recursive: true })],
    ['a directory that gets another name', 'looks', (at) => rename(at.path('sub'), at.path('other'))],
    ['a link to a directory', 'looks', (at) => symlink(at.path('sub'), at.path('linked'))],
  ])('%s: %s at everything else', async (_, looks, change) => {
    await using at = await folder(start);
    const source = await at.source(WATCH_ONLY);
    const before = source.freshAtMs;
    await change(at);
    await barrier(at, source);
    expect(source.freshAtMs > before).toBe(looks === 'looks');
  });

  it('also in a directory that was removed and made again, later', async () => {
    await using at = await folder(start);
    const source = await at.source(WATCH_ONLY);
    await rm(at.root, { recursive: true });
    await at.write('one.yaml', service('one'));
    await until(source, () => has(source, 'default/one'));
    await at.write('one.yaml', documents(service('one'), service('two')));
    await until(source, () => has(source, 'default/two'));
  });

  it('as often as it happens', async () => {
    await using at = await folder(start);
    const source = await at.source(WATCH_ONLY);
    for (let i = 0; i < 50; i++) {
      const address = `203.0.113.${i}`;
      await at.write('a.yaml', service('a', `  loadBalancerIP: ${address}\n`));
      await until(source, () => source.snapshot().services.get('default/a')?.loadBalancerIP === address);
    }
  });

  it('by looking again, when the watch says nothing', async () => {
    await using at = await folder(start);
    await mkdir(at.stateDir);
    const target = join(at.stateDir, 'target');
    await writeFile(target, service('a'));
    await symlink(target, at.path('link.yaml'));
    const source = await at.source({ rescanMs: 20, settleMs: 20 });
    // Behind a link nothing is watched.
    await writeFile(target, service('new'));
    await until(source, () => has(source, 'default/new'));
  });
});

describe('a mounted ConfigMap', () => {
  it('is read once, and again when its version is swapped', async () => {
    await using at = await folder();
    await swap(at, 'v1', { 'a.yaml': documents(service('a'), service('b')) });
    await symlink('..data/a.yaml', at.path('a.yaml'));
    const source = await at.source(WATCH_ONLY);
    expect([serviceKeys(source), source.faults()]).toEqual([['default/a', 'default/b'], []]);
    await swap(at, 'v2', { 'a.yaml': documents(service('a'), service('c')) });
    await until(source, () => has(source, 'default/c'));
    expect(serviceKeys(source)).toEqual(['default/a', 'default/c']);
  });
});

describe('removal', () => {
  it.each<[string, (at: Folder) => Promise<void>]>([
    ['a file deleted', (at) => at.remove('sub/b.yaml')],
    ['a directory deleted', (at) => at.remove('sub')],
    ['a file moved out', (at) => rename(at.path('sub/b.yaml'), `${at.root}-b.yaml`)],
    ['a file that becomes a comment', (at) => at.write('sub/b.yaml', '# nothing here\n')],
    ['a replacement without it', (at) => at.replace('sub/b.yaml', node('n'))],
    ['a rewrite without it, once it is quiet', (at) => at.write('sub/b.yaml', node('n'))],
  ])('%s', async (_, change) => {
    await using at = await folder({ 'a.yaml': service('a'), 'sub/b.yaml': service('b') });
    const source = await at.source(WATCH_ONLY);
    await change(at);
    await until(source, () => !has(source, 'default/b'));
    expect(serviceKeys(source)).toEqual(['default/a']);
    await rm(`${at.root}-b.yaml`, { force: true });
  });
});

describe('nothing is withdrawn by', () => {
  const keep = { 'a.yaml': documents(service('a'), service('b')) };
  // A rewrite that is not finished would be believed after this long; here that is never.
  const times = { ...WATCH_ONLY, settleMs: NEVER };

  it.each<[string, (at: Folder) => Promise<void>, RegExp[]]>([
    ['a file that is truncated', (at) => truncate(at.path('a.yaml')), [/File a\.yaml is empty/]],
    ['a file that is half-written', (at) => at.write('a.yaml', service('a')), []],
    ['a file that cannot be parsed', (at) => at.write('a.yaml', 'kind: [\n'), [/File a\.yaml: line \d/]],
    [
      'a file replaced by one that cannot be parsed',
      (at) => at.replace('a.yaml', '}\n'),
      [/File a\.yaml: line 1/],
    ],
    [
      'a file that is away for a moment',
      async (at) => {
        await rename(at.path('a.yaml'), at.path('a.yaml~'));
        await rename(at.path('a.yaml~'), at.path('a.yaml'));
      },
      [],
    ],
    ['the folder being away', (at) => rename(at.root, `${at.stateDir}-away`), [/is missing/]],
  ])('%s', async (_, change, faults) => {
    await using at = await folder(keep);
    const source = await at.source(times);
    await change(at);
    const patterns = faults.map((fault) => expect.stringMatching(fault));
    await until(source, () => source.faults().length === faults.length);
    expect(source.faults().map((fault) => fault.message)).toEqual(patterns);
    await rename(`${at.stateDir}-away`, at.root).catch(() => undefined);
    await barrier(at, source);
    expect(serviceKeys(source)).toEqual(['default/a', 'default/b']);
  });

  it('the folder coming back empty, until that is confirmed', async () => {
    await using at = await folder(keep);
    const source = await at.source({ ...WATCH_ONLY, confirmMs: NEVER });
    await rm(at.root, { recursive: true });
    await until(source, () => source.faults().length > 0);
    await mkdir(at.root);
    await barrier(at, source);
    expect(serviceKeys(source)).toEqual(['default/a', 'default/b']);
  });

  it('the folder being removed file by file', async () => {
    await using at = await folder(keep);
    // Long enough that the root is gone before the file counts as deleted.
    const source = await at.source({ ...WATCH_ONLY, missingMs: 200 });
    await at.remove('a.yaml');
    await at.write('seen.yaml', service('seen'));
    await until(source, () => has(source, 'default/seen'));
    await rm(at.root, { recursive: true });
    await until(source, () => source.faults().length > 0);
    await at.write('barrier.yaml', node('barrier'));
    await until(source, () => source.snapshot().nodes.has('barrier'));
    expect(serviceKeys(source)).toEqual(['default/a', 'default/b', 'default/seen']);
  });

  it('and is, once it is confirmed', async () => {
    await using at = await folder(keep);
    const source = await at.source({ ...WATCH_ONLY, confirmMs: 50 });
    await rm(at.root, { recursive: true });
    await until(source, () => source.faults().length > 0);
    await mkdir(at.root);
    await until(source, () => serviceKeys(source).length === 0);
  });

  // A link to itself cannot be read by anybody, root included.
  it.each([
    ['directory', 'sub', 'default/c', ['sub', 'sub/c.yaml']],
    ['file', 'd.yaml', 'default/d', ['d.yaml']],
  ])('a %s that cannot be read', async (_, name, key, objects) => {
    await using at = await folder({ ...keep, 'sub/c.yaml': service('c'), 'd.yaml': service('d') });
    const source = await at.source({ rescanMs: 20 });
    await at.remove(name);
    await symlink(name, at.path(name));
    await until(source, () => source.faults().length === objects.length);
    await barrier(at, source);
    expect(source.faults().map((fault) => fault.object)).toEqual(objects.map((path) => `File ${path}`));
    expect(serviceKeys(source)).toContain(key);
    await unlink(at.path(name));
    await until(source, () => source.faults().length === 0 && !has(source, key));
  });

  it('a file that becomes a directory of the same name', async () => {
    await using at = await folder(keep);
    const source = await at.source(WATCH_ONLY);
    await rm(at.path('a.yaml'));
    await at.write('a.yaml/x.yaml', documents(service('a'), service('b')));
    await until(source, () => source.faults().length === 0 && has(source, 'default/a'));
    await barrier(at, source);
    expect(serviceKeys(source)).toEqual(['default/a', 'default/b']);
  });
});

describe('faults', () => {
  it('name object, field and rule, and go when they are mended', async () => {
    await using at = await folder({ 'p.yaml': pool('p', '203.0.113.1/24'), 'a.yaml': service('a') });
    const source = await at.source(WATCH_ONLY);
    expect([source.faults(), serviceKeys(source), source.snapshot().pools.size]).toEqual([
      [
        expect.objectContaining({
          object: 'IPAddressPool p',
          field: expect.stringContaining('spec.addresses'),
        }),
      ],
      ['default/a'],
      0,
    ]);
    await at.write('p.yaml', pool('p'));
    await until(source, () => source.faults().length === 0);
    expect(source.snapshot().pools.size).toBe(1);
  });

  it('are signalled when nothing else changed', async () => {
    await using at = await folder({ 'p.yaml': pool('p') });
    const source = await at.source(WATCH_ONLY);
    const before = source.snapshot();
    await at.write('p.yaml', pool('p', 'rubbish'));
    await until(source, () => source.faults().length > 0);
    expect(source.snapshot()).toBe(before);
  });

  it('of an object in two files: the first by path counts, the other takes over', async () => {
    await using at = await folder({ 'b.yaml': node('n', '10.0.0.2'), 'c.yaml': node('n', '10.0.0.3') });
    const source = await at.source(WATCH_ONLY);
    const address = (): string | undefined => source.snapshot().nodes.get('n')?.addresses[0]?.address.text;
    expect([address(), source.faults()]).toEqual([
      '10.0.0.2',
      [
        {
          object: 'Node n',
          field: 'metadata.name',
          reason: 'DuplicateObject',
          message: 'Node n: metadata.name stands in b.yaml and c.yaml; b.yaml counts.',
        },
      ],
    ]);
    await at.replace('a.yaml', node('n', '10.0.0.1'));
    await until(source, () => address() === '10.0.0.1');
    expect(source.faults()).toHaveLength(2);
    await at.remove('a.yaml');
    await at.remove('b.yaml');
    await until(source, () => address() === '10.0.0.3' && source.faults().length === 0);
  });

  it('of a file that is too large', async () => {
    await using at = await folder({ 'a.yaml': service('a') });
    await at.write('big.yaml', '');
    await truncate(at.path('big.yaml'), 65 * 1024 * 1024);
    const source = await at.source(WATCH_ONLY);
    expect([serviceKeys(source), source.faults()]).toEqual([
      ['default/a'],
      [expect.objectContaining({ object: 'File big.yaml', reason: 'Unreadable' })],
    ]);
  });
});

describe('what did not change', () => {
  it('is the same reference after an edit beside it, in the same file and in others', async () => {
    const many = Array.from({ length: 200 }, (_, i) => service(`s${i}`));
    await using at = await folder({ 'many.yaml': documents(...many), 'other.yaml': node('n') });
    const source = await at.source(WATCH_ONLY);
    const before = source.snapshot();
    many[7] = service('s7', '  loadBalancerIP: 203.0.113.7\n');
    await at.write('many.yaml', documents(...many));
    await until(source, () => source.snapshot() !== before);
    const after = source.snapshot();
    expect(after.services.changedKeys(before.services)).toEqual(['default/s7']);
    expect(after.nodes).toBe(before.nodes);
  });

  it('signals nothing when a file is written again with the same text', async () => {
    await using at = await folder({ 'a.yaml': service('a') });
    const source = await at.source(WATCH_ONLY);
    const snapshots: unknown[] = [];
    source.onChange(() => snapshots.push(source.snapshot()));
    await at.write('a.yaml', service('a'));
    await at.replace('a.yaml', `# another comment\n${service('a')}`);
    await barrier(at, source);
    expect(snapshots).toHaveLength(1);
  });

  it('is not parsed again: one file for each Service', async () => {
    const files = Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`s${i}.yaml`, service(`s${i}`)]));
    await using at = await folder(files);
    const source = await at.source(WATCH_ONLY);
    expect(serviceKeys(source)).toHaveLength(300);
    const before = source.snapshot();
    await at.write('s9.yaml', service('s9', '  loadBalancerIP: 203.0.113.9\n'));
    await until(source, () => source.snapshot() !== before);
    expect(source.snapshot().services.changedKeys(before.services)).toEqual(['default/s9']);
  });
});

it('after close nothing is said any more, and nothing is left open', async () => {
  await using at = await folder({ 'a.yaml': service('a') });
  const source = await at.source({ rescanMs: 5 });
  await source.close();
  let told = 0;
  source.onChange(() => told++);
  const control = await at.source(WATCH_ONLY);
  await at.write('b.yaml', service('b'));
  await until(control, () => has(control, 'default/b'));
  expect([told, serviceKeys(source)]).toEqual([0, ['default/a']]);
  expect(await readdir(at.root)).toHaveLength(2);
});
