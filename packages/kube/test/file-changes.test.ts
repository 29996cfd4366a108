// Every way in which a file can come, change and go, and what counts at the first look after it and once
// everything that has to be waited for has passed.

import { appendFile, mkdir, rename, rm, symlink, truncate, unlink, writeFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { walkFolder } from '../src/folder/walk-folder.ts';
import { documents, node, pool, service } from './manifests.ts';
import { reading, type Reading } from './reading.ts';

interface Row {
  readonly change: (of: Reading) => Promise<unknown>;
  /** Services at once. */
  readonly now: readonly string[];
  /** Services when it has been quiet. */
  readonly later: readonly string[];
  readonly faults?: readonly string[];
}

const START = { 'a.yaml': documents(service('a'), service('b')), 'sub/c.yaml': service('c') };
const ALL = ['a', 'b', 'c'];
const KEPT = 'what it held last stays.';
const EMPTY = 'is empty, so it is taken as not yet written (a comment or --- makes it empty on purpose).';

async function check(row: Row): Promise<void> {
  await using of = await reading(START);
  expect(of.services()).toEqual(ALL);
  await row.change(of);
  await of.look();
  expect(of.services()).toEqual(row.now);
  await of.later();
  await of.later();
  expect(of.services()).toEqual(row.later);
  expect(of.faults()).toEqual(row.faults ?? []);
  expect(of.reader.takeRechecks()).toEqual([]);
}

const same = (services: readonly string[]): Pick<Row, 'now' | 'later'> => ({
  now: services,
  later: services,
});

describe('a file that comes', () => {
  it.each<[string, Row]>([
    ['is created', { change: (of) => of.write('d.yaml', service('d')), ...same([...ALL, 'd']) }],
    ['is renamed in', { change: (of) => of.at.replace('d.yaml', service('d')), ...same([...ALL, 'd']) }],
    ['as .yml', { change: (of) => of.write('d.yml', service('d')), ...same([...ALL, 'd']) }],
    [
      'as .json',
      {
        change: (of) =>
          of.write('d.json', JSON.stringify({ apiVersion: 'v1', kind: 'Service', metadata: { name: 'd' } })),
        ...same([...ALL, 'd']),
      },
    ],
    [
      'in a new directory',
      { change: (of) => of.at.write('x/y/d.yaml', service('d')), ...same([...ALL, 'd']) },
    ],
    ['with an upper-case ending is none', { change: (of) => of.write('d.YAML', service('d')), ...same(ALL) }],
    ['with another ending is none', { change: (of) => of.write('d.yaml.bak', service('d')), ...same(ALL) }],
    ['without an ending is none', { change: (of) => of.write('yaml', service('d')), ...same(ALL) }],
    ['hidden is none', { change: (of) => of.write('.d.yaml', service('d')), ...same(ALL) }],
    ['as a backup is none', { change: (of) => of.write('d.yaml~', service('d')), ...same(ALL) }],
    [
      'in a hidden directory is none',
      { change: (of) => of.at.write('.x/d.yaml', service('d')), ...same(ALL) },
    ],
    [
      'empty is said, and takes nothing',
      { change: (of) => of.write('d.yaml', ''), ...same(ALL), faults: [`File d.yaml ${EMPTY}`] },
    ],
    ['with a comment only', { change: (of) => of.write('d.yaml', '# none\n'), ...same(ALL) }],
    [
      'cut in its first line',
      {
        change: (of) => of.write('d.yaml', 'apiVersion: v'),
        ...same(ALL),
        faults: ['File d.yaml: kind and apiVersion must both be given, as text.'],
      },
    ],
    [
      'as a link to a file outside',
      {
        change: async (of) => {
          await writeFile(`${of.at.root}-d`, service('d'));
          await symlink(`${of.at.root}-d`, of.at.path('d.yaml'));
        },
        ...same([...ALL, 'd']),
      },
    ],
    ['as a link to nothing', { change: (of) => symlink('nowhere', of.at.path('d.yaml')), ...same(ALL) }],
    [
      'as a link to itself is said',
      {
        change: (of) => symlink('d.yaml', of.at.path('d.yaml')),
        ...same(ALL),
        faults: [`File d.yaml cannot be read; ${KEPT}`],
      },
    ],
    ['as a directory with the name of a file', { change: (of) => mkdir(of.at.path('d.yaml')), ...same(ALL) }],
  ])('%s', (_, row) => check(row));
});

describe('a file that changes', () => {
  const more = documents(service('a'), service('b'), service('d'));
  it.each<[string, Row]>([
    ['by one object more', { change: (of) => of.write('a.yaml', more), ...same(['a', 'b', 'c', 'd']) }],
    [
      'by an addition at its end',
      {
        change: (of) => appendFile(of.at.path('a.yaml'), documents(service('d'))),
        ...same(['a', 'b', 'c', 'd']),
      },
    ],
    [
      'renamed over, by one object less',
      { change: (of) => of.at.replace('a.yaml', service('a')), ...same(['a', 'c']) },
    ],
    [
      'in place, by one object less',
      { change: (of) => of.write('a.yaml', service('a')), now: ALL, later: ['a', 'c'] },
    ],
    [
      'in place, to others altogether',
      { change: (of) => of.write('a.yaml', service('d')), now: ALL, later: ['c', 'd'] },
    ],
    ['in place, to a comment', { change: (of) => of.write('a.yaml', '# none\n'), now: ALL, later: ['c'] }],
    ['renamed over, to a comment', { change: (of) => of.at.replace('a.yaml', '# none\n'), ...same(['c']) }],
    [
      'in place, to an empty list',
      {
        change: (of) => of.write('a.yaml', 'apiVersion: v1\nkind: List\nitems: []\n'),
        now: ALL,
        later: ['c'],
      },
    ],
    [
      'by truncation',
      { change: (of) => truncate(of.at.path('a.yaml')), ...same(ALL), faults: [`File a.yaml ${EMPTY}`] },
    ],
    [
      'to blanks',
      { change: (of) => of.at.replace('a.yaml', ' \n\t\n'), ...same(ALL), faults: [`File a.yaml ${EMPTY}`] },
    ],
    [
      'to bytes that are no text',
      {
        change: (of) => of.write('a.yaml', Uint8Array.from([0xff, 0xfe, 0x00, 0x80, 0xc3, 0x28])),
        ...same(ALL),
        faults: ['File a.yaml holds something that is not an object with a kind.'],
      },
    ],
    [
      'to what does not end',
      {
        change: (of) => of.write('a.yaml', 'kind: [\n'),
        ...same(ALL),
        faults: ['File a.yaml: line 2 is not well-formed YAML or JSON (BAD_INDENT).'],
      },
    ],
    [
      'to more than is read',
      {
        change: (of) => truncate(of.at.path('a.yaml'), 64 * 1024 * 1024 + 1),
        ...same(ALL),
        faults: [`File a.yaml cannot be read (EFBIG); ${KEPT}`],
      },
    ],
    [
      'to a link that leads to itself',
      {
        change: async (of) => {
          await unlink(of.at.path('a.yaml'));
          await symlink('a.yaml', of.at.path('a.yaml'));
        },
        ...same(ALL),
        faults: [`File a.yaml cannot be read (ELOOP); ${KEPT}`],
      },
    ],
    [
      'into a directory that holds the same',
      {
        change: async (of) => {
          await unlink(of.at.path('a.yaml'));
          await of.at.write('a.yaml/x.yaml', START['a.yaml']);
        },
        ...same(ALL),
      },
    ],
  ])('%s', (_, row) => check(row));
});

describe('a file that goes', () => {
  it.each<[string, Row]>([
    ['is deleted', { change: (of) => unlink(of.at.path('a.yaml')), now: ALL, later: ['c'] }],
    [
      'is moved out',
      { change: (of) => rename(of.at.path('a.yaml'), `${of.at.root}-a`), now: ALL, later: ['c'] },
    ],
    [
      'gets another name',
      { change: (of) => rename(of.at.path('a.yaml'), of.at.path('z.yaml')), ...same(ALL) },
    ],
    [
      'gets the name of a backup',
      { change: (of) => rename(of.at.path('a.yaml'), of.at.path('a.yaml~')), now: ALL, later: ['c'] },
    ],
    [
      'with its directory',
      { change: (of) => rm(of.at.path('sub'), { recursive: true }), now: ALL, later: ['a', 'b'] },
    ],
    [
      'with its directory, which gets another name',
      { change: (of) => rename(of.at.path('sub'), of.at.path('other')), ...same(ALL) },
    ],
    [
      'with its directory, which becomes hidden',
      { change: (of) => rename(of.at.path('sub'), of.at.path('.sub')), now: ALL, later: ['a', 'b'] },
    ],
    [
      'with its directory, which becomes a file',
      {
        change: async (of) => {
          await rm(of.at.path('sub'), { recursive: true });
          await of.write('sub', 'no directory');
        },
        now: ALL,
        later: ['a', 'b'],
      },
    ],
    [
      'with its directory, which cannot be read any more',
      {
        change: async (of) => {
          await rm(of.at.path('sub'), { recursive: true });
          await symlink('sub', of.at.path('sub'));
        },
        ...same(ALL),
        faults: [`File sub cannot be read; ${KEPT}`, `File sub/c.yaml cannot be read (ELOOP); ${KEPT}`],
      },
    ],
    [
      'becomes a link to nothing',
      {
        change: async (of) => {
          await unlink(of.at.path('a.yaml'));
          await symlink('nowhere', of.at.path('a.yaml'));
        },
        now: ALL,
        later: ['c'],
      },
    ],
    [
      'is not known any more when all go',
      {
        change: async (of) => {
          await unlink(of.at.path('a.yaml'));
          await rm(of.at.path('sub'), { recursive: true });
        },
        now: ALL,
        later: [],
      },
    ],
  ])('%s', (_, row) => check(row));
});

describe('a file that is away', () => {
  it.each<[number, string[]]>([
    [0, ALL],
    [19, ALL],
    [20, ['c']],
    [21, ['c']],
  ])('for %d ms', async (ms, services) => {
    await using of = await reading(START);
    await unlink(of.at.path('a.yaml'));
    await of.look();
    await of.later(ms);
    expect(of.services()).toEqual(services);
  });

  it('and comes back in time was never away', async () => {
    await using of = await reading(START);
    const before = of.snapshot();
    await rename(of.at.path('a.yaml'), of.at.path('a~'));
    await of.look();
    await rename(of.at.path('a~'), of.at.path('a.yaml'));
    await of.later(20);
    await of.later();
    expect([of.snapshot() === before, of.signals()]).toEqual([true, 0]);
  });

  it('and comes back in time with less, written anew, is believed', async () => {
    await using of = await reading(START);
    await unlink(of.at.path('a.yaml'));
    await of.look();
    await of.at.replace('a.yaml', service('a'));
    await of.look({ 'a.yaml': 'whole' });
    expect(of.services()).toEqual(['a', 'c']);
  });

  it('and comes back too late is gone in between', async () => {
    await using of = await reading(START);
    await rename(of.at.path('a.yaml'), of.at.path('a~'));
    await of.look();
    await of.later();
    expect(of.services()).toEqual(['c']);
    await rename(of.at.path('a~'), of.at.path('a.yaml'));
    await of.look();
    expect(of.services()).toEqual(ALL);
  });
});

describe('a write in place that takes something away', () => {
  it.each<[number, string[]]>([
    [0, ALL],
    [249, ALL],
    [250, ['a', 'c']],
  ])('is believed when it has been quiet: after %d ms', async (ms, services) => {
    await using of = await reading(START);
    await of.write('a.yaml', service('a'));
    await of.look();
    await of.later(ms);
    expect(of.services()).toEqual(services);
  });

  it('waits anew with every further write', async () => {
    await using of = await reading(START);
    for (const address of ['203.0.113.1', '203.0.113.2', '203.0.113.3']) {
      await of.write('a.yaml', service('a', `  loadBalancerIP: ${address}\n`));
      await of.look();
      await of.later(200);
      expect(of.services()).toEqual(ALL);
    }
    await of.later(250);
    expect(of.services()).toEqual(['a', 'c']);
  });

  it('does not have to wait when the rest arrives', async () => {
    await using of = await reading(START);
    await of.write('a.yaml', service('a'));
    await of.look();
    await of.write('a.yaml', documents(service('a'), service('b', '  loadBalancerIP: 203.0.113.1\n')));
    await of.look();
    expect(of.snapshot().services.get('default/b')?.loadBalancerIP).toBe('203.0.113.1');
    await of.later();
    expect([of.services(), of.faults()]).toEqual([ALL, []]);
  });
});

const away = (of: Reading): Promise<void> => rename(of.at.root, `${of.at.stateDir}-away`);
const missing = (of: Reading): string[] => [`File ${of.at.root} is missing; ${KEPT}`];

describe('a root', () => {
  it('that is missing withdraws nothing, however long', async () => {
    await using of = await reading(START);
    await away(of);
    for (let i = 0; i < 3; i++) {
      await of.look();
      await of.later();
      expect([of.services(), of.faults()]).toEqual([ALL, missing(of)]);
    }
  });

  it('that comes back is as before', async () => {
    await using of = await reading(START);
    const before = of.snapshot();
    await away(of);
    await of.look();
    await rename(`${of.at.stateDir}-away`, of.at.root);
    await of.look();
    await of.later();
    expect([of.snapshot() === before, of.faults()]).toEqual([true, []]);
  });

  it.each<[number, string[]]>([
    [20, ALL],
    [4999, ALL],
    [5000, []],
  ])('that comes back empty is believed when that is confirmed: after %d ms', async (ms, services) => {
    await using of = await reading(START);
    await rm(of.at.root, { recursive: true });
    await of.look();
    await mkdir(of.at.root);
    await of.look();
    await of.later(ms);
    expect(of.services()).toEqual(services);
  });

  it('that is replaced between two looks is confirmed too', async () => {
    await using of = await reading(START);
    await away(of);
    await of.at.write('new.yaml', service('new'));
    await of.look();
    await of.later(4999);
    expect(of.services()).toEqual([...ALL, 'new']);
    await of.later(1);
    expect(of.services()).toEqual(['new']);
  });

  it('that goes while files are missing takes none of them with it', async () => {
    await using of = await reading(START);
    await unlink(of.at.path('a.yaml'));
    await of.look();
    await away(of);
    await of.later();
    expect(of.services()).toEqual(ALL);
  });

  it('that becomes a file is that file, once that is confirmed', async () => {
    await using of = await reading(START);
    await away(of);
    await writeFile(of.at.root, service('d'));
    await of.look();
    expect(of.services()).toEqual([...ALL, 'd']);
    await of.later();
    expect(of.services()).toEqual(['d']);
  });
});

async function mount(of: Reading, version: string, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, text] of Object.entries(files)) {
    await of.at.write(`..${version}/${name}`, text);
  }
  await symlink(`..${version}`, of.at.path('..data_tmp'));
  await rename(of.at.path('..data_tmp'), of.at.path('..data'));
}

