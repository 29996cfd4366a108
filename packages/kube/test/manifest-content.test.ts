// What a file stands for after its text changed: pure, as sequences of texts.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { acceptText, type Arrival, type ManifestContent } from '../src/folder/manifest-content.ts';
import { documents, node, pool, service } from './manifests.ts';

const PATH = 'app.yaml';

function accept(text: string, arrival: Arrival = 'whole', previous?: ManifestContent): ManifestContent {
  const result = acceptText(PATH, text, arrival, previous);
  if (result.kind === 'wait') {
    throw new Error('unexpected wait');
  }
  return result.content;
}

const names = (content: ManifestContent): string[] => [...content.objects.keys()].sort();
const sentences = (content: ManifestContent): string[] => content.faults.map((fault) => fault.message);

const objectOf = (text: string, name: string) => accept(text).objects.get(name);
const uid = (text: string, name: string): string | undefined => objectOf(text, name)?.uid;

const planted = 'hunter2-planted';
const secret = (data: string): string => `apiVersion: v1\nkind: Secret\nmetadata: {name: s}\n${data}`;

const two = documents(service('a'), service('b'));

describe('the first look', () => {
  it.each<[string, string, string[]]>([
    ['one document', service('a'), ['Service default/a']],
    [
      'several',
      documents(service('a'), node('n'), pool('p')),
      ['IPAddressPool p', 'Node n', 'Service default/a'],
    ],
    [
      'kinds that nobody reads',
      documents(service('a'), 'apiVersion: apps/v1\nkind: Deployment\n'),
      ['Service default/a'],
    ],
    [
      'JSON',
      JSON.stringify({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'x' } }),
      ['Namespace x'],
    ],
    [
      'a list',
      JSON.stringify({
        apiVersion: 'v1',
        kind: 'List',
        items: [{ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'x' } }],
      }),
      ['Namespace x'],
    ],
    [
      'a typed list whose items say nothing',
      JSON.stringify({
        apiVersion: 'v1',
        kind: 'NodeList',
        items: [{ metadata: { name: 'x' } }, { metadata: { name: 'y' } }],
      }),
      ['Node x', 'Node y'],
    ],
    ['an empty list', 'apiVersion: v1\nkind: List\nitems: []\n', []],
    ['a comment', '# nothing yet\n', []],
  ])('%s', (_, text, expected) => {
    const content = accept(text);
    expect([names(content), sentences(content)]).toEqual([expected, []]);
  });

  it('takes what can be read of a file that is partly broken, and says the line', () => {
    const content = accept(`${documents(service('a'))}---\nkind: [\n`);
    expect(names(content)).toEqual(['Service default/a']);
    expect(sentences(content)).toEqual([
      expect.stringMatching(/^File app\.yaml: line 1\d is not well-formed YAML or JSON \([A-Z_]+\)\.$/),
    ]);
  });
});

