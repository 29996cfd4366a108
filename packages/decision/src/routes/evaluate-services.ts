// Works out again what changed Services bring: the ones that changed themselves, whose slices or refusal
// changed, or that looked at a node that changed. -> their parts before and after, and the new map.

import type { PersistentMap } from '@herald/net';
import type { ServiceChange } from '../incremental/index-change.ts';
import type { ReaderIndex } from '../incremental/reader-index.ts';
import type { SliceChanges } from '../incremental/slice-index.ts';
import type { NodeView } from './node-view.ts';
import type { Policy } from './policy.ts';
import type { ReadInputs } from './route-memory.ts';
import { sameRoutes, serviceRoutes } from './service-routes.ts';
import type { ServiceRoutes } from './service-routes.ts';
import type { Steps } from '../steps.ts';

export interface ServiceRequest {
  readonly read: ReadInputs;
  readonly before: ReadInputs;
  readonly services: PersistentMap<ServiceRoutes>;
  readonly slices: SliceChanges;
  readonly view: NodeView;
  readonly changedNodes: readonly string[];
  readonly readers: ReaderIndex;
  readonly policy: Policy;
}

export interface EvaluatedServices {
  readonly services: PersistentMap<ServiceRoutes>;
  readonly changes: readonly ServiceChange[];
}

export function* evaluateServices(request: ServiceRequest): Steps<EvaluatedServices> {
  const changes: ServiceChange[] = [];
  for (const key of servicesToLookAt(request)) {
    const before = request.services.get(key);
    const after = evaluated(key, request);
    if (!before || !after ? before !== after : !sameRoutes(before, after)) {
      changes.push({ key, before, after });
    }
    yield;
  }
  const services = request.services.with(
    changes.flatMap(({ key, after }) => (after ? [[key, after] as const] : [])),
    changes.filter(({ after }) => after === undefined).map(({ key }) => key),
  );
  return { services, changes };
}

function servicesToLookAt({ read, before, slices, changedNodes, readers }: ServiceRequest): Set<string> {
  const keys = new Set(read.services.changedKeys(before.services));
  const others = [
    ...read.refusals.changedKeys(before.refusals),
    ...read.unmet.changedKeys(before.unmet),
    ...slices.services,
  ];
  others.forEach((key) => keys.add(key));
  for (const node of changedNodes) {
    readers.get(node)?.forEach((key) => keys.add(key));
  }
  return keys;
}

function evaluated(key: string, { read, slices, view, policy }: ServiceRequest): ServiceRoutes | undefined {
  const service = read.services.get(key);
  return (
    service &&
    serviceRoutes({
      service,
      slices: slices.index.get(key) ?? [],
      refusal: read.refusals.get(key),
      unmet: read.unmet.get(key),
      policy,
      view,
    })
  );
}
