// Prefixes on the wire, in every length, with and without path identifiers; and where a run of them cannot be cut.

import { address, prefix, prefixOf, type Family } from '@herald/net';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Nlri } from '../../src/index.ts';
import {
  decodeNlriRun,
  encodeNlriRun,
  nlriOctets,
  nlriRunOctets,
  writeNlriRun,
} from '../../src/wire/nlri.ts';
import { aPrefix } from '../arbitrary.ts';
import { hex, toHex } from '../octets.ts';

const nlri = (text: string, pathId = 0): Nlri => ({ pathId, prefix: prefix(text) });

const PLAIN_ROWS: [text: string, octets: string][] = [
  ['0.0.0.0/0', '00'],
  ['128.0.0.0/1', '01 80'],
  ['10.0.0.0/7', '07 0a'],
  ['10.0.0.0/8', '08 0a'],
  ['10.128.0.0/9', '09 0a80'],
  ['172.16.0.0/12', '0c ac10'],
  ['192.168.0.0/16', '10 c0a8'],
  ['192.168.128.0/17', '11 c0a880'],
  ['198.51.100.0/24', '18 c63364'],
  ['198.51.100.128/25', '19 c6336480'],
  ['198.51.100.254/31', '1f c63364fe'],
  ['255.255.255.255/32', '20 ffffffff'],
  ['::/0', '00'],
  ['8000::/1', '01 80'],
  ['2000::/3', '03 20'],
  ['2001:db8::/32', '20 20010db8'],
  ['2001:db8:8000::/33', '21 20010db880'],
  ['2001:db8:1::/48', '30 20010db80001'],
  ['2001:db8:1:2::/64', '40 20010db800010002'],
  ['2001:db8::1/128', '80 20010db8000000000000000000000001'],
];

function texts(run: readonly Nlri[] | undefined): string[] | undefined {
  return run?.map(({ pathId, prefix: { text } }) => `${text} ${pathId}`);
}

const familyOf = (text: string): Family => (text.includes(':') ? 6 : 4);

describe('a prefix', () => {
  it.each(PLAIN_ROWS)('%s is %s', (text, octets) => {
    expect(toHex(encodeNlriRun([nlri(text)], 'plain'))).toBe(toHex(hex(octets)));
    expect(texts(decodeNlriRun(hex(octets), familyOf(text), 'plain'))).toEqual([`${text} 0`]);
  });

  it.each(PLAIN_ROWS)('%s with path identifier 0x01020304 is that and %s', (text, octets) => {
    const withId = `01020304 ${octets}`;
    expect(toHex(encodeNlriRun([nlri(text, 0x01020304)], 'add-path'))).toBe(toHex(hex(withId)));
    expect(texts(decodeNlriRun(hex(withId), familyOf(text), 'add-path'))).toEqual([`${text} 16909060`]);
  });

  it.each([
    [0, '00000000'],
    [1, '00000001'],
    [0x7fffffff, '7fffffff'],
    [0x80000000, '80000000'],
    [0xffffffff, 'ffffffff'],
  ])('has any path identifier: %i', (pathId, octets) => {
    expect(toHex(encodeNlriRun([nlri('0.0.0.0/0', pathId)], 'add-path'))).toBe(`${octets}00`);
    expect(decodeNlriRun(hex(`${octets}00`), 4, 'add-path')?.[0]?.pathId).toBe(pathId);
  });

  it('has no identifier where none are in use, whatever it had', () => {
    expect(toHex(encodeNlriRun([nlri('10.0.0.0/8', 7)], 'plain'))).toBe('080a');
  });
});

describe('the length of a prefix', () => {
  it.each([
    [4, 32],
    [6, 128],
  ] as const)('of IPv%i is 0 to %i', (family, longest) => {
    const zero = address(family === 4 ? '0.0.0.0' : '::');
    for (let length = 0; length <= 255; length++) {
      const octets = Uint8Array.from([length, ...new Uint8Array(Math.ceil(length / 8))]);
      const expected = length <= longest ? [`${prefixOf(zero, length).text} 0`] : undefined;
      expect(texts(decodeNlriRun(octets, family, 'plain')), `${length}`).toEqual(expected);
    }
  });

  it('counts what it takes', () => {
    for (let length = 0; length <= 128; length++) {
      const each = { pathId: 1, prefix: prefixOf(address('::'), length) };
      expect(nlriOctets(each, 'plain')).toBe(1 + Math.ceil(length / 8));
      expect(nlriOctets(each, 'add-path')).toBe(5 + Math.ceil(length / 8));
      expect(nlriRunOctets([each, each], 'add-path')).toBe(encodeNlriRun([each, each], 'add-path').length);
    }
    expect(nlriRunOctets([], 'plain')).toBe(0);
  });
});

describe('bits behind the length', () => {
  it.each([
    ['08 0a', '01 ff', ['10.0.0.0/8 0', '128.0.0.0/1 0']],
    ['', '19 c63364ff', ['198.51.100.128/25 0']],
    ['', '1f ffffffff', ['255.255.255.254/31 0']],
  ])('are ignored (RFC 4271 section 4.3): %s %s', (before, octets, expected) => {
    expect(texts(decodeNlriRun(hex(before + octets), 4, 'plain'))).toEqual(expected);
  });
});

describe('a run of prefixes', () => {
  it.each([
    ['a prefix without its last octet', '20 c63364', 4, 'plain'],
    ['a length without its prefix', '08', 4, 'plain'],
    ['half a path identifier', '0000', 4, 'add-path'],
    ['a path identifier alone', '00000001', 4, 'add-path'],
    ['a good one and a cut one', '08 0a 10 c0', 4, 'plain'],
    ['a good one and a long one', '08 0a 21 c633640700', 4, 'plain'],
    ['IPv6 of 129 bits', `81 ${'00'.repeat(17)}`, 6, 'plain'],
    ['IPv6 cut', '80 20010db8', 6, 'plain'],
    ['an IPv6 prefix in a run of IPv4', '30 20010db80001', 4, 'plain'],
  ] as const)('cannot be cut: %s', (_, octets, family, form) => {
    expect(decodeNlriRun(hex(octets), family, form)).toBeUndefined();
  });

  it('may be empty', () => {
    expect(decodeNlriRun(hex(''), 4, 'add-path')).toEqual([]);
    expect(encodeNlriRun([], 'add-path')).toHaveLength(0);
  });

  it('is written behind what is there already', () => {
    const target = new Uint8Array(8).fill(0xee);
    const end = writeNlriRun([nlri('10.0.0.0/8'), nlri('192.168.0.0/16')], 'plain', target, 2);
    expect(end).toBe(7);
    expect(toHex(target)).toBe('eeee080a10c0a8ee');
  });

  it('is cut the same way as it was written', () => {
    const run = fc.constantFrom<Family>(4, 6).chain((family) =>
      fc.record({
        family: fc.constant(family),
        form: fc.constantFrom('plain' as const, 'add-path' as const),
        nlri: fc.array(fc.record({ pathId: fc.nat(0xffffffff), prefix: aPrefix(family) })),
      }),
    );
    fc.assert(
      fc.property(run, ({ family, form, nlri: written }) => {
        const octets = encodeNlriRun(written, form);
        expect(octets).toHaveLength(nlriRunOctets(written, form));
        const expected = form === 'plain' ? written.map((each) => ({ ...each, pathId: 0 })) : written;
        expect(texts(decodeNlriRun(octets, family, form))).toEqual(texts(expected));
      }),
    );
  });
});