describe('what an API server would have supplied', () => {
  it('namespace, UID and creation time', () => {
    expect(objectOf(service('a'), 'Service default/a')).toMatchObject({
      namespace: 'default',
      uid: expect.stringMatching(/^[\da-f]{8}-[\da-f]{4}-8[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/),
      createdAt: 0,
    });
  });

  it('a UID that depends on kind, namespace and name only', () => {
    const here = uid(service('a'), 'Service default/a');
    expect(uid(service('a', '  loadBalancerIP: 203.0.113.7\n'), 'Service default/a')).toBe(here);
    expect(uid(service('b'), 'Service default/b')).not.toBe(here);
    expect(uid(service('a\n  namespace: other'), 'Service other/a')).not.toBe(here);
  });

  it('not over what the manifest says', () => {
    const text = service('a\n  namespace: shop\n  uid: given\n  creationTimestamp: 2026-01-01T00:00:00Z');
    expect(objectOf(text, 'Service shop/a')).toMatchObject({ uid: 'given', createdAt: Date.UTC(2026, 0, 1) });
  });

  it('stringData of a Secret', () => {
    const text = `apiVersion: v1\nkind: Secret\nmetadata: {name: s}\nstringData: {key: hunter2}\n`;
    expect(objectOf(text, 'Secret default/s')).toMatchObject({ data: { key: 'hunter2' } });
  });
});

describe('a change', () => {
  it.each<[string, string, Arrival, string[], RegExp[]]>([
    [
      'to nothing at all keeps everything',
      '',
      'settled',
      ['Service default/a', 'Service default/b'],
      [/is empty/],
    ],
    ['to blanks keeps everything', '\n\n', 'whole', ['Service default/a', 'Service default/b'], [/is empty/]],
    ['to a comment takes everything away', '# none\n', 'whole', [], []],
    ['to a marker takes everything away', '---\n', 'settled', [], []],
    [
      'that is not well formed keeps everything',
      `${documents(service('c'))}---\na: [`,
      'settled',
      ['Service default/a', 'Service default/b'],
      [/line 12|line 13/],
    ],
    [
      'to a scalar keeps everything',
      'hello\n',
      'settled',
      ['Service default/a', 'Service default/b'],
      [/not an object/],
    ],
    [
      'that repeats a key keeps everything',
      `${two}kind: Service\n`,
      'settled',
      ['Service default/a', 'Service default/b'],
      [/stands twice/],
    ],
    [
      'to fewer objects is believed when it came as a whole',
      service('a'),
      'whole',
      ['Service default/a'],
      [],
    ],
    ['to fewer objects is believed when it is settled', service('a'), 'settled', ['Service default/a'], []],
    [
      'that adds one is believed at once',
      documents(two, service('c')),
      'written',
      ['Service default/a', 'Service default/b', 'Service default/c'],
      [],
    ],
  ])('%s', (_, text, arrival, expected, faults) => {
    const content = accept(text, arrival, accept(two));
    expect(names(content)).toEqual(expected);
    expect(sentences(content)).toEqual(faults.map((fault) => expect.stringMatching(fault)));
  });

  it.each<[string, string]>([
    ['loses an object', service('a')],
    ['ends in the middle of a line', two.slice(0, -1)],
    ['becomes a comment', '# none\n'],
  ])('written in place that %s is waited for', (_, text) => {
    expect(acceptText(PATH, text, 'written', accept(two)).kind).toBe('wait');
  });

  it('keeps objects that are not in a text of which only the object that broke has no name', () => {
    const content = accept(documents(service('a'), 'apiVersion: v1\nkind: Service\n'), 'whole', accept(two));
    expect(names(content)).toEqual(['Service default/a', 'Service default/b']);
    expect(sentences(content)).toEqual([expect.stringContaining('metadata.name')]);
  });

  it('that breaks a rule keeps that object and takes the rest', () => {
    const before = accept(documents(pool('p'), service('a')));
    const after = accept(documents(pool('p', '203.0.113.1/24'), service('b')), 'whole', before);
    expect(names(after)).toEqual(['IPAddressPool p', 'Service default/b']);
    expect(after.objects.get('IPAddressPool p')).toBe(before.objects.get('IPAddressPool p'));
    expect(after.faults).toEqual([
      expect.objectContaining({
        object: 'IPAddressPool p',
        field: expect.stringContaining('spec.addresses'),
      }),
    ]);
  });

  it('is back to no faults when it is mended', () => {
    const broken = accept('a: [', 'settled', accept(two));
    expect(sentences(broken)).toHaveLength(1);
    expect(sentences(accept(two, 'settled', broken))).toEqual([]);
  });

  it('leaves what did not change the same reference', () => {
    const before = accept(two);
    const after = accept(`# moved\n${documents(service('c'))}${two}`, 'whole', before);
    for (const name of ['Service default/a', 'Service default/b']) {
      expect(after.objects.get(name)).toBe(before.objects.get(name));
    }
  });
});

it('an object that stands twice in one file counts once, the first', () => {
  const content = accept(documents(node('n', '10.0.0.1'), node('n', '10.0.0.2')));
  expect(content.objects.get('Node n')).toMatchObject({ addresses: [{ address: { text: '10.0.0.1' } }] });
  expect(content.faults).toEqual([
    {
      object: 'Node n',
      field: 'metadata.name',
      reason: 'DuplicateObject',
      message: 'Node n: metadata.name stands twice in app.yaml; the first counts.',
    },
  ]);
});

describe('no fault quotes a Secret', () => {
  it.each([
    secret(`stringData: {key: ${planted}`),
    secret(`stringData:\n  key: ${planted}\n ${planted}: x\n`),
    secret(`stringData:\n  key: "${planted}\n`),
    secret(`stringData: *${planted}\n`),
    secret(`data: {key: ${planted}}\n`),
    secret(`${planted}\n`),
    secret(`${planted}: 1\n${planted}: 2\n`),
    `${planted}\n`,
    `- ${planted}\n`,
    `{"kind": "Secret", "x": ${planted}}`,
    `kind: ${planted}\n`,
  ])('%j', (text) => {
    const content = accept(text);
    expect(content.faults.length).toBeGreaterThan(0);
    expect(JSON.stringify(content.faults)).not.toContain(planted);
    expect(JSON.stringify([...content.objects])).not.toContain(planted);
  });
});

describe('a file cut at any byte', () => {
  const next = documents(service('a', '  loadBalancerIP: 203.0.113.9\n'), pool('p'), service('b'), node('n'));
  const before = accept(documents(service('a'), pool('p'), service('b'), node('n')));

  it('withdraws nothing while it is being written', () => {
    for (let length = 0; length <= next.length; length++) {
      const result = acceptText(PATH, next.slice(0, length), 'written', before);
      const kept = result.kind === 'wait' ? before : result.content;
      expect(names(kept)).toEqual(names(before));
    }
  });

  it('is as if it had never been cut once it is complete', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: next.length }),
        fc.constantFrom('written', 'settled', 'whole'),
        (length, arrival) => {
          const result = acceptText(PATH, next.slice(0, length), arrival, before);
          const between = result.kind === 'wait' ? before : result.content;
          const after = accept(next, 'written', between);
          expect([...after.objects]).toEqual([...accept(next).objects]);
          expect(after.faults).toEqual([]);
        },
      ),
    );
  });
});

it('arbitrary text never throws', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'binary' }),
      fc.constantFrom('whole', 'written', 'settled'),
      (text, arrival) => {
        acceptText(PATH, text, arrival, undefined);
      },
    ),
  );
});

it('aliases that expand without bound are refused', () => {
  const levels = 'abcdefghi'.split('');
  const bomb = levels.map(
    (name, i) =>
      `${name}: &${name} [${Array(9)
        .fill(i === 0 ? 'x' : `*${levels[i - 1]}`)
        .join(',')}]\n`,
  );
  expect(sentences(accept(bomb.join('')))).toEqual([expect.stringContaining('aliases expand')]);
});
