// The hash: results that must never change, and that they are spread well enough to choose by.

import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { hash32 } from '../src/index.ts';

// Computed with an independent implementation of MurmurHash3_x86_32, seed 0, over UTF-8.
describe('fixed vectors', () => {
  const rows: [text: string, hash: number][] = [
    ['', 0x00000000],
    ['a', 0x3c2569b2],
    ['ab', 0x9bbfd75f],
    ['abc', 0xb3dd93fa],
    ['abcd', 0x43ed676a],
    ['hello', 0x248bfa47],
    ['hello, world', 0x149bbb7f],
    ['test', 0xba6bd213],
    ['The quick brown fox jumps over the lazy dog', 0x2e4ff723],
    ['192.0.2.1', 0x4c79c5e5],
    ['2001:db8::1', 0xc5e7438e],
    ['default/web|worker-1', 0x8ed4f94d],
    ['\u0000', 0x514e28b7],
    ['\u0000\u0000\u0000\u0000', 0x2362f9de],
    ['\u007f', 0x5589d599],
    ['\u0080', 0x4b961288],
    ['ä', 0x7e32d1d4],
    ['€', 0x5b43fca5],
    ['𝄞', 0x4ae6bc21],
    ['müller', 0x60322f3f],
  ];
  test.each(rows)('%j', (text, hash) => {
    expect(hash32(text)).toBe(hash);
  });
});

describe('every hash', () => {
  it('is an unsigned 32-bit number and the same again', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const hash = hash32(text);
        expect(hash >>> 0).toBe(hash);
        expect(hash32(text)).toBe(hash);
      }),
    );
  });

  it('depends on every character, wherever it is', () => {
    const text = 'worker-17.example.net';
    const changed = Array.from(text, (_, i) => `${text.slice(0, i)}#${text.slice(i + 1)}`);
    expect(new Set([text, ...changed].map(hash32)).size).toBe(text.length + 1);
  });

  it('depends on the length of what follows', () => {
    const zeros = Array.from({ length: 40 }, (_, length) => '\u0000'.repeat(length));
    expect(new Set(zeros.map(hash32)).size).toBe(40);
  });
});

describe('distribution', () => {
  // 64,000 consecutive addresses in 64 buckets: 1,000 each; 6 standard deviations are 188.
  it('is even for text that differs in little', () => {
    const buckets = new Uint32Array(64);
    for (let i = 0; i < 64_000; i++) {
      const index = hash32(`10.0.${i >> 8}.${i & 0xff}`) & 63;
      buckets[index] = (buckets[index] ?? 0) + 1;
    }
    expect(Math.min(...buckets)).toBeGreaterThan(812);
    expect(Math.max(...buckets)).toBeLessThan(1188);
  });

  it('flips about half of the bits for one changed character', () => {
    let flipped = 0;
    for (let i = 0; i < 1000; i++) {
      const difference = hash32(`node-${i}a`) ^ hash32(`node-${i}b`);
      flipped += (difference >>> 0).toString(2).replaceAll('0', '').length;
    }
    expect(flipped / 1000).toBeGreaterThan(15);
    expect(flipped / 1000).toBeLessThan(17);
  });
});
