// Every form in which a text can be written, and what comes out of it: objects and exact faults.

import { describe, expect, it } from 'vitest';
import { acceptText, type ManifestContent } from '../src/folder/manifest-content.ts';
import { documents, node, pool, service } from './manifests.ts';

function accept(text: string): ManifestContent {
  const result = acceptText('f.yaml', text, 'whole', undefined);
  if (result.kind === 'wait') {
    throw new Error('a first look never waits');
  }
  return result.content;
}

type Row = readonly [string, string, readonly string[], readonly string[]];

function check(text: string, names: readonly string[], faults: readonly string[]): void {
  const content = accept(text);
  expect([[...content.objects.keys()], content.faults.map((fault) => fault.message)]).toEqual([
    names,
    faults,
  ]);
}

const A = 'Service default/a';
const B = 'Service default/b';
const BOM = '\uFEFF';
const KIND = 'File f.yaml: kind and apiVersion must both be given, as text.';
const SHAPE = 'File f.yaml holds something that is not an object with a kind.';
const NAME = 'Node without a name: metadata.name is required.';
const malformed = (line: number, code: string): string =>
  `File f.yaml: line ${line} is not well-formed YAML or JSON (${code}).`;
const twice = (line: number): string =>
  `File f.yaml: line ${line} is a key stands twice in one map (DUPLICATE_KEY).`;
const alias = (line: number): string =>
  `File f.yaml: line ${line} is aliases expand to more than is allowed, or to nothing.`;
const namespace = (name: string): string =>
  `{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"${name}"}}`;
const listOf = (...items: readonly string[]): string =>
  `{"apiVersion":"v1","kind":"List","items":[${items.join(',')}]}`;
const secret = (value: string): string =>
  `apiVersion: v1\nkind: Secret\nmetadata: {name: s}\nstringData:\n  k: ${value}`;

describe('bytes and lines', () => {
  it.each<Row>([
    ['a byte order mark', `${BOM}${service('a')}`, [A], []],
    ['a byte order mark before a marker', `${BOM}${documents(service('a'), service('b'))}`, [A, B], []],
    ['a byte order mark before JSON', `${BOM}${namespace('x')}`, ['Namespace x'], []],
    ['a byte order mark before a directive', `${BOM}%YAML 1.2\n---\n${service('a')}`, [A], []],
    ['a byte order mark before a comment', `${BOM}# none\n`, [], []],
    ['carriage returns', service('a').replaceAll('\n', '\r\n'), [A], []],
    [
      'carriage returns and markers',
      documents(service('a'), service('b')).replaceAll('\n', '\r\n'),
      [A, B],
      [],
    ],
    [
      'both line endings',
      `${documents(service('a'))}${documents(service('b')).replaceAll('\n', '\r\n')}`,
      [A, B],
      [],
    ],
    ['blank lines between', `\n\n${service('a')}\n\n\n`, [A], []],
    ['spaces at the ends of lines', service('a').replaceAll('\n', '  \n'), [A], []],
    ['no line end at the end', service('a').trimEnd(), [A], []],
    [
      'half of a carriage return and line feed at the end',
      'apiVersion: v1\r\nkind: Node\r\nmetadata: {name: n}\r',
      ['Node n'],
      [],
    ],
    ['the same after a name', 'kind: Node\r\napiVersion: v1\r\nmetadata:\r\n  name: n\r', ['Node n'], []],
    ['a tab as indentation', service('a').replace('  name', '\tname'), [], [malformed(4, 'TAB_AS_INDENT')]],
    ['a NUL', '\0', [], [SHAPE]],
    ['a character that stands for unreadable bytes', '\uFFFD\uFFFD\n', [], [SHAPE]],
    ['the same in a comment', `# \uFFFD\n${service('a')}`, [A], []],
    ['other scripts in a comment', `# \u{1F310} Dienst\n${service('a')}`, [A], []],
  ])('%s', (_, text, names, faults) => check(text, names, faults));
});

