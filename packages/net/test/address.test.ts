// Addresses: what text is read, what is refused with which sentence, and the one text that each address has.
// node:net and URL serve as second opinions; rows say what RFC 4291 and RFC 5952 say.

import { isIPv4, isIPv6 } from 'node:net';
import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import {
  address,
  addressBits,
  addressBytes,
  addressFromBytes,
  addressFromValue,
  compareAddresses,
  isLinkLocal,
  isLoopback,
  isMulticast,
  isUnspecified,
  parseAddress,
} from '../src/index.ts';
import { addresses, families } from './arbitraries.ts';
import { expectStableSorting, expectTotalOrder } from './laws.ts';

describe('accepted text and its canonical form', () => {
  const rows: [written: string, family: 4 | 6, text: string, value: bigint][] = [
    ['0.0.0.0', 4, '0.0.0.0', 0n],
    ['255.255.255.255', 4, '255.255.255.255', 0xffffffffn],
    ['192.0.2.1', 4, '192.0.2.1', 0xc0000201n],
    ['10.0.0.10', 4, '10.0.0.10', 0x0a00000an],
    ['1.2.3.4', 4, '1.2.3.4', 0x01020304n],
    ['::', 6, '::', 0n],
    ['::1', 6, '::1', 1n],
    ['1::', 6, '1::', 1n << 112n],
    ['0:0:0:0:0:0:0:0', 6, '::', 0n],
    ['2001:db8::1', 6, '2001:db8::1', 0x20010db8000000000000000000000001n],
    ['2001:DB8::A', 6, '2001:db8::a', 0x20010db800000000000000000000000an],
    ['2001:0db8:0000:0000:0000:0000:0000:0001', 6, '2001:db8::1', 0x20010db8000000000000000000000001n],
    ['2001:db8:0:1:1:1:1:1', 6, '2001:db8:0:1:1:1:1:1', 0x20010db8000000010001000100010001n],
    ['2001:db8::1:1:1:1:1', 6, '2001:db8:0:1:1:1:1:1', 0x20010db8000000010001000100010001n],
    ['2001:db8:0:0:1:0:0:1', 6, '2001:db8::1:0:0:1', 0x20010db8000000000001000000000001n],
    ['2001:0:0:1:0:0:0:1', 6, '2001:0:0:1::1', 0x20010000000000010000000000000001n],
    ['0:0:1:0:0:0:0:0', 6, '0:0:1::', 1n << 80n],
    ['::2:3:4:5:6:7:8', 6, '0:2:3:4:5:6:7:8', 0x00000002000300040005000600070008n],
    ['1:2:3:4:5:6:7::', 6, '1:2:3:4:5:6:7:0', 0x00010002000300040005000600070000n],
    [
      'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff',
      6,
      'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff',
      (1n << 128n) - 1n,
    ],
    ['64:ff9b::192.0.2.33', 6, '64:ff9b::c000:221', 0x0064ff9b0000000000000000c0000221n],
    ['1:2:3:4:5:6:1.2.3.4', 6, '1:2:3:4:5:6:102:304', 0x00010002000300040005000601020304n],
    ['::ffff:0:c000:201', 6, '::ffff:0:c000:201', 0xffff0000c0000201n],
    ['::fffe:c000:201', 6, '::fffe:c000:201', 0xfffec0000201n],
    ['fe80::1', 6, 'fe80::1', 0xfe800000000000000000000000000001n],
  ];
  test.each(rows)('%s', (written, family, text, value) => {
    const parsed = parseAddress(written);
    expect(parsed).toMatchObject({ ok: true, value: { family, text } });
    expect(address(written).value).toBe(value);
  });
});

