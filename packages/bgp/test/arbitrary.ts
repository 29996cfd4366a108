// Arbitrary messages, route tables and their parts for property tests: everything that we may have to write.

import {
  addressFromValue,
  largeCommunity,
  pathAttributes,
  PersistentMap,
  prefixOf,
  standardCommunity,
  type Address,
  type Family,
  type Path,
  type Prefix,
  type PrefixRoutes,
  type RouteTable,
} from '@herald/net';
import fc from 'fast-check';
import {
  updateMessage,
  type AsSegment,
  type Attributes,
  type Capability,
  type ExtendedCommunity,
  type Message,
  type Nlri,
  type UpdateMessage,
} from '../src/index.ts';

const uint32 = fc.nat(0xffffffff);
const uint16 = fc.nat(0xffff);
const octets = (maxLength: number): fc.Arbitrary<Uint8Array> => fc.uint8Array({ maxLength });

function anAddress(family: Family): fc.Arbitrary<Address> {
  const highest = family === 4 ? 0xffffffffn : (1n << 128n) - 1n;
  return fc.bigInt({ min: 0n, max: highest }).map((value) => addressFromValue(family, value));
}

const unicast4 = fc
  .integer({ min: 0x01000000, max: 0xdfffffff })
  .map((value) => addressFromValue(4, BigInt(value)));

export function aPrefix(family: Family): fc.Arbitrary<Prefix> {
  return fc
    .tuple(anAddress(family), fc.nat(family === 4 ? 32 : 128))
    .map(([address, length]) => prefixOf(address, length));
}

function nlriRun(family: Family, minLength = 0): fc.Arbitrary<Nlri[]> {
  return fc.array(fc.record({ pathId: uint32, prefix: aPrefix(family) }), { minLength, maxLength: 6 });
}

const segment: fc.Arbitrary<AsSegment> = fc.record({
  kind: fc.constantFrom('sequence', 'set', 'confed-sequence', 'confed-set'),
  asns: fc.array(uint32, { minLength: 1, maxLength: 4 }),
});

const extended: fc.Arbitrary<ExtendedCommunity> = fc.oneof(
  fc.record({
    kind: fc.constant('link-bandwidth' as const),
    transitive: fc.boolean(),
    asn: uint16,
    bytesPerSecond: fc.float({ noNaN: true, noDefaultInfinity: true }),
  }),
  fc.uint8Array({ minLength: 8, maxLength: 8 }).map((octet8): ExtendedCommunity => {
    octet8[0] = 0x03; // any type but link bandwidth
    return { kind: 'other', octets: octet8 };
  }),
);

const someOf = <T>(item: fc.Arbitrary<T>): fc.Arbitrary<T[]> =>
  fc.array(item, { minLength: 1, maxLength: 4 });

const optionalAttributes: fc.Arbitrary<Attributes> = fc.record(
  {
    med: uint32,
    atomicAggregate: fc.constant(true as const),
    aggregator: fc.record({ asn: uint32, address: anAddress(4) }),
    communities: someOf(uint32.map(standardCommunity)),
    originatorId: anAddress(4),
    clusterList: someOf(anAddress(4)),
    extendedCommunities: someOf(extended),
    largeCommunities: someOf(fc.tuple(uint32, uint32, uint32).map((parts) => largeCommunity(...parts))),
    unknown: fc
      .record({
        flags: fc.constantFrom(0x80, 0xc0, 0xe0),
        type: fc.integer({ min: 40, max: 255 }),
        value: octets(300),
      })
      .map((unknown) => [unknown]),
  },
  { requiredKeys: [] },
);

const announcement: fc.Arbitrary<UpdateMessage> = fc
  .record({
    optional: optionalAttributes,
    origin: fc.constantFrom('igp' as const, 'egp' as const, 'incomplete' as const),
    asPath: fc.array(segment, { maxLength: 3 }),
    nextHop: unicast4,
    localPref: uint32,
    announced: nlriRun(4, 1),
    withdrawn: nlriRun(4),
    reach: fc.option(
      fc.record({
        family: fc.constant(6 as const),
        nextHop: anAddress(6),
        linkLocal: fc.option(anAddress(6), { nil: undefined }),
        nlri: nlriRun(6),
      }),
      { nil: undefined },
    ),
    unreach: fc.option(fc.record({ family: fc.constant(6 as const), nlri: nlriRun(6) }), { nil: undefined }),
  })
  .map(({ optional, origin, asPath, nextHop, localPref, ...rest }) =>
    updateMessage({ ...rest, attributes: { ...optional, origin, asPath, nextHop, localPref } }),
  );

const afiSafi = { afi: uint16, safi: fc.nat(255) };