async function mounted(): Promise<Reading> {
  const of = await reading();
  await mount(of, 'v1', { 'a.yaml': START['a.yaml'], 'c.yaml': service('c') });
  await symlink('..data/a.yaml', of.at.path('a.yaml'));
  await symlink('..data/c.yaml', of.at.path('c.yaml'));
  await of.look();
  return of;
}

describe('a mounted ConfigMap', () => {
  it('holds each file once', async () => {
    await using of = await mounted();
    expect([of.services(), of.faults()]).toEqual([ALL, []]);
  });

  it.each<[string, Readonly<Record<string, string>>, string[], string[]]>([
    ['with the same', { 'a.yaml': START['a.yaml'], 'c.yaml': service('c') }, ALL, ALL],
    [
      'with more',
      { 'a.yaml': documents(START['a.yaml'], service('d')), 'c.yaml': service('c') },
      [...ALL, 'd'],
      [...ALL, 'd'],
    ],
    ['with less', { 'a.yaml': service('a'), 'c.yaml': service('c') }, ['a', 'c'], ['a', 'c']],
    ['without a file', { 'a.yaml': START['a.yaml'] }, ALL, ['a', 'b']],
    [
      'with an object moved',
      { 'a.yaml': service('a'), 'c.yaml': documents(service('b'), service('c')) },
      ALL,
      ALL,
    ],
  ])('swapped for a version %s', async (_, files, now, later) => {
    await using of = await mounted();
    await mount(of, 'v2', files);
    await rm(of.at.path('..v1'), { recursive: true });
    await of.look();
    expect(of.services()).toEqual(now);
    await of.later();
    expect([of.services(), of.faults()]).toEqual([later, []]);
  });
});