describe('refused text and the sentence that says why', () => {
  const rows: [written: string, problem: string][] = [
    ['', 'it is empty'],
    [' 192.0.2.1', 'it contains a space'],
    ['192.0.2.1 ', 'it contains a space'],
    ['192.0.2.1\n', 'it contains a space'],
    ['192.0. 2.1', 'it contains a space'],
    ['2001:db8:: 1', 'it contains a space'],
    ['[2001:db8::1]', 'leave out the brackets, and the port if there is one'],
    ['[2001:db8::1]:179', 'leave out the brackets, and the port if there is one'],
    ['2001:db8::1]', 'leave out the brackets, and the port if there is one'],
    ['fe80::1%eth0', 'a zone id has no meaning outside one machine'],
    ['fe80::1%25eth0', 'a zone id has no meaning outside one machine'],
    ['192.0.2.0/24', 'a prefix length does not belong here'],
    ['2001:db8::/32', 'a prefix length does not belong here'],
    ['192.0.2.1:179', 'leave out the port'],
    ['192.0.2:179', 'leave out the port'],
    ['192.0.2.01', '01 has a leading zero'],
    ['192.000.2.1', '000 has a leading zero'],
    ['010.0.0.1', '010 has a leading zero'],
    ['192.0.2.256', '256 is greater than 255'],
    ['1000.0.2.1', '1000 is greater than 255'],
    ['192.0.2', 'an IPv4 address has 4 numbers, this has 3'],
    ['192.0.2.1.5', 'an IPv4 address has 4 numbers, this has 5'],
    ['3221225985', 'an IPv4 address has 4 numbers, this has 1'],
    ['192.0..1', 'it is neither four decimal numbers nor groups of hexadecimal digits'],
    ['192.0.2.', 'it is neither four decimal numbers nor groups of hexadecimal digits'],
    ['.192.0.2', 'it is neither four decimal numbers nor groups of hexadecimal digits'],
    ['192.0.2.-1', 'it is neither four decimal numbers nor groups of hexadecimal digits'],
    ['192.0.2.+1', 'it is neither four decimal numbers nor groups of hexadecimal digits'],
    ['0xc0.0.2.1', 'it is neither four decimal numbers nor groups of hexadecimal digits'],
    ['192.0.2.١', 'it is neither four decimal numbers nor groups of hexadecimal digits'],
    ['router.example.net', 'it is neither four decimal numbers nor groups of hexadecimal digits'],
    ['localhost', 'it is neither four decimal numbers nor groups of hexadecimal digits'],
    ['::ffff:192.0.2.1', 'an IPv4-mapped IPv6 address is ambiguous, write 192.0.2.1'],
    ['::FFFF:c000:201', 'an IPv4-mapped IPv6 address is ambiguous, write 192.0.2.1'],
    ['0:0:0:0:0:ffff:0:1', 'an IPv4-mapped IPv6 address is ambiguous, write 0.0.0.1'],
    ['::1::', '"::" may appear only once'],
    ['1::2::3', '"::" may appear only once'],
    [':::', 'a group is empty'],
    [':1', 'a group is empty'],
    ['1:2:3:4:5:6:7:', 'a group is empty'],
    [':1:2:3:4:5:6:7', 'a group is empty'],
    ['2001:db8:::1', 'a group is empty'],
    ['2001:db8::g', '"g" is not a group of hexadecimal digits'],
    ['2001:db8::-1', '"-1" is not a group of hexadecimal digits'],
    ['2001:db8::192.0.2.256', '"192.0.2.256" is not a group of hexadecimal digits'],
    ['192.0.2.1::', '"192.0.2.1" is not a group of hexadecimal digits'],
    ['1:192.0.2.1:2::', '"192.0.2.1" is not a group of hexadecimal digits'],
    ['2001:db8::00001', 'group 00001 has more than 4 digits'],
    ['1:2:3:4:5:6:7', 'an IPv6 address has 8 groups, this has 7'],
    ['1:2:3:4:5:6:7:8:9', 'an IPv6 address has 8 groups, this has 9'],
    ['1:2:3:4:5:6:7:1.2.3.4', 'an IPv6 address has 8 groups, this has 9'],
    ['1:2:3:4::5:6:7:8', '"::" must stand for at least one group'],
    ['1:2:3:4:5:6:7:8::', '"::" must stand for at least one group'],
  ];
  test.each(rows)('%j', (written, problem) => {
    expect(parseAddress(written)).toEqual({
      ok: false,
      problem: `${JSON.stringify(written)} is not an IP address: ${problem}`,
    });
  });

  it('cuts a long text short', () => {
    const parsed = parseAddress('1'.repeat(100_000));
    expect(parsed.ok ? '' : parsed.problem).toBe(
      `"${'1'.repeat(64)}…" is not an IP address: an IPv4 address has 4 numbers, this has 1`,
    );
  });

  it('is thrown for a literal', () => {
    expect(() => address('192.0.2.01')).toThrow(RangeError);
    expect(() => address('192.0.2.01')).toThrow('01 has a leading zero');
  });
});