describe('documents', () => {
  it.each<Row>([
    ['two', documents(service('a'), service('b')), [A, B], []],
    ['two, the first without a marker', `${service('a')}---\n${service('b')}`, [A, B], []],
    ['a marker with a comment', `--- # one\n${service('a')}--- # two\n${service('b')}`, [A, B], []],
    ['a marker with blanks', `---  \n${service('a')}---\t\n${service('b')}`, [A, B], []],
    [
      'content on the marker line',
      `--- ${namespace('x')}\n--- ${namespace('y')}\n`,
      ['Namespace x', 'Namespace y'],
      [],
    ],
    ['many markers', `---\n---\n${service('a')}---\n---\n---\n`, [A], []],
    ['a marker at the very end', `${service('a')}---`, [A], []],
    ['an end marker', `${service('a')}...\n`, [A], []],
    ['an end marker between', `${service('a')}...\n---\n${service('b')}...\n`, [A, B], []],
    ['directives', `%YAML 1.2\n---\n${service('a')}...\n%YAML 1.2\n---\n${service('b')}`, [A, B], []],
    ['an explicit null', '---\nnull\n---\n~\n', [], []],
    ['JSON documents', `${namespace('x')}\n---\n${namespace('y')}\n`, ['Namespace x', 'Namespace y'], []],
    [
      'JSON lines without markers',
      `${namespace('x')}\n${namespace('y')}\n`,
      [],
      [malformed(2, 'UNEXPECTED_TOKEN')],
    ],
    ['YAML and JSON', `${service('a')}---\n${namespace('x')}\n`, [A, 'Namespace x'], []],
    ['a marker in a block text is one when it is not indented', secret('|\n---\n'), ['Secret default/s'], []],
    ['an indented marker is text', secret('|\n    ---\n    x\n'), ['Secret default/s'], []],
    ['a PEM header is text', secret('|\n    -----BEGIN CERTIFICATE-----\n    x\n'), ['Secret default/s'], []],
    [
      'a PEM header at the start of a line',
      `${service('a')}-----BEGIN\n`,
      [],
      [malformed(10, 'MISSING_CHAR')],
    ],
    [
      'the broken one in the middle',
      `${service('a')}---\n}\n---\n${service('b')}`,
      [A, B],
      [malformed(11, 'UNEXPECTED_TOKEN')],
    ],
  ])('%s', (_, text, names, faults) => check(text, names, faults));
});

describe('keys, anchors and tags', () => {
  it.each<Row>([
    ['a key twice at the top', `${service('a')}spec: {}\n`, [], [twice(10)]],
    ['a key twice below', service('a', '  type: ClusterIP\n'), [], [twice(10)]],
    [
      'a key twice in a flow map',
      'apiVersion: v1\nkind: Node\nmetadata: {name: a, name: b}\n',
      [],
      [twice(3)],
    ],
    ['a key twice in another document only', `${service('a')}---\na: 1\na: 2\n`, [A], [twice(12)]],
    [
      'a key twice in different maps',
      'apiVersion: v1\nkind: Node\nmetadata: {name: n, labels: {name: x}}\n',
      ['Node n'],
      [],
    ],
    [
      'an anchor that is used',
      'apiVersion: v1\nkind: Node\nmetadata: {name: &n x, labels: {app: *n}}\n',
      ['Node x'],
      [],
    ],
    ['an anchor that is not used', 'apiVersion: v1\nkind: Node\nmetadata: &m {name: x}\n', ['Node x'], []],
    ['an alias of nothing', 'apiVersion: v1\nkind: Node\nmetadata: *none\n', [], [alias(1)]],
    ['an alias into another document', `---\na: &x 1\n---\napiVersion: *x\n`, [], [alias(3), KIND]],
    ['a tag that is not known', '!!js/function x\n', [], [SHAPE]],
    ['a tag of the core schema', 'apiVersion: v1\nkind: Node\nmetadata: {name: !!str 5}\n', ['Node 5'], []],
    [
      'words that YAML 1.1 took for something',
      'apiVersion: v1\nkind: Node\nmetadata: {name: yes}\n',
      ['Node yes'],
      [],
    ],
    ['dates are text', 'apiVersion: v1\nkind: Node\nmetadata: {name: 2026-01-01}\n', ['Node 2026-01-01'], []],
    ['a name that belongs to JavaScript', namespace('__proto__'), ['Namespace __proto__'], []],
    ['a key that belongs to JavaScript', '{"__proto__":{"kind":"Node"},"apiVersion":"v1"}', [], [KIND]],
  ])('%s', (_, text, names, faults) => check(text, names, faults));
});

