import { describe, expect, it } from 'vitest';
import { readFolder } from '../src/index.ts';
import { documents, folder, node, pool, service } from './manifests.ts';

describe('read once', () => {
  it('a folder', async () => {
    await using at = await folder({ 'a.yaml': service('a'), 'deep/n.yaml': documents(node('n'), pool('p')) });
    const { objects, faults } = await readFolder(at.root);
    expect([
      [...objects.services.keys()],
      [...objects.nodes.keys()],
      [...objects.pools.keys()],
      faults,
    ]).toEqual([['default/a'], ['n'], ['p'], []]);
  });

  it('a single file, as it is dumped', async () => {
    const items = [service('a'), node('n')].map((text) =>
      text.replace(/^(?=.)/gm, '    ').replace('    ', '  - '),
    );
    await using at = await folder({
      'dump.yaml': `apiVersion: v1\nkind: List\nitems:\n${items.join('')}`,
      'b.yaml': service('b'),
    });
    const { objects, faults } = await readFolder(at.path('dump.yaml'));
    expect([[...objects.services.keys()], [...objects.nodes.keys()], faults]).toEqual([
      ['default/a'],
      ['n'],
      [],
    ]);
  });

  it('a single file of any name', async () => {
    await using at = await folder({ dump: service('a') });
    expect([...(await readFolder(at.path('dump'))).objects.services.keys()]).toEqual(['default/a']);
  });

  it('what is not there', async () => {
    await using at = await folder();
    const { objects, faults } = await readFolder(at.path('none'));
    expect([objects.services.size, faults]).toEqual([0, [expect.objectContaining({ reason: 'Unreadable' })]]);
  });

  it('what is partly broken: the rest, and every fault at once', async () => {
    await using at = await folder({
      'a.yaml': `${documents(service('a'))}---\nkind: [\n`,
      'b.yaml': pool('p', '203.0.113.9/24'),
      'c.yaml': 'apiVersion: heraldbgp.io/v1alpha1\nkind: BGPPeers\nmetadata: {name: x}\n',
      'd.yaml': '',
      'e.yaml': service('a'),
    });
    const { objects, faults } = await readFolder(at.root);
    expect([...objects.services.keys()]).toEqual(['default/a']);
    expect(faults.map((fault) => fault.object)).toEqual([
      'File a.yaml',
      'IPAddressPool p',
      'BGPPeers x',
      'File d.yaml',
      'Service default/a',
    ]);
  });

  it('a folder that links to itself, once', async () => {
    await using at = await folder({ 'a.yaml': service('a') });
    const { symlink } = await import('node:fs/promises');
    await symlink('.', at.path('loop'));
    const { objects, faults } = await readFolder(at.root);
    expect([objects.services.size, faults]).toEqual([1, []]);
  });

  it('gives the same for the same files, in whatever order they were made', async () => {
    const files: [string, string][] = [
      ['b.yaml', node('n', '10.0.0.2')],
      ['a.yaml', node('n', '10.0.0.1')],
      ['z/a.yaml', service('a')],
    ];
    await using one = await folder(Object.fromEntries(files));
    await using other = await folder(Object.fromEntries(files.toReversed()));
    const [first, second] = [await readFolder(one.root), await readFolder(other.root)];
    expect(first.objects.nodes.get('n')?.addresses[0]?.address.text).toBe('10.0.0.1');
    expect([...second.objects.nodes]).toEqual([...first.objects.nodes]);
    expect(second.faults).toEqual(first.faults);
  });
});
