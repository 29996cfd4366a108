// A small manifest of two objects, cut at every byte: as a new file, over an old one, in every way in which
// a text can come, in every form in which it is written.

import { describe, expect, it } from 'vitest';
import {
  acceptText,
  type Acceptance,
  type Arrival,
  type ManifestContent,
} from '../src/folder/manifest-content.ts';
import { documents, node, pool, service } from './manifests.ts';
import { reading } from './reading.ts';

const PATH = 'app.yaml';
const NAMES = ['Node n', 'Service default/a'];

const address = '203.0.113.9';
const old = documents(service('a'), node('n'));
const yaml = documents(service('a', `  loadBalancerIP: ${address}\n`), node('n', '10.0.0.12'));

const objects = [
  {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'a' },
    spec: { type: 'LoadBalancer', ports: [{ port: 80, protocol: 'TCP' }], loadBalancerIP: address },
  },
  {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name: 'n' },
    status: { addresses: [{ type: 'InternalIP', address: '10.0.0.12' }] },
  },
];
const list = { apiVersion: 'v1', kind: 'List', items: objects };

const FORMS: readonly (readonly [string, string])[] = [
  ['YAML', yaml],
  ['YAML with carriage returns', yaml.replaceAll('\n', '\r\n')],
  ['YAML with a byte order mark', `\uFEFF${yaml}`],
  ['YAML with an end marker', `${yaml}...\n`],
  ['a JSON list', JSON.stringify(list)],
  ['an indented JSON list', `${JSON.stringify(list, null, 2)}\n`],
  ['JSON documents', objects.map((object) => `---\n${JSON.stringify(object)}\n`).join('')],
];

function contentOf(result: Acceptance, before: ManifestContent): ManifestContent {
  return result.kind === 'wait' ? before : result.content;
}

function whole(text: string): ManifestContent {
  const result = acceptText(PATH, text, 'whole', undefined);
  if (result.kind === 'wait') {
    throw new Error('a whole text is never waited for');
  }
  return result.content;
}

const nothing = whole('# none\n');
const names = (content: ManifestContent): string[] => [...content.objects.keys()].sort();

describe.each(FORMS)('%s cut at every byte', (_, text) => {
  const bytes = Buffer.from(text);
  const cuts = Array.from({ length: bytes.length }, (_byte, at) => bytes.subarray(0, at).toString('utf8'));
  const complete = whole(text);

  it('is the two objects when it is complete', () => {
    expect([names(complete), complete.faults]).toEqual([NAMES, []]);
    expect(complete.objects.get('Service default/a')).toMatchObject({ loadBalancerIP: address });
  });

  it('while it is written over the old one takes neither away', () => {
    const before = whole(old);
    for (const cut of cuts) {
      expect(names(contentOf(acceptText(PATH, cut, 'written', before), before))).toEqual(NAMES);
    }
  });

  it('that ends in the middle of a line is never believed while it is written', () => {
    const before = whole(old);
    for (const cut of cuts.filter((piece) => !piece.endsWith('\n') && piece !== text.trimEnd())) {
      const result = acceptText(PATH, cut, 'written', before);
      const { objects: after } = contentOf(result, before);
      expect([...after.values()]).toEqual([...before.objects.values()]);
    }
  });

  it('says one thing a document at most, and never what stands in it', () => {
    for (const cut of cuts) {
      const { faults } = contentOf(acceptText(PATH, cut, 'whole', nothing), nothing);
      expect(faults.length).toBeLessThanOrEqual(2);
      expect(JSON.stringify(faults)).not.toContain(address);
    }
  });

  it('is whole again after a cut that was believed', () => {
    for (const cut of cuts) {
      const between = contentOf(acceptText(PATH, cut, 'settled', complete), complete);
      const after = contentOf(acceptText(PATH, text, 'written', between), between);
      expect(Object.fromEntries(after.objects)).toEqual(Object.fromEntries(complete.objects));
      expect(after.faults).toEqual([]);
    }
  });

  it('as a new file holds nothing that the whole one does not', () => {
    for (const cut of cuts) {
      const { objects: found } = contentOf(acceptText(PATH, cut, 'whole', undefined), nothing);
      expect([...found.keys()].filter((name) => !NAMES.includes(name))).toEqual([]);
    }
  });
});

const cutBefore = (marker: string): string => old.slice(0, old.indexOf(marker));

describe('what a cut leaves when nothing more comes', () => {
  const first = service('a');
  it.each<[string, string, Arrival, string[], string[]]>([
    ['nothing, settled', '', 'settled', NAMES, ['Unreadable']],
    ['the marker, settled', '---\n', 'settled', [], []],
    ['in the first word, settled', '---\napiV', 'settled', NAMES, ['Invalid']],
    ['before the name, settled', cutBefore('  name: a'), 'settled', NAMES, ['Invalid']],
    ['after the first object, settled', `---\n${first}`, 'settled', ['Service default/a'], []],
    ['after the second marker, settled', `---\n${first}---\n`, 'settled', ['Service default/a'], []],
    [
      'in the second object, settled',
      `---\n${first}---\napiVersion: v1\nkind: N`,
      'settled',
      ['Service default/a'],
      [],
    ],
    [
      'in the name of the second, settled',
      `---\n${first}---\napiVersion: v1\nkind: Node\nmetadata:\n`,
      'settled',
      NAMES,
      ['Invalid'],
    ],
    ['in a flow map, settled', `---\n${first}---\n{apiVersion: v1, kind`, 'settled', NAMES, ['Unreadable']],
    ['in a text, settled', `---\n${first}---\nkind: "No`, 'settled', NAMES, ['Unreadable']],
  ])('%s', (_, text, arrival, expected, reasons) => {
    const before = whole(old);
    const content = contentOf(acceptText(PATH, text, arrival, before), before);
    expect([names(content), content.faults.map((fault) => fault.reason)]).toEqual([expected, reasons]);
  });
});

describe('on disk', () => {
  it('a file that grows byte by byte loses nothing and ends as it should', async () => {
    await using of = await reading({ 'app.yaml': old });
    for (let length = 0; length < yaml.length; length += 3) {
      await of.write('app.yaml', yaml.slice(0, length));
      await of.look({ 'app.yaml': 'written' });
      expect([of.services(), [...of.snapshot().nodes.keys()]]).toEqual([['a'], ['n']]);
    }
    await of.write('app.yaml', yaml);
    await of.look({ 'app.yaml': 'written' });
    expect(of.snapshot().services.get('default/a')?.loadBalancerIP).toBe(address);
    expect(of.faults()).toEqual([]);
  });

  it('a file beside it is read while one is half-written', async () => {
    await using of = await reading({ 'app.yaml': old, 'pool.yaml': pool('p') });
    await of.write('app.yaml', service('a').slice(0, -4));
    await of.write('pool.yaml', documents(pool('p'), pool('q', '198.51.100.0/24')));
    await of.look({ 'app.yaml': 'written', 'pool.yaml': 'written' });
    expect([of.services(), [...of.snapshot().pools.keys()].sort()]).toEqual([['a'], ['p', 'q']]);
  });
});
