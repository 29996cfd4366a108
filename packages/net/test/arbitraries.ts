// Random values for the property tests: everything that the package can represent, near collisions included,
// so that "equal", "adjacent" and "inside" happen often enough to be tested. Mapped addresses, which only the
// wire can bring, are not among them.

import fc from 'fast-check';
import {
  addressBits,
  addressFromValue,
  largeCommunity,
  prefixOf,
  range,
  standardCommunity,
} from '../src/index.ts';
import type { Address, AddressRange, Community, Family, Prefix } from '../src/index.ts';

export const families: fc.Arbitrary<Family> = fc.constantFrom<Family>(4, 6);

export function addressesOf(family: Family): fc.Arbitrary<Address> {
  const max = (1n << BigInt(addressBits(family))) - 1n;
  const near = fc.bigInt({ min: 0n, max: 300n });
  return fc
    .oneof(
      fc.bigInt({ min: 0n, max }),
      near,
      near.map((distance) => max - distance),
      near.map((distance) => (max >> 1n) + distance),
    )
    .map((value) => addressFromValue(family, value));
}

export const addresses: fc.Arbitrary<Address> = families.chain(addressesOf);

export function prefixesOf(family: Family): fc.Arbitrary<Prefix> {
  return fc
    .tuple(addressesOf(family), fc.nat({ max: addressBits(family) }))
    .map(([inside, length]) => prefixOf(inside, length));
}

export const prefixes: fc.Arbitrary<Prefix> = families.chain(prefixesOf);

export function rangesOf(family: Family): fc.Arbitrary<AddressRange> {
  return fc.tuple(addressesOf(family), addressesOf(family)).map(([a, b]) => {
    const [first, last] = a.value <= b.value ? [a, b] : [b, a];
    return range(`${first.text}-${last.text}`);
  });
}

export const ranges: fc.Arbitrary<AddressRange> = families.chain(rangesOf);

const uint32 = fc.oneof(fc.nat({ max: 3 }), fc.integer({ min: 0, max: 0xffffffff }));

export const standardCommunities = uint32.map(standardCommunity);

export const largeCommunities = fc
  .tuple(uint32, uint32, uint32)
  .map(([global, local1, local2]) => largeCommunity(global, local1, local2));

export const communities: fc.Arbitrary<Community> = fc.oneof(standardCommunities, largeCommunities);