describe('kinds', () => {
  it.each<Row>([
    ['no kind', 'apiVersion: v1\nmetadata: {name: x}\n', [], [KIND]],
    ['no version', 'kind: Node\nmetadata: {name: x}\n', [], [KIND]],
    ['a kind that is a number', 'apiVersion: v1\nkind: 5\n', [], [KIND]],
    ['a version that is a number', 'apiVersion: 1\nkind: Node\n', [], [KIND]],
    ['a kind that is null', 'apiVersion: v1\nkind:\n', [], [KIND]],
    ['a number', '5\n', [], [SHAPE]],
    ['a word', 'hello\n', [], [SHAPE]],
    ['a sequence', '- apiVersion: v1\n  kind: Node\n', [], [SHAPE]],
    ['a JSON array', '[]', [], [SHAPE]],
    ['a kind of others', 'apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: x}\n', [], []],
    ['a kind in lower case is of others', 'apiVersion: v1\nkind: service\nmetadata: {name: x}\n', [], []],
    [
      'a kind of ours in another group',
      'apiVersion: example.org/v1\nkind: Node\nmetadata: {name: x}\n',
      [],
      [],
    ],
    [
      'a kind that our group does not have',
      'apiVersion: heraldbgp.io/v1alpha1\nkind: BGPPeers\nmetadata: {name: x}\n',
      [],
      ['BGPPeers x: kind is not a kind of heraldbgp.io/v1alpha1.'],
    ],
    [
      'a version that our group does not have',
      'apiVersion: heraldbgp.io/v9\nkind: IPAddressPool\nmetadata: {name: x}\n',
      [],
      ['IPAddressPool x: kind is not a kind of heraldbgp.io/v1alpha1.'],
    ],
    ['no metadata', 'apiVersion: v1\nkind: Node\n', [], [NAME]],
    ['metadata that is a word', 'apiVersion: v1\nkind: Node\nmetadata: hello\n', [], [NAME]],
    ['a name that is a number', 'apiVersion: v1\nkind: Node\nmetadata: {name: 5}\n', [], [NAME]],
    ['an empty name', 'apiVersion: v1\nkind: Node\nmetadata: {name: ""}\n', [], [NAME]],
    [
      'a namespace that is empty',
      'apiVersion: v1\nkind: Service\nmetadata: {name: a, namespace: ""}\n',
      [A],
      [],
    ],
    [
      'a namespace on what has none',
      'apiVersion: v1\nkind: Node\nmetadata: {name: n, namespace: x}\n',
      ['Node n'],
      [],
    ],
    ['the same name in two kinds', documents(node('x'), pool('x')), ['Node x', 'IPAddressPool x'], []],
    [
      'the same name in two namespaces',
      documents(service('a'), service('a\n  namespace: shop')),
      [A, 'Service shop/a'],
      [],
    ],
  ])('%s', (_, text, names, faults) => check(text, names, faults));
});

