// A folder in which one object breaks a rule: exactly what is said of it, what stays of it, and that the
// fault goes with its cause and with nothing else.

import { describe, expect, it } from 'vitest';
import { documents, node, pool, service } from './manifests.ts';
import { reading } from './reading.ts';

const custom = (kind: string, name: string, spec: string): string =>
  `apiVersion: heraldbgp.io/v1alpha1\nkind: ${kind}\nmetadata:\n  name: ${name}\nspec:\n${spec}`;

const peer = (lines: string): string =>
  custom('BGPPeer', 'tor', `  peerAddress: 192.0.2.1\n  peerASN: 64512\n${lines}`);

interface Expected {
  readonly object: string;
  readonly field: string;
  readonly reason: string;
}

type Row = readonly [string, string, string, Expected];

const invalid = (object: string, field: string): Expected => ({ object, field, reason: 'Invalid' });
const file = (field: string, reason: string): Expected => ({ object: 'File x.yaml', field, reason });

const ROWS: readonly Row[] = [
  ['a host bit', pool('p'), pool('p', '203.0.113.1/24'), invalid('IPAddressPool p', 'spec.addresses[0]')],
  [
    'a reversed range',
    pool('p'),
    pool('p', '203.0.113.9-203.0.113.1'),
    invalid('IPAddressPool p', 'spec.addresses[0]'),
  ],
  [
    'a range over families',
    pool('p'),
    pool('p', '203.0.113.9-2001:db8::1'),
    invalid('IPAddressPool p', 'spec.addresses[0]'),
  ],
  ['a word', pool('p'), pool('p', 'hello'), invalid('IPAddressPool p', 'spec.addresses[0]')],
  ['no name', node('n'), 'apiVersion: v1\nkind: Node\n', invalid('Node without a name', 'metadata.name')],
  ['a key twice', service('a'), `${service('a')}kind: Service\n`, file('line 10', 'Unreadable')],
  ['what is not well formed', service('a'), '}\n', file('line 1', 'Unreadable')],
  ['nothing', service('a'), '', file('', 'Unreadable')],
  ['a word as a whole', service('a'), 'hello\n', file('', 'Invalid')],
  ['no kind', service('a'), 'a: 1\n', file('kind', 'Invalid')],
  ['a hold time that is none', peer(''), peer('  holdTime: soon\n'), invalid('BGPPeer tor', 'spec.holdTime')],
];

describe('a fault', () => {
  it.each(ROWS)(
    'of %s names object, field and reason, and takes nothing away',
    async (_, good, bad, expected) => {
      await using of = await reading({ 'x.yaml': good, 'other.yaml': service('other') });
      const before = of.snapshot();
      expect(of.faults()).toEqual([]);
      await of.at.replace('x.yaml', bad);
      await of.look();
      expect(of.reader.faults()).toEqual([expect.objectContaining(expected)]);
      expect(of.snapshot()).toBe(before);
      expect(of.signals()).toBe(0);
    },
  );

  it.each(ROWS)('of %s says in a sentence what stands where', async (_, good, bad, { object, field }) => {
    await using of = await reading({ 'x.yaml': bad });
    const [sentence = ''] = of.faults();
    expect(sentence.startsWith(`${object}${field === '' ? '' : `: ${field}`} `)).toBe(true);
    expect(sentence).toMatch(/\.$/);
    expect(good).not.toBe(bad);
  });

  it.each(ROWS)('of %s goes when it is mended', async (_, good, bad) => {
    await using of = await reading({ 'x.yaml': good });
    const before = of.snapshot();
    await of.at.replace('x.yaml', bad);
    await of.look();
    await of.at.replace('x.yaml', good);
    await of.look();
    expect([of.faults(), of.snapshot() === before]).toEqual([[], true]);
  });

  it.each(ROWS)('of %s goes with its file, and then the object does too', async (_, good, bad) => {
    await using of = await reading({ 'x.yaml': good, 'other.yaml': service('other') });
    await of.at.replace('x.yaml', bad);
    await of.look();
    await of.at.remove('x.yaml');
    await of.look();
    await of.later();
    const left = Object.values(of.snapshot()).reduce((sum, map) => sum + map.size, 0);
    expect([of.faults(), of.services(), left]).toEqual([[], ['other'], 1]);
  });

  it.each(ROWS)('of %s is there from the start, beside everything else', async (_, good, bad, expected) => {
    await using of = await reading({ 'x.yaml': bad, 'other.yaml': service('other') });
    expect(of.reader.faults()).toEqual([expect.objectContaining(expected)]);
    expect(of.services()).toEqual(['other']);
    await of.at.replace('x.yaml', good);
    await of.look();
    expect(of.faults()).toEqual([]);
  });
});

describe('faults of several files', () => {
  it('are all said, by file, and go one by one', async () => {
    await using of = await reading({
      'c.yaml': 'hello\n',
      'a.yaml': pool('p', 'rubbish'),
      'b.yaml': '',
      'd.yaml': documents(service('a'), node('n')),
    });
    const objects = (): string[] => of.reader.faults().map((fault) => fault.object);
    expect(objects()).toEqual(['IPAddressPool p', 'File b.yaml', 'File c.yaml']);
    for (const [path, left] of [
      ['b.yaml', ['IPAddressPool p', 'File c.yaml']],
      ['a.yaml', ['File c.yaml']],
      ['c.yaml', []],
    ] as const) {
      await of.at.replace(path, '# none\n');
      await of.look();
      expect(objects()).toEqual(left);
    }
    expect([of.services(), of.snapshot().nodes.size]).toEqual([['a'], 1]);
  });

  it('of one object each: the object that is kept can still be replaced from elsewhere', async () => {
    await using of = await reading({ 'b.yaml': pool('p') });
    await of.at.replace('b.yaml', pool('p', 'rubbish'));
    await of.look();
    await of.at.write('a.yaml', pool('p', '198.51.100.0/24'));
    await of.look();
    expect(of.reader.faults().map((fault) => [fault.object, fault.reason])).toEqual([
      ['IPAddressPool p', 'Invalid'],
      ['IPAddressPool p', 'DuplicateObject'],
    ]);
    expect(of.snapshot().pools.get('p')).toMatchObject({ kind: 'IPAddressPool', name: 'p' });
    await of.at.remove('b.yaml');
    await of.look();
    await of.later();
    expect(of.faults()).toEqual([]);
  });
});

describe('which Service stands in the manifests', () => {
  it.each<[string, string, boolean]>([
    ['one that is there', 'default/a', true],
    ['one that is not', 'default/x', false],
    ['another kind of the same name', 'n', false],
    ['a name without its namespace', 'a', false],
  ])('%s', async (_, key, there) => {
    await using of = await reading({ 'a.yaml': documents(service('a'), node('n')) });
    expect(of.reader.service(key) !== undefined).toBe(there);
  });
});
