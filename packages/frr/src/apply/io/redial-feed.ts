// Makes bgpd dial the feed of a view again. While bgpd waits for a neighbour to come back from a restart (RFC 4724) it
// keeps the routes and does not dial: it waits to be called. But a view takes no calls, so its feed would stay
// away until the restart time has run out (*measured*, FRR 10.3). Resetting a session that is not there keeps
// the stale routes and starts a new attempt.

import type { Address } from '@herald/net';
import { runShow } from '../../vty/io/run-show.ts';
import type { VtySettings } from '../../vty/io/vty-session.ts';

export async function redialFeed(vty: VtySettings, view: string, feedAddress: Address): Promise<void> {
  await runShow(vty, `clear bgp view ${view} ${feedAddress.text}`);
}
