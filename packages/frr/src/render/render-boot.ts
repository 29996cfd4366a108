// The configuration that bgpd starts with: the feed and nobody else, so that a bgpd that restarts alone
// never speaks to a router with an empty table. (asn, router-id, feed placement) -> text.

import type { Address, Asn } from '@herald/net';
import type { FeedPlacement } from '../plan/feed-neighbor.ts';
import { planBoot } from '../plan/plan-config.ts';
import { renderConfig } from './render-config.ts';

export function renderBoot(asn: Asn, routerId: Address, placement: FeedPlacement): string {
  return renderConfig(planBoot(asn, routerId, placement));
}