const separated = (separator: string): fc.Arbitrary<string> =>
  fc
    .array(fc.constantFrom('0', '1', '10', '255', '256', '01', 'ab', ''), { minLength: 2, maxLength: 9 })
    .map((fields) => fields.join(separator));

describe('against other implementations', () => {
  const piece = fc.constantFrom(
    '0',
    '1',
    '00',
    '9',
    '25',
    '255',
    '256',
    'f',
    'ffff',
    '.',
    ':',
    '::',
    '-',
    'g',
  );
  const nearlyAddresses = fc.array(piece, { maxLength: 18 }).map((pieces) => pieces.join(''));
  it('accepts what node:net accepts, except mapped addresses', () => {
    fc.assert(
      fc.property(fc.oneof(nearlyAddresses, separated('.'), separated(':')), (text) => {
        const parsed = parseAddress(text);
        const mapped = !parsed.ok && parsed.problem.includes('IPv4-mapped');
        expect(parsed.ok || mapped).toBe(isIPv4(text) || isIPv6(text));
      }),
      { numRuns: 2000 },
    );
  });

  it('prints IPv6 as a URL does', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom(0, 0, 0, 1, 0xab, 0xffff), { minLength: 8, maxLength: 8 }),
        (groups) => {
          const text = groups.map((group) => group.toString(16).padStart(4, '0')).join(':');
          const parsed = parseAddress(text);
          fc.pre(parsed.ok);
          expect(`[${address(text).text}]`).toBe(new URL(`http://[${text}]/`).hostname);
        },
      ),
    );
  });
});

describe('bytes', () => {
  const rows: [text: string, bytes: number[]][] = [
    ['192.0.2.1', [192, 0, 2, 1]],
    ['0.0.0.0', [0, 0, 0, 0]],
    ['255.255.255.255', [255, 255, 255, 255]],
    ['::', Array.from({ length: 16 }, () => 0)],
    ['2001:db8::ff01', [0x20, 1, 0x0d, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 1]],
    ['1:2:3:4:5:6:7:8', [0, 1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6, 0, 7, 0, 8]],
  ];
  test.each(rows)('%s both ways', (text, bytes) => {
    expect([...addressBytes(address(text))]).toEqual(bytes);
    expect(addressFromBytes(Uint8Array.from(bytes)).text).toBe(text);
  });

  it('are the same array for the same object', () => {
    const one = address('2001:db8::1');
    expect(addressBytes(one)).toBe(addressBytes(one));
    expect(one.bytes).toBe(addressBytes(one));
  });

  it('are copied on the way in', () => {
    const source = Uint8Array.of(192, 0, 2, 1);
    const one = addressFromBytes(source);
    source[3] = 99;
    expect(one.text).toBe('192.0.2.1');
    expect([...addressBytes(one)]).toEqual([192, 0, 2, 1]);
  });

  it('may be a part of a larger buffer', () => {
    const datagram = Buffer.from([9, 9, 192, 0, 2, 1, 9]);
    expect(addressFromBytes(datagram.subarray(2, 6)).text).toBe('192.0.2.1');
  });

  test.each([0, 1, 3, 5, 8, 15, 17])('%i of them are no address', (length) => {
    expect(() => addressFromBytes(new Uint8Array(length))).toThrow(
      new RangeError(`an address has 4 or 16 bytes, not ${length}`),
    );
  });

  it('of a mapped address print in the mixed form and come back', () => {
    const bytes = Uint8Array.of(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 192, 0, 2, 1);
    const mapped = addressFromBytes(bytes);
    expect(mapped).toMatchObject({ family: 6, text: '::ffff:192.0.2.1', value: 0xffffc0000201n });
    expect(addressBytes(mapped)).toEqual(bytes);
  });

  it('and values round trip for every address', () => {
    fc.assert(
      fc.property(addresses, (one) => {
        expect(addressFromBytes(addressBytes(one)).text).toBe(one.text);
        expect(addressFromValue(one.family, one.value).text).toBe(one.text);
        const number = BigInt(`0x${Buffer.from(addressBytes(one)).toString('hex')}`);
        expect(one.value).toBe(number);
      }),
    );
  });
});