const capability: fc.Arbitrary<Capability> = fc.oneof(
  fc.record({ kind: fc.constant('multiprotocol' as const), ...afiSafi }),
  fc.constantFrom<Capability>(
    { kind: 'route-refresh' },
    { kind: 'extended-message' },
    { kind: 'enhanced-route-refresh' },
  ),
  fc.record({
    kind: fc.constant('add-path' as const),
    families: fc.array(
      fc.record({ ...afiSafi, mode: fc.constantFrom('send' as const, 'receive' as const, 'both' as const) }),
    ),
  }),
  fc.record({
    kind: fc.constant('graceful-restart' as const),
    restarting: fc.boolean(),
    notification: fc.boolean(),
    restartTimeSeconds: fc.nat(4095),
    families: fc.array(fc.record({ ...afiSafi, forwarding: fc.boolean() })),
  }),
  fc.record({
    kind: fc.constant('long-lived-graceful-restart' as const),
    families: fc.array(
      fc.record({ ...afiSafi, forwarding: fc.boolean(), staleTimeSeconds: fc.nat(0xffffff) }),
    ),
  }),
  fc.record({
    kind: fc.constant('unknown' as const),
    code: fc.integer({ min: 128, max: 255 }),
    octets: octets(200),
  }),
);

const open: fc.Arbitrary<Message> = fc
  .record({
    asn: fc.integer({ min: 1, max: 0xffffffff }),
    holdTimeSeconds: fc.oneof(fc.constant(0), fc.integer({ min: 3, max: 0xffff })),
    identifier: unicast4,
    capabilities: fc.array(capability, { maxLength: 8 }),
  })
  .map(({ asn, holdTimeSeconds, identifier, capabilities }) => {
    const all = capabilities.concat({ kind: 'four-octet-asn', asn });
    return { kind: 'open', asn, holdTimeSeconds, identifier, capabilities: all };
  });

export const aMessage: fc.Arbitrary<Message> = fc.oneof(
  { weight: 4, arbitrary: announcement },
  { weight: 1, arbitrary: nlriRun(4).map((withdrawn) => updateMessage({ withdrawn })) },
  { weight: 2, arbitrary: open },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('notification' as const),
      code: fc.nat(255),
      subcode: fc.nat(255),
      data: octets(60),
    }),
  },
  { weight: 1, arbitrary: fc.constant<Message>({ kind: 'keepalive' }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('route-refresh' as const), ...afiSafi, subtype: fc.nat(255) }),
  },
);

/** Few prefixes, next hops and classes, so that two tables have much in common and much that differs. */
const HOPS: Record<Family, readonly Address[]> = {
  4: [1n, 2n, 3n, 4n].map((value) => addressFromValue(4, 0xc0000200n + value)),
  6: [1n, 2n, 3n, 4n].map((value) => addressFromValue(6, (0x20010db8n << 96n) + value)),
};

const CLASSES = [10, 20, 30].map((med) =>
  pathAttributes({
    asPath: med === 20 ? [65001, 65002] : [],
    localPref: 100,
    med,
    communities: med === 30 ? [standardCommunity(1)] : [],
    largeCommunities: [largeCommunity(4_294_967_295, 1, 0)],
    linkBandwidth: med === 10 ? { asn: 65000, bytesPerSecond: 1000 } : undefined,
  }),
);

/** Interned, as net/route.ts promises: equal content is the same object. */
const PATHS: Record<Family, readonly Path[]> = {
  4: HOPS[4].flatMap((nextHop, i) => CLASSES.map((attributes) => ({ pathId: i + 1, nextHop, attributes }))),
  6: HOPS[6].flatMap((nextHop, i) => CLASSES.map((attributes) => ({ pathId: i + 1, nextHop, attributes }))),
};

function somePaths(family: Family): fc.Arbitrary<readonly Path[]> {
  return fc.uniqueArray(fc.constantFrom(...PATHS[family]), {
    minLength: 1,
    maxLength: 4,
    selector: ({ pathId }) => pathId,
  });
}

const PREFIXES: readonly Prefix[] = [
  ...Array.from({ length: 12 }, (_, i) => prefixOf(addressFromValue(4, 0xc6336400n + BigInt(i)), 32)),
  ...Array.from({ length: 6 }, (_, i) =>
    prefixOf(addressFromValue(6, (0x20010db9n << 96n) + BigInt(i)), 128),
  ),
];

const aPrefixRoutes: fc.Arbitrary<PrefixRoutes> = fc.constantFrom(...PREFIXES).chain((prefix) =>
  somePaths(prefix.family).map((paths) => ({
    prefix,
    paths: paths.toSorted((a, b) => a.pathId - b.pathId),
  })),
);

export const aTable: fc.Arbitrary<RouteTable> = fc
  .array(aPrefixRoutes, { maxLength: 25 })
  .map((entries) => PersistentMap.from(entries.map((entry) => [entry.prefix.text, entry])));
