// Which file's object counts, as sequences of what files hold.

import { projectObject } from '@herald/api';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ManifestContent } from '../src/folder/manifest-content.ts';
import { manifestFault } from '../src/folder/manifest-fault.ts';
import { ManifestIndex } from '../src/folder/manifest-index.ts';
import { objectName, objectRef, type KubeObject } from '../src/stores/object-set.ts';

/** One object for each text "name@where", the same reference every time. */
const made = new Map<string, KubeObject>();

function object(text: string): KubeObject {
  const known = made.get(text);
  if (known !== undefined) {
    return known;
  }
  const [name = '', zone = ''] = text.split('@');
  const labels = { 'topology.kubernetes.io/zone': zone };
  const metadata = { name, uid: name, labels };
  const result = projectObject({ apiVersion: 'v1', kind: 'Node', metadata }, 'manifest');
  if (result?.ok !== true) {
    throw new Error('not a node');
  }
  made.set(text, result.value);
  return result.value;
}

function content(texts: readonly string[], faults: readonly string[] = []): ManifestContent {
  const objects = texts.map(object);
  return {
    objects: new Map(objects.map((item) => [objectName(objectRef(item)), item])),
    faults: faults.map((rule) => manifestFault('f', '', rule)),
    documents: new Map(),
  };
}

const textOf = (item: KubeObject): string =>
  item.kind === 'Node' ? `${item.name}@${item.zone ?? ''}` : item.kind;

/** A file and what it holds; undefined: it is gone. */
type Step = readonly [string, readonly string[] | undefined];

interface Said {
  readonly objects: readonly string[];
  readonly removed: readonly string[];
}

function run(steps: readonly Step[]): { readonly index: ManifestIndex; readonly said: Said } {
  const index = new ManifestIndex();
  let said: Said = { objects: [], removed: [] };
  for (const [path, texts] of steps) {
    const change = index.update(path, texts === undefined ? undefined : content(texts));
    said = { objects: change.objects.map(textOf), removed: change.removed.map((ref) => ref.key) };
  }
  return { index, said };
}

const winner = (index: ManifestIndex, name: string): string | undefined => {
  const found = index.find(`Node ${name}`);
  return found === undefined ? undefined : textOf(found);
};

describe('the last step says', () => {
  it.each<[string, Step[], string[], string[]]>([
    ['an object that is new', [['a', ['x@1']]], ['x@1'], []],
    ['several', [['a', ['x@1', 'y@1']]], ['x@1', 'y@1'], []],
    ['nothing of a file that holds none', [['a', []]], [], []],
    ['nothing of a file that was never there', [['a', undefined]], [], []],
    [
      'nothing the second time',
      [
        ['a', ['x@1']],
        ['a', ['x@1']],
      ],
      [],
      [],
    ],
    [
      'an object that changed',
      [
        ['a', ['x@1']],
        ['a', ['x@2']],
      ],
      ['x@2'],
      [],
    ],
    [
      'only the one that changed',
      [
        ['a', ['x@1', 'y@1']],
        ['a', ['x@2', 'y@1']],
      ],
      ['x@2'],
      [],
    ],
    [
      'an object that is gone',
      [
        ['a', ['x@1', 'y@1']],
        ['a', ['y@1']],
      ],
      [],
      ['x'],
    ],
    [
      'all of a file that is gone',
      [
        ['a', ['x@1', 'y@1']],
        ['a', undefined],
      ],
      [],
      ['x', 'y'],
    ],
    [
      'one that came and one that went',
      [
        ['a', ['x@1']],
        ['a', ['y@1']],
      ],
      ['y@1'],
      ['x'],
    ],
    [
      'nothing of one that loses',
      [
        ['a', ['x@1']],
        ['b', ['x@2']],
      ],
      [],
      [],
    ],
    [
      'one that wins over a known one',
      [
        ['b', ['x@2']],
        ['a', ['x@1']],
      ],
      ['x@1'],
      [],
    ],
    [
      'nothing of a loser that changes',
      [
        ['a', ['x@1']],
        ['b', ['x@2']],
        ['b', ['x@3']],
      ],
      [],
      [],
    ],
    [
      'a winner that changes',
      [
        ['a', ['x@1']],
        ['b', ['x@2']],
        ['a', ['x@3']],
      ],
      ['x@3'],
      [],
    ],
    [
      'nothing of a loser that goes',
      [
        ['a', ['x@1']],
        ['b', ['x@2']],
        ['b', undefined],
      ],
      [],
      [],
    ],
    [
      'the next when the winner goes',
      [
        ['a', ['x@1']],
        ['b', ['x@2']],
        ['a', undefined],
      ],
      ['x@2'],
      [],
    ],
    [
      'the next when the winner loses the object',
      [
        ['a', ['x@1', 'y@1']],
        ['b', ['x@2']],
        ['a', ['y@1']],
      ],
      ['x@2'],
      [],
    ],
    [
      'the next but one',
      [
        ['a', ['x@1']],
        ['c', ['x@3']],
        ['b', ['x@2']],
        ['b', undefined],
        ['a', undefined],
      ],
      ['x@3'],
      [],
    ],
    [
      'nothing when the winner is the same object',
      [
        ['a', ['x@1']],
        ['b', ['x@1']],
        ['a', undefined],
      ],
      [],
      [],
    ],
    [
      'the end when the last one goes',
      [
        ['a', ['x@1']],
        ['b', ['x@2']],
        ['a', undefined],
        ['b', undefined],
      ],
      [],
      ['x'],
    ],
    [
      'one that comes back',
      [
        ['a', ['x@1']],
        ['a', undefined],
        ['a', ['x@1']],
      ],
      ['x@1'],
      [],
    ],
  ])('%s', (_, steps, objects, removed) => {
    expect(run(steps).said).toEqual({ objects, removed });
  });
});

