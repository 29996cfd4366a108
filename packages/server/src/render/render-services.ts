// The Services with their verdicts, sorted by namespace and name. Sorting thousands takes a while, so the order is
// kept with the Services.

import type { Service } from '@herald/api';
import type { PersistentMap } from '@herald/net';
import type { Views } from '../views.ts';
import { pageOf, type Page, type PageQuery } from './page.ts';

export interface ServiceQuery extends PageQuery {
  readonly namespace: string | undefined;
  readonly announced: boolean | undefined;
}

export interface ServiceView {
  readonly namespace: string;
  readonly name: string;
  readonly addresses: readonly string[];
  readonly announced: boolean;
  readonly reason: string;
  readonly prefixes: readonly string[];
  readonly nextHops: number;
  readonly remarks: readonly string[];
  /** Why it lacks addresses that it asks for. */
  readonly unmet: string | null;
}

const sortedServices = new WeakMap<PersistentMap<Service>, readonly Service[]>();

export function renderServices(views: Views, query: ServiceQuery): Page<ServiceView> {
  const services = sorted(views.world.services).filter((service) => isWanted(views, service, query));
  return pageOf(services, query, (service) => renderService(views, service));
}

export function renderService(views: Views, service: Service): ServiceView {
  const verdict = views.decision.services.get(service.key);
  return {
    namespace: service.namespace,
    name: service.name,
    addresses: service.ingress.map((address) => address.text),
    announced: verdict?.announced ?? false,
    reason: verdict?.reason ?? 'Undecided',
    prefixes: verdict?.prefixes ?? [],
    nextHops: verdict?.nextHops ?? 0,
    remarks: verdict?.remarks ?? [],
    unmet: views.decision.unmet.get(service.key) ?? null,
  };
}

function sorted(services: PersistentMap<Service>): readonly Service[] {
  const known = sortedServices.get(services);
  if (known !== undefined) {
    return known;
  }
  const all = [...services.values()].sort((a, b) => (a.key < b.key ? -1 : 1));
  sortedServices.set(services, all);
  return all;
}

function isWanted(views: Views, service: Service, query: ServiceQuery): boolean {
  const announced = views.decision.services.get(service.key)?.announced ?? false;
  return (
    (query.namespace === undefined || service.namespace === query.namespace) &&
    (query.announced === undefined || announced === query.announced)
  );
}
