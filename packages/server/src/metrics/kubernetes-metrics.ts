// Metrics of the exchange with the API server; none while the source is a folder.

import type { Registry } from 'prom-client';
import type { Context } from '../endpoint/context.ts';
import type { KubernetesView } from '../views.ts';
import { addCounter, addGauge, single, type Sample } from './scraped.ts';

export function addKubernetesMetrics(registry: Registry, context: Context): void {
  addTraffic(registry, context);
  addAges(registry, context);
}

function addTraffic(registry: Registry, { views }: Context): void {
  addCounter(registry, {
    name: 'herald_api_requests_total',
    help: 'Requests to the API server',
    labelNames: ['verb', 'outcome'],
    samples: () =>
      samplesOf(views.current().kubernetes, ({ requests }) =>
        requests.map(({ verb, outcome, count }) => ({ labels: { verb, outcome }, value: count })),
      ),
  });
  addCounter(registry, {
    name: 'herald_api_writes_total',
    help: 'Writes to objects of the API server',
    labelNames: ['kind', 'outcome'],
    samples: () =>
      samplesOf(views.current().kubernetes, ({ writes }) =>
        writes.map(({ kind, outcome, count }) => ({ labels: { kind, outcome }, value: count })),
      ),
  });
}

function addAges(registry: Registry, { views, nowMs }: Context): void {
  addGauge(registry, {
    name: 'herald_watch_age_seconds',
    help: 'Since a watch was known to be current',
    labelNames: ['resource'],
    samples: () =>
      samplesOf(views.current().kubernetes, ({ watches }) =>
        watches
          .filter(({ freshAtMs }) => freshAtMs > 0)
          .map(({ resource, freshAtMs }) => ({
            labels: { resource },
            value: secondsSince(freshAtMs, nowMs()),
          })),
      ),
  });
  addGauge(registry, {
    name: 'herald_lease_age_seconds',
    help: 'Since the Lease was renewed; there while this replica leads',
    labelNames: [],
    samples: () =>
      samplesOf(views.current().kubernetes, ({ leaseRenewedAtMs }) =>
        single(leaseRenewedAtMs === undefined ? undefined : secondsSince(leaseRenewedAtMs, nowMs())),
      ),
  });
}

function samplesOf(view: KubernetesView | undefined, read: (view: KubernetesView) => Sample[]): Sample[] {
  return view === undefined ? [] : read(view);
}

function secondsSince(ms: number, nowMs: number): number {
  return Math.max(0, nowMs - ms) / 1000;
}
