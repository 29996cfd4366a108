// Ranges: the three ways to write one, the one text that each has, and the cover by prefixes, whose laws
// (no gap, exact, nothing that could be joined) are checked rather than its examples alone.

import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import {
  address,
  addressFromValue,
  compareRanges,
  covers,
  firstAddress,
  lastAddress,
  overlaps,
  parseRange,
  prefix,
  prefixRange,
  range,
  rangeContains,
  rangePrefixes,
  rangeSize,
  rangesOverlap,
} from '../src/index.ts';
import { addressesOf, families, prefixes, ranges, rangesOf } from './arbitraries.ts';
import { expectStableSorting, expectTotalOrder } from './laws.ts';

describe('accepted text', () => {
  const rows: [written: string, text: string, first: string, last: string, size: bigint][] = [
    ['192.0.2.0/24', '192.0.2.0/24', '192.0.2.0', '192.0.2.255', 256n],
    ['192.0.2.10-192.0.2.20', '192.0.2.10-192.0.2.20', '192.0.2.10', '192.0.2.20', 11n],
    ['192.0.2.10 - 192.0.2.20', '192.0.2.10-192.0.2.20', '192.0.2.10', '192.0.2.20', 11n],
    ['192.0.2.7', '192.0.2.7', '192.0.2.7', '192.0.2.7', 1n],
    ['192.0.2.7/32', '192.0.2.7', '192.0.2.7', '192.0.2.7', 1n],
    ['192.0.2.7-192.0.2.7', '192.0.2.7', '192.0.2.7', '192.0.2.7', 1n],
    ['192.0.2.0-192.0.2.255', '192.0.2.0/24', '192.0.2.0', '192.0.2.255', 256n],
    ['192.0.2.0-192.0.3.255', '192.0.2.0/23', '192.0.2.0', '192.0.3.255', 512n],
    ['192.0.3.0-192.0.4.255', '192.0.3.0-192.0.4.255', '192.0.3.0', '192.0.4.255', 512n],
    ['9.255.255.255-10.0.0.0', '9.255.255.255-10.0.0.0', '9.255.255.255', '10.0.0.0', 2n],
    ['0.0.0.0/0', '0.0.0.0/0', '0.0.0.0', '255.255.255.255', 1n << 32n],
    ['2001:db8::/126', '2001:db8::/126', '2001:db8::', '2001:db8::3', 4n],
    ['2001:DB8::-2001:db8::A', '2001:db8::-2001:db8::a', '2001:db8::', '2001:db8::a', 11n],
    ['2001:db8::1', '2001:db8::1', '2001:db8::1', '2001:db8::1', 1n],
    ['::/0', '::/0', '::', 'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', 1n << 128n],
  ];
  test.each(rows)('%s', (written, text, first, last, size) => {
    const one = range(written);
    expect(parseRange(written)).toEqual({ ok: true, value: one });
    expect({ text: one.text, first: one.first.text, last: one.last.text }).toEqual({ text, first, last });
    expect(one.family).toBe(one.first.family);
    expect(rangeSize(one)).toBe(size);
  });
});

