import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { LINE_WIDTH, textTable, wrap } from '../../src/plan/text-table.ts';

describe('a table', () => {
  test('is aligned, with its titles above', () => {
    const columns = [{ title: 'PEER' }, { title: 'ASN' }, { title: 'VERDICT' }];
    expect(
      textTable(columns, [
        ['tor-1', '64601', 'accepted'],
        ['a', '4200000000', 'accepted'],
      ]),
    ).toEqual([
      '  PEER   ASN         VERDICT',
      '  tor-1  64601       accepted',
      '  a      4200000000  accepted',
    ]);
  });

  test('wraps a cell below itself', () => {
    const columns = [{ title: 'A' }, { title: 'NAMES', most: 10 }, { title: 'LAST' }];
    expect(
      textTable(columns, [
        ['x', 'one two three', 'end'],
        ['y', 'four', ''],
      ]),
    ).toEqual(
      ['  A  NAMES    LAST', '  x  one two  end', '     three', '  y  four'].map((line) =>
        line.replace('NAMES    ', 'NAMES       ').replace('one two  ', 'one two     '),
      ),
    );
  });

  test('gives a line of its own to a first cell that is too long', () => {
    const columns = [{ title: 'SERVICE', most: 8 }, { title: 'WHY' }];
    expect(
      textTable(columns, [
        ['short', 'because'],
        ['much-too-long', 'as well'],
      ]),
    ).toEqual(['  SERVICE  WHY', '  short    because', '  much-too-long', '           as well']);
  });

  test('keeps line breaks of a cell', () => {
    expect(textTable([{ title: 'A' }, { title: 'B' }], [['x', 'first\nsecond']])).toEqual([
      '  A  B',
      '  x  first',
      '     second',
    ]);
  });
});

const word = fc.stringMatching(/^[a-z0-9.:/-]{1,20}$/);
const cell = fc.array(word, { maxLength: 25 }).map((words) => words.join(' '));
const rows = fc.array(fc.tuple(cell, cell, cell), { maxLength: 8 });
const COLUMNS = [{ title: 'ONE', most: 30 }, { title: 'TWO', most: 30 }, { title: 'THREE' }];

function wordsOf(text: string): string[] {
  return text.split(/\s+/).filter((each) => each !== '');
}

describe('whatever the cells are', () => {
  test('no word is lost, none is made up', () => {
    fc.assert(
      fc.property(rows, (table) => {
        const words = wordsOf(textTable(COLUMNS, table).join(' '));
        const expected = ['ONE', 'TWO', 'THREE', ...table.flat().flatMap(wordsOf)];
        expect(words.toSorted()).toEqual(expected.toSorted());
      }),
    );
  });

  test('no line ends with a space, and only an overlong first cell is wider than the line', () => {
    fc.assert(
      fc.property(rows, (table) => {
        const firsts = new Set(table.map(([first]) => `  ${first}`));
        for (const line of textTable(COLUMNS, table)) {
          expect(line).not.toMatch(/ $/);
          expect(line.length <= LINE_WIDTH || firsts.has(line)).toBe(true);
        }
      }),
    );
  });

  test('wrapping and joining again gives the same words in their order', () => {
    fc.assert(
      fc.property(cell, fc.integer({ min: 1, max: 60 }), (text, width) => {
        const lines = wrap(text, width);
        expect(lines.join(' ')).toBe(text);
        expect(lines.every((line) => line.length <= width || !line.includes(' '))).toBe(true);
      }),
    );
  });
});