describe('lists', () => {
  it.each<Row>([
    ['of one', listOf(namespace('x')), ['Namespace x'], []],
    ['in a list', listOf(listOf(namespace('x')), namespace('y')), ['Namespace x', 'Namespace y'], []],
    ['in a list in a list', listOf(listOf(listOf(namespace('x')))), ['Namespace x'], []],
    ['with null', listOf('null', namespace('x')), ['Namespace x'], []],
    ['with what is no object', listOf('1', namespace('x'), '"y"'), ['Namespace x'], [SHAPE, SHAPE]],
    ['with an object without a kind', listOf('{}', namespace('x')), ['Namespace x'], [KIND]],
    [
      'with one twice',
      listOf(namespace('x'), namespace('x')),
      ['Namespace x'],
      ['Namespace x: metadata.name stands twice in f.yaml; the first counts.'],
    ],
    ['of nothing', listOf(), [], []],
    ['without items', '{"apiVersion":"v1","kind":"List"}', [], []],
    ['whose items are none', '{"apiVersion":"v1","kind":"List","items":null}', [], []],
    ['whose items are a map', '{"apiVersion":"v1","kind":"List","items":{}}', [], []],
    [
      'of one kind, whose items say nothing',
      '{"apiVersion":"v1","kind":"NodeList","items":[{"metadata":{"name":"x"}}]}',
      ['Node x'],
      [],
    ],
    [
      'of one kind, whose items say what they are',
      `{"apiVersion":"v1","kind":"NodeList","items":[${namespace('x')}]}`,
      ['Namespace x'],
      [],
    ],
    [
      'of a kind of others',
      '{"apiVersion":"apps/v1","kind":"DeploymentList","items":[{"metadata":{"name":"x"}}]}',
      [],
      [],
    ],
    [
      'of our kind',
      '{"apiVersion":"heraldbgp.io/v1alpha1","kind":"IPAddressPoolList","items":[{"metadata":{"name":"p"},"spec":{"addresses":["203.0.113.0/24"]}}]}',
      ['IPAddressPool p'],
      [],
    ],
  ])('%s', (_, text, names, faults) => check(text, names, faults));

  it('of many thousands is taken whole', () => {
    const content = accept(listOf(...Array.from({ length: 20_000 }, (_, i) => namespace(`x${i}`))));
    expect([content.objects.size, content.faults]).toEqual([20_000, []]);
    expect([...content.objects.keys()].at(-1)).toBe('Namespace x19999');
  });
});

const nested = (levels: number): string => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;
const deep = (line: number): string => `File f.yaml: line ${line} is nested deeper than 100 levels.`;
const row = (item: string): string => Array.from({ length: 9 }, () => item).join(',');

describe('what would cost too much', () => {
  const levels = 'abcdefghi'.split('');
  const bomb = levels
    .map((name, i) => `${name}: &${name} [${row(i === 0 ? 'x' : `*${levels[i - 1]}`)}]\n`)
    .join('');
  it.each<Row>([
    ['aliases of aliases', bomb, [], [alias(1)]],
    ['aliases of aliases, after an object', `${service('a')}---\n${bomb}`, [A], [alias(10)]],
    ['an alias of what it stands in', 'a: &a [*a]\n', [], [deep(1)]],
    ['sequences in sequences', '['.repeat(10_000), [], [malformed(1, 'RESOURCE_EXHAUSTION')]],
    ['maps in maps', `${'{a: '.repeat(101)}1${'}'.repeat(101)}`, [], [deep(1)]],
    ['maps in maps, as many as may be', `${'{a: '.repeat(100)}1${'}'.repeat(100)}`, [], [KIND]],
    ['JSON in JSON', nested(100_000), [], [deep(1)]],
    ['a part of an object', `{"apiVersion":"v1","kind":"Node","metadata":${nested(100_000)}}`, [], [deep(1)]],
    [
      'a part of an object of our group',
      `{"apiVersion":"heraldbgp.io/v1alpha1","kind":"IPAddressPool","metadata":{"name":"p"},"spec":${nested(100_000)}}`,
      [],
      [deep(1)],
    ],
    [
      'lists in lists',
      `${'{"apiVersion":"v1","kind":"List","items":['.repeat(20_000)}${']}'.repeat(20_000)}`,
      [],
      [deep(1)],
    ],
    ['JSON in JSON, beside an object', `${service('a')}---\n${nested(150)}\n`, [A], [deep(10)]],
  ])('%s', (_, text, names, faults) => check(text, names, faults));

  it('a long line', () => {
    const content = accept(secret(`${'x'.repeat(1_000_000)}\n`));
    expect([content.objects.size, content.faults]).toEqual([1, []]);
  });
});