describe('the first by path counts', () => {
  it.each<[readonly string[], string]>([
    [['a', 'b'], 'a'],
    [['b', 'a'], 'a'],
    [['b.yaml', 'a/z.yaml'], 'a/z.yaml'],
    [['a/a.yaml', 'a.yaml'], 'a.yaml'],
    [['a-b.yaml', 'a/b.yaml'], 'a-b.yaml'],
    [['10.yaml', '9.yaml'], '10.yaml'],
    [['a.yaml', 'A.yaml'], 'A.yaml'],
    [['z', 'y', 'x', 'w'], 'w'],
  ])('of %j: %s', (paths, first) => {
    const { index } = run(paths.map((path): Step => [path, [`x@${path}`]]));
    expect(winner(index, 'x')).toBe(`x@${first}`);
  });
});

const sentence = (name: string, first: string, other: string): string =>
  `Node ${name}: metadata.name stands in ${first} and ${other}; ${first} counts.`;

describe('duplicates are said', () => {
  it.each<[string, Step[], string[]]>([
    [
      'of none',
      [
        ['a', ['x@1']],
        ['b', ['y@1']],
      ],
      [],
    ],
    [
      'of two',
      [
        ['b', ['x@1']],
        ['a', ['x@1']],
      ],
      [sentence('x', 'a', 'b')],
    ],
    [
      'of three, for each that loses',
      [
        ['c', ['x@1']],
        ['a', ['x@1']],
        ['b', ['x@1']],
      ],
      [sentence('x', 'a', 'b'), sentence('x', 'a', 'c')],
    ],
    [
      'of two objects, by name',
      [
        ['a', ['y@1', 'x@1']],
        ['b', ['y@1', 'x@1']],
      ],
      [sentence('x', 'a', 'b'), sentence('y', 'a', 'b')],
    ],
    [
      'no more when the loser goes',
      [
        ['a', ['x@1']],
        ['b', ['x@1']],
        ['b', undefined],
      ],
      [],
    ],
    [
      'no more when the winner goes',
      [
        ['a', ['x@1']],
        ['b', ['x@1']],
        ['a', undefined],
      ],
      [],
    ],
    [
      'no more when the loser holds another',
      [
        ['a', ['x@1']],
        ['b', ['x@1']],
        ['b', ['y@1']],
      ],
      [],
    ],
    [
      'of the new first',
      [
        ['b', ['x@1']],
        ['c', ['x@1']],
        ['a', ['x@1']],
        ['b', undefined],
      ],
      [sentence('x', 'a', 'c')],
    ],
  ])('%s', (_, steps, sentences) => {
    const faults = run(steps).index.faults();
    expect(faults.map((fault) => fault.message)).toEqual(sentences);
    expect(new Set(faults.map((fault) => [fault.field, fault.reason].join()))).toEqual(
      new Set(sentences.length === 0 ? [] : ['metadata.name,DuplicateObject']),
    );
  });
});

describe('faults of files', () => {
  it('come by path, before duplicates, and go with the file', () => {
    const index = new ManifestIndex();
    index.update('b', content(['x@1'], ['is b']));
    index.update('a', content(['x@1'], ['is a', 'is a again']));
    const said = (): string[] => index.faults().map((fault) => fault.message);
    const duplicate = 'Node x: metadata.name stands in a and b; a counts.';
    expect(said()).toEqual(['File f is a.', 'File f is a again.', 'File f is b.', duplicate]);
    index.update('a', content(['x@1']));
    expect(said()).toEqual(['File f is b.', duplicate]);
    index.update('b', undefined);
    expect(said()).toEqual([]);
  });
});

describe('what is known of files', () => {
  it('is what they held last', () => {
    const index = new ManifestIndex();
    const held = content(['x@1']);
    index.update('b', content([]));
    index.update('a', held);
    expect([[...index.paths()].sort(), index.content('a') === held]).toEqual([['a', 'b'], true]);
    index.update('a', undefined);
    expect([[...index.paths()], index.content('a'), index.find('Node x')]).toEqual([
      ['b'],
      undefined,
      undefined,
    ]);
  });
});

it('holds and says what one pass over all files would, whatever came', () => {
  const path = fc.constantFrom('a', 'b', 'c', 'd');
  const text = fc.tuple(fc.constantFrom('x', 'y', 'z'), fc.constantFrom('1', '2'));
  const held = fc
    .uniqueArray(text, { selector: ([name]) => name })
    .map((all) => all.map((one) => one.join('@')));
  const step = fc.tuple(path, fc.option(held, { nil: undefined }));
  fc.assert(
    fc.property(fc.array(step, { maxLength: 20 }), (steps) => {
      const index = new ManifestIndex();
      const files = new Map<string, readonly string[]>();
      const told = new Map<string, string>();
      for (const [at, texts] of steps) {
        const change = index.update(at, texts === undefined ? undefined : content(texts));
        change.objects.forEach((item) => told.set(objectRef(item).key, textOf(item)));
        change.removed.forEach((ref) => told.delete(ref.key));
        files.delete(at);
        if (texts !== undefined) {
          files.set(at, texts);
        }
      }
      const expected = new Map<string, string>();
      for (const one of [...files].sort(([a], [b]) => (a < b ? 1 : -1)).flatMap(([, texts]) => texts)) {
        expected.set(one.split('@')[0] ?? '', one);
      }
      expect(Object.fromEntries(told)).toEqual(Object.fromEntries(expected));
      expect([...files.keys()].sort()).toEqual([...index.paths()].sort());
    }),
  );
});
