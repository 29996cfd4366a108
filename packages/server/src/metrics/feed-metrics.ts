// Metrics of the feeds: what was sent to each bgpd instance.

import type { Registry } from 'prom-client';
import type { Context } from '../endpoint/context.ts';
import type { FeedCounters } from '../views.ts';
import { addCounter, addGauge } from './scraped.ts';

interface FeedCounter {
  readonly name: string;
  readonly help: string;
  readonly field: keyof FeedCounters;
}

const FEED_COUNTERS: readonly FeedCounter[] = [
  { name: 'herald_feed_updates_sent_total', help: 'UPDATE messages sent', field: 'updatesSent' },
  { name: 'herald_feed_routes_sent_total', help: 'Routes announced', field: 'prefixesSent' },
  { name: 'herald_feed_withdrawals_sent_total', help: 'Routes withdrawn', field: 'withdrawnSent' },
  { name: 'herald_feed_sent_bytes_total', help: 'Bytes sent', field: 'bytesSent' },
  { name: 'herald_feed_sessions_lost_total', help: 'Times that the feed was lost', field: 'sessionsLost' },
];

export function addFeedMetrics(registry: Registry, { views }: Context): void {
  addGauge(registry, {
    name: 'herald_feed_established',
    help: '1 while the feed is established',
    labelNames: ['feed'],
    samples: () =>
      views.current().feeds.map((feed) => ({
        labels: { feed: feed.name },
        value: Number(feed.state === 'established'),
      })),
  });
  for (const { name, help, field } of FEED_COUNTERS) {
    addCounter(registry, {
      name,
      help,
      labelNames: ['feed'],
      samples: () =>
        views.current().feeds.map((feed) => ({ labels: { feed: feed.name }, value: feed.counters[field] })),
    });
  }
}
