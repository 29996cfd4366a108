// AS numbers: asplain and asdot, and the four that no speaker may use.

import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { AS_TRANS, isFourOctet, parseAsn } from '../src/index.ts';

const FORM = 'write 1 to 4294967294, or two numbers up to 65535 as in 1.10';

describe('accepted', () => {
  const rows: [source: string | number, asn: number, fourOctet: boolean][] = [
    [1, 1, false],
    ['1', 1, false],
    ['23455', 23455, false],
    ['23457', 23457, false],
    ['64512', 64512, false],
    [65534, 65534, false],
    ['65536', 65536, true],
    ['1.0', 65536, true],
    ['1.10', 65546, true],
    ['0.65000', 65000, false],
    ['65535.65534', 4294967294, true],
    ['4294967294', 4294967294, true],
    [4200000000, 4200000000, true],
  ];
  test.each(rows)('%j', (source, asn, fourOctet) => {
    expect(parseAsn(source)).toEqual({ ok: true, value: asn });
    expect(isFourOctet(asn)).toBe(fourOctet);
  });
});

describe('refused because no speaker may use it', () => {
  const rows: [source: string | number, problem: string][] = [
    [0, '0 cannot be used as an AS number: AS 0 never speaks BGP (RFC 7607)'],
    ['0', '"0" cannot be used as an AS number: AS 0 never speaks BGP (RFC 7607)'],
    ['0.0', '"0.0" cannot be used as an AS number: AS 0 never speaks BGP (RFC 7607)'],
    [
      23456,
      '23456 cannot be used as an AS number: AS 23456 is AS_TRANS, which stands for other numbers (RFC 6793)',
    ],
    [
      '0.23456',
      '"0.23456" cannot be used as an AS number: AS 23456 is AS_TRANS, which stands for other numbers (RFC 6793)',
    ],
    [
      65535,
      '65535 cannot be used as an AS number: AS 65535 is the last two-octet number and reserved (RFC 7300)',
    ],
    [
      4294967295,
      '4294967295 cannot be used as an AS number: AS 4294967295 is the last four-octet number and reserved (RFC 7300)',
    ],
    [
      '65535.65535',
      '"65535.65535" cannot be used as an AS number: AS 4294967295 is the last four-octet number and reserved (RFC 7300)',
    ],
  ];
  test.each(rows)('%j', (source, problem) => {
    expect(parseAsn(source)).toEqual({ ok: false, problem });
  });

  it('AS_TRANS is what the RFC says', () => {
    expect(AS_TRANS).toBe(23456);
  });
});

describe('refused because it is no AS number', () => {
  const rows: (string | number)[] = [
    '',
    ' 1',
    '1 ',
    '-1',
    '+1',
    '01',
    '1e3',
    '0x10',
    'AS65000',
    '4294967296',
    '99999999999',
    '1.',
    '.1',
    '1.65536',
    '65536.1',
    '1.01',
    '01.1',
    '1.2.3',
    '1,10',
    '१',
    -1,
    1.5,
    4294967296,
  ];
  test.each(rows)('%j', (source) => {
    expect(parseAsn(source)).toEqual({
      ok: false,
      problem: `${JSON.stringify(source)} is not an AS number: ${FORM}`,
    });
  });

  test.each([Number.NaN, Infinity, -Infinity])('%d', (source) => {
    expect(parseAsn(source)).toEqual({ ok: false, problem: `${source} is not an AS number: ${FORM}` });
  });
});

describe('four octets are needed', () => {
  const rows: [asn: number, needed: boolean][] = [
    [1, false],
    [65535, false],
    [65536, true],
    [4294967295, true],
  ];
  test.each(rows)('for %i: %s', (asn, needed) => {
    expect(isFourOctet(asn)).toBe(needed);
  });
});

describe('every number', () => {
  const numbers = fc.integer({ min: 1, max: 0xffffffff });

  it('is the same in all three forms', () => {
    fc.assert(
      fc.property(numbers, (asn) => {
        const plain = parseAsn(asn);
        const outcomes = [parseAsn(String(asn)), parseAsn(`${asn >>> 16}.${asn & 0xffff}`)];
        for (const outcome of outcomes) {
          expect(outcome.ok).toBe(plain.ok);
          expect(outcome.ok && outcome.value).toBe(plain.ok && plain.value);
        }
      }),
    );
  });
});
