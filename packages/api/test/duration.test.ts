import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatDuration, parseDuration } from '../src/index.ts';

describe('a duration', () => {
  it.each([
    ['0s', 0],
    ['30s', 30_000],
    ['1m30s', 90_000],
    ['90s', 90_000],
    ['1h0m0s', 3_600_000],
    ['500ms', 500],
    ['1s500ms', 1500],
    ['2h', 7_200_000],
    ['5m', 300_000],
  ])('%j is %d milliseconds', (text, milliseconds) => {
    expect(parseDuration(text)).toEqual({ ok: true, value: milliseconds });
  });

  it.each([
    [''],
    ['30'],
    ['s'],
    ['-1s'],
    ['+1s'],
    ['1.5s'],
    ['1s1m'],
    ['1 s'],
    ['1d'],
    ['10us'],
    ['1e3s'],
    ['1234567h'],
  ])('%j is none', (text) => {
    expect(parseDuration(text)).toEqual({
      ok: false,
      problem: `${JSON.stringify(text)} is not a duration: write "30s", "1m30s" or "500ms"`,
    });
  });

  it('is read as it was written', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 300_000_000_000 }), (milliseconds) => {
        expect(parseDuration(formatDuration(milliseconds))).toEqual({ ok: true, value: milliseconds });
      }),
    );
  });

  it.each([
    [0, '0s'],
    [90_000, '1m30s'],
    [65_535_000, '18h12m15s'],
    [1001, '1s1ms'],
  ])('%d is written %j', (milliseconds, text) => {
    expect(formatDuration(milliseconds)).toBe(text);
  });
});
