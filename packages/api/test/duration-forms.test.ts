// Lengths of time in every form that people try, and the way back to text.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatDuration, parseDuration } from '../src/index.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

describe('a duration of', () => {
  it.each<[string, number, string]>([
    ['0s', 0, '0s'],
    ['0ms', 0, '0s'],
    ['0h', 0, '0s'],
    ['0h0m0s0ms', 0, '0s'],
    ['1ms', 1, '1ms'],
    ['999ms', 999, '999ms'],
    ['1000ms', SECOND, '1s'],
    ['1500ms', 1500, '1s500ms'],
    ['60000ms', MINUTE, '1m'],
    ['1s', SECOND, '1s'],
    ['59s', 59 * SECOND, '59s'],
    ['60s', MINUTE, '1m'],
    ['61s', 61 * SECOND, '1m1s'],
    ['007s', 7 * SECOND, '7s'],
    ['3600s', HOUR, '1h'],
    ['65535s', 65_535 * SECOND, '18h12m15s'],
    ['1m', MINUTE, '1m'],
    ['90m', 90 * MINUTE, '1h30m'],
    ['1m0s', MINUTE, '1m'],
    ['1m500ms', MINUTE + 500, '1m500ms'],
    ['1h', HOUR, '1h'],
    ['24h', 24 * HOUR, '24h'],
    ['1h1ms', HOUR + 1, '1h1ms'],
    ['1h1s', HOUR + SECOND, '1h1s'],
    ['1h1m', HOUR + MINUTE, '1h1m'],
    ['1h2m3s4ms', HOUR + 2 * MINUTE + 3 * SECOND + 4, '1h2m3s4ms'],
    ['99999h', 99_999 * HOUR, '99999h'],
    ['9999999m', 9_999_999 * MINUTE, '166666h39m'],
    ['99999999s', 99_999_999 * SECOND, '27777h46m39s'],
    ['99999999ms', 99_999_999, '27h46m39s999ms'],
  ])('%s is %d milliseconds, and written %s', (text, milliseconds, shortest) => {
    expect(parseDuration(text)).toEqual({ ok: true, value: milliseconds });
    expect(formatDuration(milliseconds)).toBe(shortest);
  });

  it.each<[string, readonly string[]]>([
    ['no unit', ['30', '0', '1m30', '1h30']],
    ['no number', ['s', 'ms', 'h', 'm', 'hms']],
    ['a unit that there is not', ['1d', '1w', '1y', '1us', '1µs', '1ns', '1sec', '1min', '30seconds']],
    ['another case', ['30S', '1H', '1M', '500MS', '500Ms']],
    ['a sign', ['-1s', '+1s', '1m-30s', '--1s']],
    ['a fraction', ['1.5s', '.5s', '1.s', '0.001s', '1,5s']],
    ['an exponent or a base', ['1e3s', '0x10s', '1_000s']],
    ['spaces', [' 1s', '1s ', '1 s', '1m 30s', '\t1s', '1s\n', '\n']],
    ['the wrong order', ['1s1m', '1m1h', '1ms1s', '1s1h']],
    ['a unit twice', ['1s1s', '1h1h', '1m1m', '1ms1ms']],
    ['too many digits', ['100000h', '10000000m', '100000000s', '100000000ms']],
    ['another notation', ['PT30S', '00:00:30', '1:30', '30s;', 'forever', 'NaNs', 'Infinitys']],
    ['digits of another script', ['٣s', '３s']],
    ['nothing', ['']],
  ])('%s is none', (_, texts) => {
    for (const text of texts) {
      expect(parseDuration(text)).toEqual({
        ok: false,
        problem: `${JSON.stringify(text)} is not a duration: write "30s", "1m30s" or "500ms"`,
      });
    }
  });

  it('any text is read or refused with a sentence', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('1', '0', 'h', 'm', 's', ' ', '-', '.') }), (text) => {
        const parsed = parseDuration(text);
        expect(parsed.ok ? Number.isSafeInteger(parsed.value) : parsed.problem.includes(text)).toBe(true);
      }),
    );
  });

  it('written parts add up', () => {
    const count = fc.integer({ min: 0, max: 9999 });
    fc.assert(
      fc.property(count, count, count, count, (hours, minutes, seconds, milliseconds) => {
        expect(parseDuration(`${hours}h${minutes}m${seconds}s${milliseconds}ms`)).toEqual({
          ok: true,
          value: hours * HOUR + minutes * MINUTE + seconds * SECOND + milliseconds,
        });
      }),
    );
  });

  it('text in the shortest form stays as it is', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 99_999 * HOUR }), (milliseconds) => {
        const text = formatDuration(milliseconds);
        const parsed = parseDuration(text);
        expect(parsed.ok && formatDuration(parsed.value)).toBe(text);
        expect(text).not.toMatch(/(?:^|[a-z])0(?:h|m|ms)/);
      }),
    );
  });
});
