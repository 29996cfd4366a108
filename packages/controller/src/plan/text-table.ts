// Rows -> aligned lines that fit a terminal. Cells wrap between words; the last column takes the room that
// is left. A first cell that is wider than its column stands on a line of its own, so that one long name
// does not move everything. No line ends with a space.

export interface Column {
  readonly title: string;
  /** Widest that the column gets before its cells wrap; the last column has none. */
  readonly most?: number;
}

export const LINE_WIDTH = 110;

const GAP = '  ';
const INDENT = '  ';

/** However narrow the rest of the line is, words are not stacked into a column of their own. */
const LEAST_LAST = 30;

export type Row = readonly string[];

export function textTable(columns: readonly Column[], rows: readonly Row[]): string[] {
  const widths = columnWidths(columns, rows);
  const titles = columns.map(({ title }) => title);
  return [titles, ...rows].flatMap((row) => rowLines(row, widths));
}

function columnWidths(columns: readonly Column[], rows: readonly Row[]): number[] {
  const widths = columns.slice(0, -1).map((column, i) =>
    columnWidth(
      column,
      rows.map((row) => row[i] ?? ''),
      i === 0 ? 'may-stand-out' : 'holds',
    ),
  );
  const used = widths.reduce((sum, width) => sum + width + GAP.length, INDENT.length);
  return [...widths, Math.max(LINE_WIDTH - used, LEAST_LAST)];
}

function columnWidth(
  { title, most = LINE_WIDTH }: Column,
  cells: Row,
  overlong: 'may-stand-out' | 'holds',
): number {
  const fitting = cells.filter((cell) => overlong === 'holds' || cell.length <= most);
  const longestWord = Math.max(0, ...fitting.flatMap((cell) => cell.split(/\s/)).map(({ length }) => length));
  const longest = Math.max(
    title.length,
    ...fitting.flatMap((cell) => cell.split('\n')).map(({ length }) => length),
  );
  return Math.max(longestWord, Math.min(most, longest));
}

function rowLines(row: Row, widths: readonly number[]): string[] {
  const [first = '', ...rest] = row;
  if (first.length > (widths[0] ?? 0) && row.length > 1) {
    return [INDENT + first, ...rowLines(['', ...rest], widths)];
  }
  const cells = row.map((cell, i) => wrap(cell, widths[i] ?? LINE_WIDTH));
  const height = Math.max(...cells.map((lines) => lines.length));
  return Array.from({ length: height }, (_, line) => {
    const parts = cells.map((lines, i) => (lines[line] ?? '').padEnd(widths[i] ?? 0));
    return (INDENT + parts.join(GAP)).trimEnd();
  });
}

/** Lines of at most `width`, where words allow; a line break in the text stays one. */
export function wrap(text: string, width: number): string[] {
  return text.split('\n').flatMap((paragraph) => wrapParagraph(paragraph, width));
}

function wrapParagraph(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else {
      line = line === '' ? word : `${line} ${word}`;
    }
  }
  return [...lines, line];
}