describe('from a value', () => {
  const rows: [family: 4 | 6, value: bigint, text: string][] = [
    [4, 0n, '0.0.0.0'],
    [4, 0xffffffffn, '255.255.255.255'],
    [4, 0x0a000001n, '10.0.0.1'],
    [6, 0n, '::'],
    [6, 0x0a000001n, '::a00:1'],
    [6, (1n << 128n) - 1n, 'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ];
  test.each(rows)('IPv%i %i', (family, value, text) => {
    expect(addressFromValue(family, value)).toMatchObject({ family, text, value });
  });

  const refusals: [family: 4 | 6, value: bigint, problem: string][] = [
    [4, -1n, '-1 is not an IPv4 address'],
    [4, 1n << 32n, '4294967296 is not an IPv4 address'],
    [6, -1n, '-1 is not an IPv6 address'],
    [6, 1n << 128n, '340282366920938463463374607431768211456 is not an IPv6 address'],
  ];
  test.each(refusals)('IPv%i %i is refused', (family, value, problem) => {
    expect(() => addressFromValue(family, value)).toThrow(new RangeError(problem));
  });
});

describe('order', () => {
  it('is total', () => {
    expectTotalOrder(addresses, compareAddresses);
  });

  it('does not depend on the input', () => {
    expectStableSorting(addresses, compareAddresses);
  });

  it('is by number within a family', () => {
    fc.assert(
      fc.property(addresses, addresses, (a, b) => {
        fc.pre(a.family === b.family);
        expect(compareAddresses(a, b) < 0).toBe(a.value < b.value);
      }),
    );
  });

  it('puts IPv4 first and does not compare text', () => {
    const sorted = ['2001:db8::1', '::', '10.0.0.1', '9.0.0.0', '9.255.0.0', '::ff'].map(address);
    expect(sorted.sort(compareAddresses).map((each) => each.text)).toEqual([
      '9.0.0.0',
      '9.255.0.0',
      '10.0.0.1',
      '::',
      '::ff',
      '2001:db8::1',
    ]);
  });
});

describe('kinds of address', () => {
  const kinds = { isUnspecified, isLoopback, isLinkLocal, isMulticast };
  const rows: [text: string, kind: keyof typeof kinds | 'none'][] = [
    ['0.0.0.0', 'isUnspecified'],
    ['::', 'isUnspecified'],
    ['0.0.0.1', 'none'],
    ['127.0.0.1', 'isLoopback'],
    ['127.255.255.255', 'isLoopback'],
    ['126.255.255.255', 'none'],
    ['128.0.0.0', 'none'],
    ['12.7.0.1', 'none'],
    ['::1', 'isLoopback'],
    ['::2', 'none'],
    ['::7f00:1', 'none'],
    ['169.254.0.0', 'isLinkLocal'],
    ['169.254.255.255', 'isLinkLocal'],
    ['169.253.255.255', 'none'],
    ['169.255.0.0', 'none'],
    ['fe80::', 'isLinkLocal'],
    ['fe90::1', 'isLinkLocal'],
    ['febf:ffff::1', 'isLinkLocal'],
    ['fe7f::1', 'none'],
    ['fec0::1', 'none'],
    ['fe8::1', 'none'],
    ['224.0.0.0', 'isMulticast'],
    ['239.255.255.255', 'isMulticast'],
    ['223.255.255.255', 'none'],
    ['240.0.0.0', 'none'],
    ['ff00::', 'isMulticast'],
    ['ff02::1', 'isMulticast'],
    ['feff::', 'none'],
    ['ff::1', 'none'],
    ['192.0.2.1', 'none'],
    ['2001:db8::1', 'none'],
  ];
  test.each(rows)('%s: %s', (text, kind) => {
    const holding = Object.entries(kinds).filter(([, holds]) => holds(address(text)));
    expect(holding.map(([name]) => name)).toEqual(kind === 'none' ? [] : [kind]);
  });
});

describe('bits', () => {
  it('are 32 or 128', () => {
    expect([addressBits(4), addressBits(6)]).toEqual([32, 128]);
  });

  it('are eight times the bytes', () => {
    fc.assert(
      fc.property(families, addresses, (_, one) => {
        expect(addressBits(one.family)).toBe(addressBytes(one).length * 8);
      }),
    );
  });
});
