// Metrics whose values are taken from the views at the moment of the scrape. A series that the views no
// longer have (a deleted peer) is gone with the next scrape.

import { Counter, Gauge, type Registry } from 'prom-client';

export interface Sample {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

export interface ScrapedMetric {
  readonly name: string;
  readonly help: string;
  readonly labelNames: readonly string[];
  readonly samples: () => Iterable<Sample>;
}

export function addGauge(registry: Registry, metric: ScrapedMetric): void {
  const gauge = new Gauge({
    name: metric.name,
    help: metric.help,
    labelNames: [...metric.labelNames],
    registers: [],
    collect() {
      this.reset();
      // Without labels, a reset leaves a zero behind, which would say something.
      this.remove({});
      for (const { labels, value } of metric.samples()) {
        this.set(labels, value);
      }
    },
  });
  registry.registerMetric(gauge);
}

/** For totals that are counted elsewhere. */
export function addCounter(registry: Registry, metric: ScrapedMetric): void {
  const counter = new Counter({
    name: metric.name,
    help: metric.help,
    labelNames: [...metric.labelNames],
    registers: [],
    collect() {
      this.reset();
      for (const { labels, value } of metric.samples()) {
        this.inc(labels, value);
      }
    },
  });
  registry.registerMetric(counter);
}

export function single(value: number | undefined): Sample[] {
  return value === undefined ? [] : [{ labels: {}, value }];
}
