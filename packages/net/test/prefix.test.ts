// Prefixes: text, masks, and the relations between prefixes and addresses, with a node:net block list as a
// second opinion.

import { BlockList } from 'node:net';
import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import {
  address,
  addressFromValue,
  comparePrefixes,
  contains,
  covers,
  firstAddress,
  hostPrefix,
  lastAddress,
  overlaps,
  parsePrefix,
  prefix,
  prefixOf,
} from '../src/index.ts';
import type { Prefix } from '../src/index.ts';
import { addresses, addressesOf, families, prefixes, prefixesOf } from './arbitraries.ts';
import { expectStableSorting, expectTotalOrder } from './laws.ts';

describe('accepted text', () => {
  const rows: [written: string, text: string, family: 4 | 6, length: number, last: string][] = [
    ['0.0.0.0/0', '0.0.0.0/0', 4, 0, '255.255.255.255'],
    ['192.0.2.0/24', '192.0.2.0/24', 4, 24, '192.0.2.255'],
    ['192.0.2.128/25', '192.0.2.128/25', 4, 25, '192.0.2.255'],
    ['10.0.0.0/7', '10.0.0.0/7', 4, 7, '11.255.255.255'],
    ['192.0.2.1/32', '192.0.2.1/32', 4, 32, '192.0.2.1'],
    ['192.0.2.0/31', '192.0.2.0/31', 4, 31, '192.0.2.1'],
    ['::/0', '::/0', 6, 0, 'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
    ['2001:DB8::/32', '2001:db8::/32', 6, 32, '2001:db8:ffff:ffff:ffff:ffff:ffff:ffff'],
    ['2001:db8:0:0::/64', '2001:db8::/64', 6, 64, '2001:db8::ffff:ffff:ffff:ffff'],
    ['2001:db8::fff0/124', '2001:db8::fff0/124', 6, 124, '2001:db8::ffff'],
    ['2001:db8::1/128', '2001:db8::1/128', 6, 128, '2001:db8::1'],
  ];
  test.each(rows)('%s', (written, text, family, length, last) => {
    const one = prefix(written);
    expect(parsePrefix(written)).toEqual({ ok: true, value: one });
    expect(one).toMatchObject({ text, family, length });
    expect(firstAddress(one).text).toBe(text.slice(0, text.indexOf('/')));
    expect(one.address).toBe(firstAddress(one));
    expect(lastAddress(one).text).toBe(last);
  });
});

describe('refused text', () => {
  const rows: [written: string, problem: string][] = [
    ['', 'it has no length, such as /32'],
    ['192.0.2.1', 'it has no length, such as /32'],
    ['2001:db8::', 'it has no length, such as /32'],
    ['/24', '"" is not an IP address: it is empty'],
    ['192.0.2/24', '"192.0.2" is not an IP address: an IPv4 address has 4 numbers, this has 3'],
    [
      '::ffff:192.0.2.0/120',
      '"::ffff:192.0.2.0" is not an IP address: an IPv4-mapped IPv6 address is ambiguous, write 192.0.2.0',
    ],
    ['192.0.2.0/', 'its length must be a number from 0 to 32'],
    ['192.0.2.0/33', 'its length must be a number from 0 to 32'],
    ['192.0.2.0/024', 'its length must be a number from 0 to 32'],
    ['192.0.2.0/+24', 'its length must be a number from 0 to 32'],
    ['192.0.2.0/-1', 'its length must be a number from 0 to 32'],
    ['192.0.2.0/2.4', 'its length must be a number from 0 to 32'],
    ['192.0.2.0/1e1', 'its length must be a number from 0 to 32'],
    ['192.0.2.0/24 ', 'its length must be a number from 0 to 32'],
    ['192.0.2.0/24/24', 'its length must be a number from 0 to 32'],
    ['192.0.2.0/255.255.255.0', 'its length must be a number from 0 to 32'],
    ['2001:db8::/129', 'its length must be a number from 0 to 128'],
    ['2001:db8::/1000', 'its length must be a number from 0 to 128'],
    ['192.0.2.1/24', 'it has host bits set, the prefix is 192.0.2.0/24'],
    ['192.0.2.1/31', 'it has host bits set, the prefix is 192.0.2.0/31'],
    ['128.0.0.0/0', 'it has host bits set, the prefix is 0.0.0.0/0'],
    ['2001:db8::1/127', 'it has host bits set, the prefix is 2001:db8::/127'],
    ['2001:db8:8000::/32', 'it has host bits set, the prefix is 2001:db8::/32'],
  ];
  test.each(rows)('%j', (written, problem) => {
    expect(parsePrefix(written)).toEqual({
      ok: false,
      problem: `${JSON.stringify(written)} is not a prefix: ${problem}`,
    });
  });

  it('is thrown for a literal', () => {
    expect(() => prefix('192.0.2.1/24')).toThrow(RangeError);
  });
});

describe('made from an address', () => {
  const rows: [inside: string, length: number, text: string][] = [
    ['192.0.2.77', 24, '192.0.2.0/24'],
    ['192.0.2.77', 25, '192.0.2.0/25'],
    ['192.0.2.177', 25, '192.0.2.128/25'],
    ['192.0.2.77', 32, '192.0.2.77/32'],
    ['192.0.2.77', 0, '0.0.0.0/0'],
    ['255.255.255.255', 1, '128.0.0.0/1'],
    ['2001:db8::1234', 124, '2001:db8::1230/124'],
    ['2001:db8:ffff::', 33, '2001:db8:8000::/33'],
    ['2001:db8::1', 128, '2001:db8::1/128'],
  ];
  test.each(rows)('%s / %i', (inside, length, text) => {
    expect(prefixOf(address(inside), length)).toEqual(prefix(text));
  });

  const refusals: [inside: string, length: number][] = [
    ['192.0.2.1', 33],
    ['192.0.2.1', -1],
    ['192.0.2.1', 1.5],
    ['192.0.2.1', Number.NaN],
    ['2001:db8::', 129],
  ];
  test.each(refusals)('%s / %d is refused', (inside, length) => {
    expect(() => prefixOf(address(inside), length)).toThrow(RangeError);
  });

  it('alone has full length', () => {
    expect(hostPrefix(address('192.0.2.1'))).toEqual(prefix('192.0.2.1/32'));
    expect(hostPrefix(address('2001:db8::1'))).toEqual(prefix('2001:db8::1/128'));
  });

  it('holds that address between its ends and reads back', () => {
    fc.assert(
      fc.property(
        families.chain((family) => fc.tuple(addressesOf(family), prefixesOf(family))),
        ([inside, { length }]) => {
          const one = prefixOf(inside, length);
          expect(contains(one, inside)).toBe(true);
          expect(firstAddress(one).value <= inside.value && inside.value <= lastAddress(one).value).toBe(
            true,
          );
          expect(lastAddress(one).value - firstAddress(one).value + 1n).toBe(
            1n << BigInt((one.family === 4 ? 32 : 128) - length),
          );
        },
      ),
    );
  });
});

describe('relations', () => {
  const rows: [a: string, b: string, relation: 'same' | 'a covers b' | 'b covers a' | 'apart'][] = [
    ['192.0.2.0/24', '192.0.2.0/24', 'same'],
    ['192.0.2.0/24', '192.0.2.128/25', 'a covers b'],
    ['192.0.2.0/24', '192.0.2.0/25', 'a covers b'],
    ['192.0.2.1/32', '192.0.2.0/24', 'b covers a'],
    ['192.0.2.0/25', '192.0.2.128/25', 'apart'],
    ['192.0.2.0/24', '192.0.3.0/24', 'apart'],
    ['0.0.0.0/0', '255.255.255.255/32', 'a covers b'],
    ['0.0.0.0/0', '::/0', 'apart'],
    ['0.0.0.0/0', '::1/128', 'apart'],
    ['::/0', '0.0.0.0/0', 'apart'],
    ['::/0', 'ffff::/16', 'a covers b'],
    ['2001:db8::/33', '2001:db8:8000::/33', 'apart'],
    ['2001:db8::/124', '2001:db8::f/128', 'a covers b'],
    ['2001:db8::/124', '2001:db8::10/128', 'apart'],
  ];
  test.each(rows)('%s and %s: %s', (a, b, relation) => {
    const [left, right] = [prefix(a), prefix(b)];
    expect(covers(left, right)).toBe(relation === 'same' || relation === 'a covers b');
    expect(covers(right, left)).toBe(relation === 'same' || relation === 'b covers a');
    expect(overlaps(left, right)).toBe(relation !== 'apart');
    expect(overlaps(right, left)).toBe(relation !== 'apart');
  });

  it('contain what a block list of node:net contains', () => {
    fc.assert(
      fc.property(prefixes, addresses, (one, inside) => {
        const family = one.family === 4 ? 'ipv4' : 'ipv6';
        fc.pre(one.family === inside.family);
        const list = new BlockList();
        list.addSubnet(one.address.text, one.length, family);
        expect(contains(one, inside)).toBe(list.check(inside.text, family));
      }),
    );
  });

  it('cover exactly when both ends are inside', () => {
    const near = families.chain((family) => fc.tuple(prefixesOf(family), prefixesOf(family)));
    fc.assert(
      fc.property(near, ([outer, inner]) => {
        const both = contains(outer, firstAddress(inner)) && contains(outer, lastAddress(inner));
        expect(covers(outer, inner)).toBe(both);
      }),
    );
  });

  it('of one family never hold the other', () => {
    expect(contains(prefix('0.0.0.0/0'), address('::'))).toBe(false);
    expect(contains(prefix('::/0'), address('0.0.0.0'))).toBe(false);
  });

  it('see every bit of a boundary', () => {
    for (let length = 1; length <= 32; length++) {
      const one = prefixOf(address('255.255.255.255'), length);
      const before = addressFromValue(4, firstAddress(one).value - 1n);
      expect([contains(one, firstAddress(one)), contains(one, before)]).toEqual([true, false]);
    }
  });
});

describe('order', () => {
  it('is total', () => {
    expectTotalOrder(prefixes, comparePrefixes);
  });

  it('does not depend on the input', () => {
    expectStableSorting(prefixes, comparePrefixes);
  });

  it('is family, address, length', () => {
    const expected = [
      '0.0.0.0/0',
      '9.0.0.0/8',
      '10.0.0.0/8',
      '10.0.0.0/24',
      '10.0.0.0/32',
      '10.0.0.1/32',
      '::/0',
      '2001:db8::/32',
      '2001:db8::/128',
    ];
    const shuffled: Prefix[] = expected.toReversed().map(prefix);
    expect(shuffled.sort(comparePrefixes).map((each) => each.text)).toEqual(expected);
  });
});
