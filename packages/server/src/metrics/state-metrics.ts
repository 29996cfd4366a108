// Metrics of the replica: its loop, its source, the objects it knows, what it announces and what is wrong.

import type { Registry } from 'prom-client';
import type { Context } from '../endpoint/context.ts';
import { countRoutes } from '../render/count-routes.ts';
import { countObjects, keptTableAgeSeconds, sourceAgeSeconds } from '../render/render-status.ts';
import type { Views } from '../views.ts';
import { addCounter, addGauge, single, type Sample } from './scraped.ts';

export function addStateMetrics(registry: Registry, context: Context): void {
  addLoopMetrics(registry, context);
  addSourceMetrics(registry, context);
  addContentMetrics(registry, context);
}

function addLoopMetrics(registry: Registry, { views }: Context): void {
  addCounter(registry, {
    name: 'herald_ticks_total',
    help: 'Ticks of the loop',
    labelNames: [],
    samples: () => single(views.current().loop.ticks),
  });
  addCounter(registry, {
    name: 'herald_failed_ticks_total',
    help: 'Ticks that failed and were contained',
    labelNames: [],
    samples: () => single(views.current().loop.failedTicks),
  });
  addGauge(registry, {
    name: 'herald_leading',
    help: '1 while this replica leads',
    labelNames: [],
    samples: () => single(Number(views.current().world.leadership.leading)),
  });
  addGauge(registry, {
    name: 'herald_term',
    help: 'The latest leadership that this replica knows',
    labelNames: [],
    samples: () => single(views.current().world.leadership.term),
  });
  addGauge(registry, {
    name: 'herald_ready',
    help: '1 while this replica is ready',
    labelNames: [],
    samples: () => single(Number(views.current().notReady.length === 0)),
  });
}

function addSourceMetrics(registry: Registry, { views, nowMs }: Context): void {
  addGauge(registry, {
    name: 'herald_source_age_seconds',
    help: 'Since the source of objects was known to be current',
    labelNames: [],
    samples: () => single(sourceAgeSeconds(views.current(), nowMs())),
  });
  addGauge(registry, {
    name: 'herald_source_synced',
    help: '1 once everything that there was at the start has been read',
    labelNames: [],
    samples: () => single(Number(views.current().source.synced)),
  });
  addGauge(registry, {
    name: 'herald_kept_table_age_seconds',
    help: 'Since the kept table was what live data said; there while it is announced, because there is no live data',
    labelNames: [],
    samples: () => single(keptTableAgeSeconds(views.current(), nowMs())),
  });
  addGauge(registry, {
    name: 'herald_faults',
    help: 'Faults in the input now',
    labelNames: ['reason'],
    samples: () =>
      countBy(
        'reason',
        views.current().faults.map((fault) => fault.reason),
      ),
  });
}

function addContentMetrics(registry: Registry, { views }: Context): void {
  addGauge(registry, {
    name: 'herald_objects',
    help: 'Objects known',
    labelNames: ['kind'],
    samples: () => samplesOf('kind', Object.entries(countObjects(views.current()))),
  });
  addGauge(registry, {
    name: 'herald_services',
    help: 'Services by verdict',
    labelNames: ['reason'],
    samples: () => countBy('reason', reasonsOf(views.current())),
  });
  addGauge(registry, {
    name: 'herald_prefixes',
    help: 'Prefixes in a table',
    labelNames: ['table', 'family'],
    samples: () => countRoutes(views.current().decision.tables).map(tableSample('prefixes')),
  });
  addGauge(registry, {
    name: 'herald_routes',
    help: 'Routes in a table: prefix, next hop and attributes',
    labelNames: ['table', 'family'],
    samples: () => countRoutes(views.current().decision.tables).map(tableSample('routes')),
  });
}

function tableSample(field: 'prefixes' | 'routes') {
  return (count: ReturnType<typeof countRoutes>[number]): Sample => ({
    labels: { table: count.table, family: count.family },
    value: count[field],
  });
}

function reasonsOf(views: Views): string[] {
  return [...views.decision.services.values()].map((verdict) => verdict.reason);
}

export function countBy(label: string, values: readonly string[]): Sample[] {
  const groups = Map.groupBy(values, (value) => value);
  return samplesOf(
    label,
    [...groups].map(([value, members]) => [value, members.length]),
  );
}

function samplesOf(label: string, counts: readonly (readonly [string, number])[]): Sample[] {
  return counts.map(([name, value]) => ({ labels: { [label]: name }, value }));
}
