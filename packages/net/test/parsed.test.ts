// The outcome of a parse, and how offending text is shown in a sentence.

import { describe, expect, it } from 'vitest';
import { accepted, literal, refused } from '../src/index.ts';
import { quoted } from '../src/parsed.ts';

describe('a parse', () => {
  it('is a value or a problem', () => {
    expect(accepted(7)).toEqual({ ok: true, value: 7 });
    expect(refused('it is not')).toEqual({ ok: false, problem: 'it is not' });
  });

  it('of a literal is the value, or thrown', () => {
    expect(literal(accepted(7))).toBe(7);
    expect(() => literal(refused('it is not'))).toThrow(new RangeError('it is not'));
  });
});

describe('offending text', () => {
  const rows: [text: string, shown: string][] = [
    ['', '""'],
    ['plain', '"plain"'],
    ['a "b"', String.raw`"a \"b\""`],
    ['line\nline', String.raw`"line\nline"`],
    ['\u0000\u001b[31m', String.raw`"\u0000\u001b[31m"`],
    ['x'.repeat(64), `"${'x'.repeat(64)}"`],
    ['x'.repeat(65), `"${'x'.repeat(64)}…"`],
  ];
  it.each(rows)('%j', (text, shown) => {
    expect(quoted(text)).toBe(shown);
  });
});
