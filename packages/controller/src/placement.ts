// Where the feeds are, as bgpd has to be told: from the settings and the constants of the feeds.

import type { Settings } from '@herald/api';
import type { FeedPlacement } from '@herald/frr';
import { address } from '@herald/net';

import { BGPD_ADDRESS, VIEW_PORT } from './feed-set.ts';

export function placement(settings: Settings): FeedPlacement {
  return {
    feedAddress: address(settings.bgpd.feedAddress),
    bgpdAddress: address(BGPD_ADDRESS),
    viewPort: VIEW_PORT,
  };
}
