// Parts of what the server shows, from what bgpd and the feeds say of themselves. Pure.

import type { BgpdSessions } from '@herald/frr';
import type { FeedView, Views } from '@herald/server';

import type { FeedStatus } from './feed-set.ts';

export function runningPeers({ traffic }: BgpdSessions): Views['running'] {
  return new Map(
    Array.from(traffic, ([name, { instance, pathsSent, gracefulRestartNegotiated }]) => [
      name,
      { instance: viewName(instance), pathsSent, gracefulRestartNegotiated },
    ]),
  );
}

export function feedView({ name, state, counters }: FeedStatus): FeedView {
  const sinceMs = state.kind === 'established' ? state.sinceMs : undefined;
  return { name: viewName(name), state: state.kind, sinceMs, counters };
}

/** As people see it: bgpd's default instance is the one that peers share. */
function viewName(instance: string): string {
  return instance === 'default' ? 'shared' : instance;
}
