// The metrics of one replica in a registry of their own. What the views hold is read when it is scraped;
// only durations have to be observed as they happen. Names carry their unit and the prefix `herald_`;
// labels hold names of peers, pools, tables and reasons, never of Services, so that there are few series.

import { Gauge, Histogram, Registry, collectDefaultMetrics } from 'prom-client';
import type { Context } from '../endpoint/context.ts';
import { addAllocationMetrics } from './allocation-metrics.ts';
import { addExchangeMetrics } from './exchange-metrics.ts';
import { addFeedMetrics } from './feed-metrics.ts';
import { addKubernetesMetrics } from './kubernetes-metrics.ts';
import { addPeerMetrics } from './peer-metrics.ts';
import { addStateMetrics } from './state-metrics.ts';

/** Reports that nothing but the moment of their happening can give. */
export interface Observer {
  /** A tick has ended. */
  tick(durationSeconds: number): void;
  /** From the change at the source to the last UPDATE that it caused. */
  eventToUpdate(durationSeconds: number): void;
}

export interface Metrics extends Observer {
  readonly contentType: string;
  render(): Promise<string>;
}

/** A tick at full size is bounded by 1.5 s; one change should take about a millisecond. */
const TICK_BUCKETS = [0.0005, 0.001, 0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5];
/** The promise is 60 ms in the middle and 100 ms at the 99th percentile. */
const EVENT_BUCKETS = [0.005, 0.01, 0.02, 0.03, 0.04, 0.05, 0.06, 0.08, 0.1, 0.15, 0.25, 0.5, 1, 2.5, 10];

export function createMetrics(context: Context): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry, prefix: 'herald_' });
  addBuildInfo(registry, context.version);
  addStateMetrics(registry, context);
  addAllocationMetrics(registry, context);
  addExchangeMetrics(registry, context);
  addKubernetesMetrics(registry, context);
  addPeerMetrics(registry, context);
  addFeedMetrics(registry, context);
  const ticks = histogram(registry, 'herald_tick_duration_seconds', 'Duration of a tick', TICK_BUCKETS);
  const events = histogram(
    registry,
    'herald_event_to_update_seconds',
    'From a change at the source to the last BGP UPDATE that it caused',
    EVENT_BUCKETS,
  );
  return {
    contentType: registry.contentType,
    render: () => registry.metrics(),
    tick: (durationSeconds) => ticks.observe(durationSeconds),
    eventToUpdate: (durationSeconds) => events.observe(durationSeconds),
  };
}

function addBuildInfo(registry: Registry, version: string): void {
  new Gauge({
    name: 'herald_build_info',
    help: 'Always 1; the labels say which build this is',
    labelNames: ['version', 'node_version'],
    registers: [registry],
  }).set({ version, node_version: process.version }, 1);
}

function histogram(registry: Registry, name: string, help: string, buckets: number[]): Histogram {
  return new Histogram({ name, help, buckets, registers: [registry] });
}
