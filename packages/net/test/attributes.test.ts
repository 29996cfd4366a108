// Path attributes: the key is equal exactly when everything else is, whatever order things were given in.

import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { community, pathAttributes } from '../src/index.ts';
import type { LargeCommunity, PathAttributes, StandardCommunity } from '../src/index.ts';
import { largeCommunities, standardCommunities } from './arbitraries.ts';

type Fields = Omit<PathAttributes, 'key'>;

const PLAIN: Fields = {
  asPath: [],
  localPref: 100,
  med: 0,
  communities: [],
  largeCommunities: [],
  linkBandwidth: undefined,
};

const standard = (...texts: string[]): StandardCommunity[] =>
  texts.map(community).filter((each) => each.kind === 'standard');

const large = (...texts: string[]): LargeCommunity[] =>
  texts.map(community).filter((each) => each.kind === 'large');

const withBandwidth = (bytesPerSecond: number): PathAttributes =>
  pathAttributes({ ...PLAIN, linkBandwidth: { asn: 1, bytesPerSecond } });

describe('the key', () => {
  const different: [what: string, change: Partial<Fields>][] = [
    ['nothing set', {}],
    ['prepended', { asPath: [65000] }],
    ['prepended twice', { asPath: [65000, 65000] }],
    ['prepended in order', { asPath: [65000, 65001] }],
    ['prepended in reverse', { asPath: [65001, 65000] }],
    ['prepended 1 12', { asPath: [1, 12] }],
    ['prepended 11 2', { asPath: [11, 2] }],
    ['local preference', { localPref: 101 }],
    ['no local preference', { localPref: 0 }],
    ['MED', { med: 100 }],
    ['a community', { communities: standard('65000:100') }],
    ['another community', { communities: standard('65000:101') }],
    ['two communities', { communities: standard('65000:100', '65000:101') }],
    ['a large community', { largeCommunities: large('65000:100:0') }],
    ['a bandwidth', { linkBandwidth: { asn: 65000, bytesPerSecond: 1 } }],
    ['another bandwidth', { linkBandwidth: { asn: 65000, bytesPerSecond: 2 } }],
    ['a bandwidth of another AS', { linkBandwidth: { asn: 65001, bytesPerSecond: 1 } }],
    ['no bandwidth at all', { linkBandwidth: { asn: 65000, bytesPerSecond: 0 } }],
  ];

  it('differs for different attributes', () => {
    const keys = different.map(([, change]) => pathAttributes({ ...PLAIN, ...change }).key);
    expect(new Set(keys).size).toBe(different.length);
  });

  test.each(different)('is the same for the same: %s', (_, change) => {
    const fields = { ...PLAIN, ...change };
    expect(pathAttributes(fields)).toEqual(pathAttributes(structuredClone(fields)));
    expect(pathAttributes(fields).key).toBe(pathAttributes(pathAttributes(fields)).key);
  });

  it('does not depend on the order in which communities were given', () => {
    const generated = fc.tuple(
      fc.array(standardCommunities, { maxLength: 6 }),
      fc.array(largeCommunities, { maxLength: 6 }),
    );
    fc.assert(
      fc.property(generated, ([communities, largeOnes]) => {
        const forward = pathAttributes({ ...PLAIN, communities, largeCommunities: largeOnes });
        const backward = pathAttributes({
          ...PLAIN,
          communities: [...communities, ...communities].toReversed(),
          largeCommunities: [...largeOnes, ...largeOnes].toReversed(),
        });
        expect(backward).toEqual(forward);
      }),
    );
  });

  it('is equal exactly when everything else is', () => {
    const fields: fc.Arbitrary<Fields> = fc.record({
      asPath: fc.array(fc.constantFrom(1, 12, 2), { maxLength: 3 }),
      localPref: fc.constantFrom(1, 11),
      med: fc.constantFrom(1, 11),
      communities: fc.subarray(standard('1:1', '1:11')),
      largeCommunities: fc.subarray(large('1:1:1', '1:1:11')),
      linkBandwidth: fc.constantFrom(
        undefined,
        { asn: 1, bytesPerSecond: 1 },
        { asn: 1, bytesPerSecond: 11 },
      ),
    });
    fc.assert(
      fc.property(fields, fields, (a, b) => {
        const { key: keyOfA, ...restOfA } = pathAttributes(a);
        const { key: keyOfB, ...restOfB } = pathAttributes(b);
        expect(keyOfA === keyOfB).toBe(JSON.stringify(restOfA) === JSON.stringify(restOfB));
      }),
      { numRuns: 1000 },
    );
  });
});

describe('canonical form', () => {
  it('sorts by number and drops duplicates', () => {
    const attributes = pathAttributes({
      ...PLAIN,
      communities: standard('no-export', '65000:10', '65000:9', '65000:10', '65535:65281'),
      largeCommunities: large('4294967295:1:2', '65000:1:10', '65000:1:9', 'large:65000:1:9'),
    });
    expect(attributes.communities.map((each) => each.text)).toEqual(['65000:9', '65000:10', 'no-export']);
    expect(attributes.largeCommunities.map((each) => each.text)).toEqual([
      '65000:1:9',
      '65000:1:10',
      '4294967295:1:2',
    ]);
  });

  it('leaves what it is given alone', () => {
    const communities = Object.freeze(standard('65000:2', '65000:1'));
    pathAttributes({ ...PLAIN, communities });
    expect(communities.map((each) => each.text)).toEqual(['65000:2', '65000:1']);
  });

  it('keeps the AS path as it is', () => {
    expect(pathAttributes({ ...PLAIN, asPath: [3, 1, 3] }).asPath).toEqual([3, 1, 3]);
  });

  it('rounds the bandwidth to what the wire carries', () => {
    expect(withBandwidth(16_777_217)).toEqual(withBandwidth(16_777_216));
    expect(withBandwidth(0.1).linkBandwidth?.bytesPerSecond).toBe(Math.fround(0.1));
    expect(withBandwidth(125_000_000).linkBandwidth?.bytesPerSecond).toBe(125_000_000);
  });
});