describe('refused text', () => {
  const rows: [written: string, problem: string][] = [
    ['', '"" is not an IP address: it is empty'],
    ['192.0.2.256', '"192.0.2.256" is not an IP address: 256 is greater than 255'],
    [' 192.0.2.1', '" 192.0.2.1" is not an IP address: it contains a space'],
    ['192.0.2.1/24', '"192.0.2.1/24" is not a prefix: it has host bits set, the prefix is 192.0.2.0/24'],
    [
      '192.0.2.20-192.0.2.10',
      '"192.0.2.20-192.0.2.10" is not a range of addresses: it is reversed, write 192.0.2.10-192.0.2.20',
    ],
    [
      '2001:db8::b-2001:db8::a',
      '"2001:db8::b-2001:db8::a" is not a range of addresses: it is reversed, write 2001:db8::a-2001:db8::b',
    ],
    [
      '192.0.2.1-2001:db8::1',
      '"192.0.2.1-2001:db8::1" is not a range of addresses: one end is IPv4, the other IPv6',
    ],
    [
      '2001:db8::1-192.0.2.1',
      '"2001:db8::1-192.0.2.1" is not a range of addresses: one end is IPv4, the other IPv6',
    ],
    ['-192.0.2.1', '"-192.0.2.1" is not a range of addresses: "" is not an IP address: it is empty'],
    ['192.0.2.1-', '"192.0.2.1-" is not a range of addresses: "" is not an IP address: it is empty'],
    ['-', '"-" is not a range of addresses: "" is not an IP address: it is empty'],
    [
      '192.0.2.1-20',
      '"192.0.2.1-20" is not a range of addresses: "20" is not an IP address: an IPv4 address has 4 numbers, this has 1',
    ],
    [
      '192.0.2.0/24-192.0.2.9',
      '"192.0.2.0/24-192.0.2.9" is not a range of addresses: "192.0.2.0/24" is not an IP address: a prefix length does not belong here',
    ],
    [
      '192.0.2.1-192.0.2.2-192.0.2.3',
      '"192.0.2.1-192.0.2.2-192.0.2.3" is not a range of addresses: "192.0.2.2-192.0.2.3" is not an IP address: it is neither four decimal numbers nor groups of hexadecimal digits',
    ],
  ];
  test.each(rows)('%j', (written, problem) => {
    expect(parseRange(written)).toEqual({ ok: false, problem });
  });

  it('is thrown for a literal', () => {
    expect(() => range('192.0.2.2-192.0.2.1')).toThrow(RangeError);
  });
});

describe('containing', () => {
  const rows: [outer: string, inside: string, contained: boolean][] = [
    ['192.0.2.10-192.0.2.20', '192.0.2.9', false],
    ['192.0.2.10-192.0.2.20', '192.0.2.10', true],
    ['192.0.2.10-192.0.2.20', '192.0.2.15', true],
    ['192.0.2.10-192.0.2.20', '192.0.2.20', true],
    ['192.0.2.10-192.0.2.20', '192.0.2.21', false],
    ['0.0.0.0/0', '::', false],
    ['::/0', '192.0.2.1', false],
    ['2001:db8::/64', '2001:db8::ffff', true],
    ['2001:db8::/64', '2001:db8:0:1::', false],
  ];
  test.each(rows)('%s holds %s: %s', (outer, inside, contained) => {
    expect(rangeContains(range(outer), address(inside))).toBe(contained);
  });

  it('is between the ends', () => {
    const near = families.chain((family) => fc.tuple(rangesOf(family), addressesOf(family)));
    fc.assert(
      fc.property(near, ([outer, inside]) => {
        const between = outer.first.value <= inside.value && inside.value <= outer.last.value;
        expect(rangeContains(outer, inside)).toBe(between);
      }),
    );
  });
});

describe('overlap', () => {
  const rows: [a: string, b: string, overlap: boolean][] = [
    ['192.0.2.0/24', '192.0.2.255-192.0.3.5', true],
    ['192.0.2.0/24', '192.0.3.0-192.0.3.5', false],
    ['192.0.2.10-192.0.2.20', '192.0.2.12-192.0.2.13', true],
    ['192.0.2.10-192.0.2.20', '192.0.2.20', true],
    ['192.0.2.10-192.0.2.20', '192.0.2.21', false],
    ['0.0.0.0/0', '::/0', false],
    ['2001:db8::/64', '2001:db8::5-2001:db8::6', true],
  ];
  test.each(rows)('%s and %s: %s', (a, b, overlap) => {
    expect(rangesOverlap(range(a), range(b))).toBe(overlap);
    expect(rangesOverlap(range(b), range(a))).toBe(overlap);
  });

  it('of prefixes is the overlap of their ranges', () => {
    fc.assert(
      fc.property(prefixes, prefixes, (a, b) => {
        expect(rangesOverlap(prefixRange(a), prefixRange(b))).toBe(overlaps(a, b));
      }),
    );
  });
});

