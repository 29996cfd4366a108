// The pools that may give a Service an address it did not ask for by name, in the order in which they are
// tried: pools pinned to it by priority (lower first, 0 last) and then name, then pools without a pin by
// name. Pools that lost to an older one and pools with autoAssign off give nothing by themselves.
//
// A pin confines a pool: namespaces (by name or label) and Services have to match, also when a Service asks
// for the pool or one of its addresses.

import { matchesAny, matchesSelector } from '@herald/api';
import type { Namespace, Service, ServiceAllocation } from '@herald/api';
import type { PersistentMap } from '@herald/net';
import { compareText } from '../peers/peer-order.ts';
import type { LaidPool, PoolLayout } from './pool-layout.ts';

export function candidatePools(
  service: Service,
  layout: PoolLayout,
  namespaces: PersistentMap<Namespace>,
): readonly LaidPool[] {
  const open = layout.pools.filter(({ pool, loserTo }) => pool.autoAssign && loserTo === undefined);
  const pinned = open
    .filter((laid) => laid.pool.serviceAllocation && allowsService(laid, service, namespaces))
    .sort((a, b) => comparePriorities(a, b) || compareText(a.name, b.name));
  return [...pinned, ...open.filter(({ pool }) => pool.serviceAllocation === undefined)];
}

function comparePriorities(a: LaidPool, b: LaidPool): number {
  return rankOf(a) - rankOf(b);
}

/** 0 stands for no wish: behind every other priority. */
function rankOf({ pool }: LaidPool): number {
  const priority = pool.serviceAllocation?.priority ?? 0;
  return priority === 0 ? Number.MAX_SAFE_INTEGER : priority;
}

export function allowsService(
  { pool }: LaidPool,
  service: Service,
  namespaces: PersistentMap<Namespace>,
): boolean {
  const pin = pool.serviceAllocation;
  return (
    pin === undefined ||
    (allowsNamespace(pin, service.namespace, namespaces) && matchesAny(pin.serviceSelectors, service.labels))
  );
}

function allowsNamespace(
  pin: ServiceAllocation,
  name: string,
  namespaces: PersistentMap<Namespace>,
): boolean {
  if (pin.namespaces.length === 0 && pin.namespaceSelectors.length === 0) {
    return true;
  }
  const labels = namespaces.get(name)?.labels ?? {};
  return (
    pin.namespaces.includes(name) ||
    pin.namespaceSelectors.some((selector) => matchesSelector(selector, labels))
  );
}
