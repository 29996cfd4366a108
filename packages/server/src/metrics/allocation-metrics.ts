// Metrics of addresses: how full each pool is, and which Services do not have what they ask for. Only the leader
// gives addresses, so only its count of Services says anything.

import type { FamilyCount } from '@herald/decision';
import type { Registry } from 'prom-client';
import type { Context } from '../endpoint/context.ts';
import { familyName } from '../render/plain.ts';
import type { Views } from '../views.ts';
import { addGauge, type Sample } from './scraped.ts';
import { countBy } from './state-metrics.ts';

const FAMILIES = [4, 6] as const;

export function addAllocationMetrics(registry: Registry, { views }: Context): void {
  addGauge(registry, {
    name: 'herald_pool_assigned_addresses',
    help: 'Addresses of a pool in use',
    labelNames: ['pool', 'family'],
    samples: () => poolSamples(views.current(), 'assigned'),
  });
  addGauge(registry, {
    name: 'herald_pool_available_addresses',
    help: 'Addresses of a pool that are free',
    labelNames: ['pool', 'family'],
    samples: () => poolSamples(views.current(), 'available'),
  });
  addGauge(registry, {
    name: 'herald_unmet_services',
    help: 'Services that do not have the addresses that they ask for',
    labelNames: ['reason'],
    samples: () => countBy('reason', [...views.current().decision.unmet.values()]),
  });
}

function poolSamples({ decision }: Views, field: keyof FamilyCount): Sample[] {
  return [...decision.pools].flatMap(([pool, { counts }]) =>
    FAMILIES.map((family) => ({
      labels: { pool, family: familyName(family) },
      value: counts[family][field],
    })),
  );
}
