// Route tables for tests: prefixes and paths from short texts.

import {
  address,
  addressFromValue,
  hostPrefix,
  pathAttributes,
  PersistentMap,
  prefix,
  type Path,
  type PathAttributes,
  type PrefixRoutes,
  type RouteTable,
} from '@herald/net';

export function attributes(fields: Partial<PathAttributes> = {}): PathAttributes {
  return pathAttributes({
    asPath: [],
    localPref: 100,
    med: 10,
    communities: [],
    largeCommunities: [],
    linkBandwidth: undefined,
    ...fields,
  });
}

const PLAIN_ATTRIBUTES = attributes();

export function path(pathId: number, nextHop: string, of: PathAttributes = PLAIN_ATTRIBUTES): Path {
  return { pathId, nextHop: address(nextHop), attributes: of };
}

export function routes(text: string, ...paths: readonly Path[]): PrefixRoutes {
  return { prefix: prefix(text), paths };
}

export function tableOf(...entries: readonly PrefixRoutes[]): RouteTable {
  return PersistentMap.from(entries.map((entry) => [entry.prefix.text, entry]));
}

/** `count` prefixes from 10.0.0.0/32 on, all with the same paths. */
export function manyRoutes(count: number, ...paths: readonly Path[]): RouteTable {
  const first = 0x0a000000n;
  return tableOf(
    ...Array.from({ length: count }, (_, i) => {
      return { prefix: hostPrefix(addressFromValue(4, first + BigInt(i))), paths };
    }),
  );
}

/** The same for IPv6, from 2001:db8:: on. */
export function manyIpv6Routes(count: number, ...paths: readonly Path[]): RouteTable {
  const first = 0x20010db8n << 96n;
  return tableOf(
    ...Array.from({ length: count }, (_, i) => {
      return { prefix: hostPrefix(addressFromValue(6, first + BigInt(i))), paths };
    }),
  );
}
