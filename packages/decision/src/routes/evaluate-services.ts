// Works out again what changed Services bring: the ones that changed themselves, whose slices or refusal
// changed, that looked at a node that changed, or of which somebody's wait to join is over. -> their parts
// before and after, the new map, and who could serve them and who waits.

import type { PersistentMap } from '@herald/net';
import type { ServiceChange } from '../incremental/index-change.ts';
import type { SliceChanges } from '../incremental/slice-index.ts';
import type { StartingPoint } from '../incremental/starting-point.ts';
import type { EvaluatedNodes, Joins } from './evaluate-nodes.ts';
import { dueServices, waitingNodes, waitingWith } from './join-memory.ts';
import type { JoinMemory, WaitingNode } from './join-memory.ts';
import { sameRoutes, serviceRoutes } from './service-routes.ts';
import type { ServiceRoutes } from './service-routes.ts';
import type { Steps } from '../steps.ts';

export interface ServicesRequest {
  readonly start: StartingPoint;
  readonly slices: SliceChanges;
  readonly nodes: Pick<EvaluatedNodes, 'view' | 'changed'>;
  readonly joins: Joins;
}

export interface EvaluatedServices {
  readonly services: PersistentMap<ServiceRoutes>;
  readonly changes: readonly ServiceChange[];
  readonly joins: Pick<JoinMemory, 'services' | 'waiting' | 'joining'>;
}

export function* evaluateServices(request: ServicesRequest): Steps<EvaluatedServices> {
  const { services: known } = request.start.base;
  const { memory } = request.joins;
  const changes: ServiceChange[] = [];
  const serving: [string, ServiceRoutes['serving']][] = [];
  const waiting = new Map<string, readonly WaitingNode[]>();
  const gone: string[] = [];
  for (const key of servicesToLookAt(request)) {
    const before = known.get(key);
    const found = evaluated(key, request);
    const same = before && found ? sameRoutes(before, found.routes) : before === found;
    const after = same ? before : found?.routes;
    if (!same) {
      changes.push({ key, before, after });
    }
    waiting.set(key, found?.waiting ?? []);
    if (after) {
      serving.push([key, after.serving]);
    } else {
      gone.push(key);
    }
    yield;
  }
  const services = known.with(
    changes.flatMap(({ key, after }) => (after ? [[key, after] as const] : [])),
    gone,
  );
  const joins = {
    services: memory.services.with(serving, gone),
    ...waitingWith(memory, waiting),
  };
  return { services, changes, joins };
}

function servicesToLookAt(request: ServicesRequest): Set<string> {
  const { start, slices, nodes, joins } = request;
  const { read, base } = start;
  const before = base.read;
  const keys = new Set(read.services.changedKeys(before.services));
  const others = [
    ...read.refusals.changedKeys(before.refusals),
    ...read.unmet.changedKeys(before.unmet),
    ...slices.services,
    ...dueServices(joins.memory, joins.clock),
    // A fresh start compares with nothing, and so would not see who is gone.
    ...(start.kind === 'fresh' ? joins.memory.services.keys() : []),
  ];
  others.forEach((key) => keys.add(key));
  for (const node of nodes.changed) {
    base.readers.get(node)?.forEach((key) => keys.add(key));
  }
  return keys;
}

interface EvaluatedService {
  readonly routes: ServiceRoutes;
  readonly waiting: readonly WaitingNode[];
}

function evaluated(key: string, request: ServicesRequest): EvaluatedService | undefined {
  const { start, slices, nodes, joins } = request;
  const { read, base } = start;
  const { clock } = joins;
  const service = read.services.get(key);
  if (!service) {
    return undefined;
  }
  const routes = serviceRoutes({
    service,
    slices: slices.index.get(key) ?? [],
    refusal: read.refusals.get(key),
    unmet: read.unmet.get(key),
    policy: base.policy,
    view: nodes.view,
    served: joins.memory.services.get(key),
    clock,
  });
  return { routes, waiting: waitingNodes(service, routes.serving, clock) };
}
