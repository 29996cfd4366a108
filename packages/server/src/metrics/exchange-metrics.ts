// Metrics of what replicas tell each other: whether this one is stale, and how many others are heard.

import type { Registry } from 'prom-client';
import type { Context } from '../endpoint/context.ts';
import { addGauge, single } from './scraped.ts';

export function addExchangeMetrics(registry: Registry, { views }: Context): void {
  addGauge(registry, {
    name: 'herald_stale',
    help: '1 while contact with the source has been lost for too long: fresh replicas serve the routers alone',
    labelNames: [],
    samples: () => single(Number(views.current().exchange.stale)),
  });
  addGauge(registry, {
    name: 'herald_replicas_heard',
    help: 'Other replicas that answered within the last seconds, by whether they are stale',
    labelNames: ['stale'],
    samples: () => {
      const { heard } = views.current().exchange;
      return [true, false].map((stale) => ({
        labels: { stale: String(stale) },
        value: heard.filter(({ report }) => report.stale === stale).length,
      }));
    },
  });
  addGauge(registry, {
    name: 'herald_exchange_problems',
    help: 'Replicas that are known and not heard, and keys that cannot be read',
    labelNames: [],
    samples: () => single(views.current().exchange.problems.size),
  });
}