describe('minimal cover by prefixes', () => {
  const rows: [of: string, cover: string[]][] = [
    ['192.0.2.0/24', ['192.0.2.0/24']],
    ['192.0.2.7', ['192.0.2.7/32']],
    ['192.0.2.1-192.0.2.2', ['192.0.2.1/32', '192.0.2.2/32']],
    ['192.0.2.10-192.0.2.20', ['192.0.2.10/31', '192.0.2.12/30', '192.0.2.16/30', '192.0.2.20/32']],
    [
      '192.0.2.0-192.0.2.254',
      [
        '192.0.2.0/25',
        '192.0.2.128/26',
        '192.0.2.192/27',
        '192.0.2.224/28',
        '192.0.2.240/29',
        '192.0.2.248/30',
        '192.0.2.252/31',
        '192.0.2.254/32',
      ],
    ],
    ['255.255.255.254-255.255.255.255', ['255.255.255.254/31']],
    ['0.0.0.0/0', ['0.0.0.0/0']],
    ['0.0.0.0-128.0.0.0', ['0.0.0.0/1', '128.0.0.0/32']],
    ['::/0', ['::/0']],
    ['2001:db8::1-2001:db8::4', ['2001:db8::1/128', '2001:db8::2/127', '2001:db8::4/128']],
    [
      'ffff:ffff:ffff:ffff:ffff:ffff:ffff:fffe-ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff',
      ['ffff:ffff:ffff:ffff:ffff:ffff:ffff:fffe/127'],
    ],
  ];
  test.each(rows)('%s', (of, cover) => {
    expect(rangePrefixes(range(of)).map((each) => each.text)).toEqual(cover);
  });

  it('is without gap, in order, and exact', () => {
    fc.assert(
      fc.property(ranges, (of) => {
        let next = of.first.value;
        for (const each of rangePrefixes(of)) {
          expect(firstAddress(each).value).toBe(next);
          next = lastAddress(each).value + 1n;
        }
        expect(next).toBe(of.last.value + 1n);
      }),
    );
  });

  it('has no two prefixes that one could replace', () => {
    fc.assert(
      fc.property(ranges, (of) => {
        const cover = rangePrefixes(of);
        for (const [index, each] of cover.entries()) {
          const sibling = cover[index + 1];
          const joinable =
            sibling !== undefined && each.length > 0 && each.length === sibling.length
              ? covers(prefixAbove(each.address.value, each.family, each.length), sibling)
              : false;
          expect(joinable).toBe(false);
        }
      }),
    );
  });

  it('of the range of a prefix is that prefix', () => {
    fc.assert(
      fc.property(prefixes, (one) => {
        expect(rangePrefixes(prefixRange(one)).map((each) => each.text)).toEqual([one.text]);
      }),
    );
  });
});

function prefixAbove(value: bigint, family: 4 | 6, length: number) {
  const hostBits = BigInt((family === 4 ? 32 : 128) - length + 1);
  const base = addressFromValue(family, (value >> hostBits) << hostBits);
  return prefix(`${base.text}/${length - 1}`);
}

describe('canonical text', () => {
  it('reads back as the same range', () => {
    fc.assert(
      fc.property(ranges, (one) => {
        expect(parseRange(one.text)).toEqual({ ok: true, value: one });
      }),
    );
  });
});

describe('order', () => {
  it('is total', () => {
    expectTotalOrder(ranges, compareRanges);
  });

  it('does not depend on the input', () => {
    expectStableSorting(ranges, compareRanges);
  });

  it('is family, first, last', () => {
    const expected = ['9.0.0.0/8', '10.0.0.0-10.0.0.2', '10.0.0.0/24', '10.0.0.1', '::/0', '2001:db8::/32'];
    const sorted = expected.toReversed().map(range).sort(compareRanges);
    expect(sorted.map((each) => each.text)).toEqual(expected);
  });
});
