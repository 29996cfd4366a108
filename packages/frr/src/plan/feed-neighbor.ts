// The neighbour that is our own controller: where its sessions run and how bgpd has to treat them.
//
// In the default instance the controller dials and bgpd is passive. A view refuses incoming connections,
// so there bgpd dials an address of 127.1.0.0/16 on which the view's feed listens. In both the feed is
// a route-reflector client (RFC 4456), or its iBGP routes would not go to iBGP routers; it is sent
// nothing; and bgpd helps it through a restart (RFC 4724), which keeps the table when it dies.

import type { Address } from '@herald/net';
import type { NeighborDraft } from './neighbor-draft.ts';
import { DENY_ALL } from './policy.ts';

export interface FeedPlacement {
  /** Where the shared feed dials from, 127.0.0.2. */
  readonly feedAddress: Address;
  /** Where bgpd dials a view's feed from, 127.0.0.1. */
  readonly bgpdAddress: Address;
  /** Where a view's feed listens, 1791. */
  readonly viewPort: number;
}

export const FEED_DESCRIPTION = 'feed';

/** Keepalive and hold time: a controller that hangs is noticed after the second. */
const TIMERS = 'timers 10 30';

const FAMILY_LINES: readonly string[] = ['activate', 'route-reflector-client', `route-map ${DENY_ALL} out`];

export function sharedFeed(asn: number, placement: FeedPlacement): NeighborDraft {
  return feed(asn, placement.feedAddress, ['passive']);
}

export function viewFeed(asn: number, address: Address, placement: FeedPlacement): NeighborDraft {
  return feed(asn, address, [
    `port ${placement.viewPort}`,
    `update-source ${placement.bgpdAddress.text}`,
    'timers connect 1',
  ]);
}

function feed(asn: number, address: Address, transport: readonly string[]): NeighborDraft {
  return {
    address: address.text,
    lines: [
      `remote-as ${asn}`,
      `description ${FEED_DESCRIPTION}`,
      ...transport,
      TIMERS,
      'graceful-restart-helper',
    ],
    families: { 4: FAMILY_LINES, 6: FAMILY_LINES },
  };
}
