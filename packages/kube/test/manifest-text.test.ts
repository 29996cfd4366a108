import { describe, expect, it } from 'vitest';
import { endsMidLine, holdsNothing, isBlank, lineAt, splitDocuments } from '../src/folder/manifest-text.ts';

describe('a text is cut into documents', () => {
  it.each<[string, string, [number, string][]]>([
    ['one without a marker', 'a: 1\n', [[1, 'a: 1\n']]],
    ['one with a marker', '---\na: 1\n', [[1, '---\na: 1\n']]],
    [
      'two',
      'a: 1\n---\nb: 2\n',
      [
        [1, 'a: 1\n'],
        [2, '---\nb: 2\n'],
      ],
    ],
    [
      'content on the marker line',
      'a: 1\n--- {b: 2}\n',
      [
        [1, 'a: 1\n'],
        [2, '--- {b: 2}\n'],
      ],
    ],
    ['empty ones between', '---\n---\na: 1\n---\n# nothing\n', [[2, '---\na: 1\n']]],
    ['a comment in front', '# hello\n---\na: 1\n', [[2, '---\na: 1\n']]],
    [
      'carriage returns',
      'a: 1\r\n---\r\nb: 2\r\n',
      [
        [1, 'a: 1\r\n'],
        [2, '---\r\nb: 2\r\n'],
      ],
    ],
    ['no marker in the middle of a line', 'a: x --- y\n', [[1, 'a: x --- y\n']]],
    ['no marker that is indented', 'a: |\n  ---\n  b\n', [[1, 'a: |\n  ---\n  b\n']]],
    ['four dashes are text', '----\n', [[1, '----\n']]],
    ['directives stay with what follows', '%YAML 1.2\n---\na: 1\n', [[1, '%YAML 1.2\n---\na: 1\n']]],
    [
      'the end marker',
      'a: 1\n...\n---\nb: 2\n',
      [
        [1, 'a: 1\n...\n'],
        [3, '---\nb: 2\n'],
      ],
    ],
    ['nothing at all', '', []],
  ])('%s', (_, text, expected) => {
    expect(splitDocuments(text).map((document) => [document.line, document.text])).toEqual(expected);
  });
});

describe('how empty a text is', () => {
  it.each<[string, boolean, boolean]>([
    ['', true, true],
    ['\n \n', true, true],
    ['# empty on purpose\n', false, true],
    ['---\n', false, true],
    ['--- # nothing\n...\n', false, true],
    ['a: 1\n', false, false],
  ])('%j', (text, blank, nothing) => {
    expect([isBlank(text), holdsNothing(text)]).toEqual([blank, nothing]);
  });
});

describe('a text that ends in the middle of a line', () => {
  it.each<[string, boolean]>([
    ['a: 1\n', false],
    ['a: 1', true],
    ['{"a": 1}', false],
    [' [1]', false],
  ])('%j', (text, expected) => {
    expect(endsMidLine(text)).toBe(expected);
  });
});

it('lines are counted from 1', () => {
  expect([lineAt('a\nb\nc', 0), lineAt('a\nb\nc', 2), lineAt('a\nb\nc', 4)]).toEqual([1, 2, 3]);
});
