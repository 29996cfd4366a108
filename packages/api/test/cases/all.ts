import { BGP_ADVERTISEMENT_CASES } from './bgp-advertisement.ts';
import { BGP_PEER_CASES } from './bgp-peer.ts';
import type { KindCases } from './case.ts';
import { IP_ADDRESS_POOL_CASES } from './ip-address-pool.ts';

export const ALL_CASES: readonly KindCases[] = [
  BGP_PEER_CASES,
  IP_ADDRESS_POOL_CASES,
  BGP_ADVERTISEMENT_CASES,
];
