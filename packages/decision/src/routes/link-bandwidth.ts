// The weight of a next hop as the transitive link-bandwidth community carries it (draft-ietf-idr-link-bandwidth,
// type 0x0004). Only the proportion means anything.

import { AS_TRANS, isFourOctet } from '@herald/net';
import type { Asn, LinkBandwidth } from '@herald/net';

/** One megabit per second for each endpoint. */
const BYTES_PER_SECOND_AN_ENDPOINT = 125_000;

export function linkBandwidth(weight: number, asn: Asn): LinkBandwidth | undefined {
  return weight === 0
    ? undefined
    : { asn: isFourOctet(asn) ? AS_TRANS : asn, bytesPerSecond: weight * BYTES_PER_SECOND_AN_ENDPOINT };
}
