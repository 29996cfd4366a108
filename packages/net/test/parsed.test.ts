// The outcome of a parse, and how offending text is shown in a sentence.

import { describe, expect, it } from 'vitest';
import {
  accepted,
  literal,
  parseAddress,
  parseAsn,
  parseCommunity,
  parsePrefix,
  parseRange,
  refused,
} from '../src/index.ts';
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

describe('a problem stays a sentence, however long the text is', () => {
  const LONG = 100_000;
  const texts: [name: string, text: string][] = [
    ['digits', '7'.repeat(LONG)],
    ['an octet', `192.0.2.${'9'.repeat(LONG)}`],
    ['a padded octet', `192.0.2.0${'1'.repeat(LONG)}`],
    ['many numbers', '1.'.repeat(LONG)],
    ['a group of digits', `2001:db8::${'f'.repeat(LONG)}`],
    ['a group of letters', `2001:db8::${'z'.repeat(LONG)}`],
    ['many groups', '1:'.repeat(LONG)],
    ['a quad in front of groups', `${'1.'.repeat(LONG)}::`],
  ];
  const parsers = { parseAddress, parsePrefix, parseRange, parseAsn, parseCommunity };
  const forms: [name: string, form: (text: string) => string][] = [
    ['alone', (text) => text],
    ['as a prefix', (text) => `${text}/24`],
    ['as the length of one', (text) => `192.0.2.0/${text}`],
    ['as an end of a range', (text) => `192.0.2.1-${text}`],
  ];

  it.each(texts)('%s', (_, text) => {
    for (const [name, parse] of Object.entries(parsers)) {
      for (const [form, written] of forms) {
        const parsed = parse(written(text));
        expect(parsed.ok, `${name} ${form}`).toBe(false);
        expect(parsed.ok ? 0 : parsed.problem.length, `${name} ${form}`).toBeLessThan(400);
      }
    }
  });
});
