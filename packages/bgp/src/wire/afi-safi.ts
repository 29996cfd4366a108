// The pair of numbers that names what a route is about (RFC 4760 section 3), and its relation to the two
// families that Herald announces: IPv4 and IPv6 unicast. Every other pair is carried as numbers only.

import type { Family } from '@herald/net';
import { AFI, SAFI } from './registry.ts';

export interface AfiSafi {
  readonly afi: number;
  readonly safi: number;
}

export const FAMILIES: readonly Family[] = [4, 6];

export function unicast(family: Family): AfiSafi {
  return { afi: family === 4 ? AFI.ipv4 : AFI.ipv6, safi: SAFI.unicast };
}

/** Undefined for every pair that is not IPv4 or IPv6 unicast. */
export function unicastFamily({ afi, safi }: AfiSafi): Family | undefined {
  if (safi !== SAFI.unicast) {
    return undefined;
  }
  if (afi === AFI.ipv4) {
    return 4;
  }
  return afi === AFI.ipv6 ? 6 : undefined;
}