describe('what did not change keeps its reference', () => {
  it.each<[string, (of: Reading) => Promise<unknown>, string[]]>([
    ['nothing', async () => undefined, []],
    ['a file that is written again', (of) => of.write('a.yaml', START['a.yaml']), []],
    ['a file that is replaced by the same', (of) => of.at.replace('a.yaml', START['a.yaml']), []],
    ['another order', (of) => of.at.replace('a.yaml', documents(service('b'), service('a'))), []],
    ['a comment', (of) => of.at.replace('a.yaml', `# new\n${START['a.yaml']}`), []],
    ['another line ending', (of) => of.at.replace('a.yaml', START['a.yaml'].replaceAll('\n', '\r\n')), []],
    [
      'one object as JSON',
      (of) =>
        of.at.replace(
          'sub/c.yaml',
          '{"apiVersion":"v1","kind":"Service","metadata":{"name":"c"},"spec":{"type":"LoadBalancer","ports":[{"port":80,"protocol":"TCP"}]}}',
        ),
      [],
    ],
    ['a move', (of) => rename(of.at.path('a.yaml'), of.at.path('sub/a.yaml')), []],
    [
      'one object',
      (of) => of.write('a.yaml', documents(service('a'), service('b', '  loadBalancerIP: 203.0.113.1\n'))),
      ['default/b'],
    ],
    ['one object more', (of) => of.write('d.yaml', service('d')), ['default/d']],
    ['another kind', (of) => of.write('n.yaml', documents(node('n'), pool('p'))), []],
  ])('%s', async (_, change, changed) => {
    await using of = await reading({ ...START, 'first.yaml': node('first') });
    const before = of.snapshot();
    await change(of);
    await of.look();
    await of.later();
    const after = of.snapshot();
    expect(after.services.changedKeys(before.services)).toEqual(changed);
    expect(after.services === before.services).toBe(changed.length === 0);
    expect(after.secrets).toBe(before.secrets);
    expect(after.nodes.get('first')).toBe(before.nodes.get('first'));
  });
});

describe('whether a walk shows anything new', () => {
  it.each<[string, (of: Reading) => Promise<unknown>, boolean]>([
    ['nothing', async () => undefined, true],
    ['a file that is none', (of) => of.write('notes.txt', 'x'), true],
    ['an empty directory', (of) => mkdir(of.at.path('x')), true],
    ['a new file', (of) => of.write('d.yaml', service('d')), false],
    ['a write', (of) => of.write('a.yaml', START['a.yaml']), false],
    ['a file less', (of) => unlink(of.at.path('a.yaml')), false],
    ['a root that is gone', (of) => rm(of.at.root, { recursive: true }), false],
    ['a link to itself', (of) => symlink('d.yaml', of.at.path('d.yaml')), false],
  ])('%s', async (_, change, current) => {
    await using of = await reading(START);
    await change(of);
    expect(of.reader.isCurrent(await walkFolder(of.at.root))).toBe(current);
  });
});
