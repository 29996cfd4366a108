// Fills an API server with the large world, and reads back what Herald made of it. Over a few pooled connections,
// as raw JSON.

import { PATHS } from '../support/api-stage.ts';
import type { ClusterApi } from '../support/cluster-api.ts';
import { SIZE, nodeObject, serviceName, serviceObject, sliceObject } from './scale-world.ts';

interface Condition {
  readonly type: string;
  readonly status: string;
}

interface ServiceItem {
  readonly metadata: { readonly name: string };
  readonly status: {
    readonly loadBalancer?: { readonly ingress?: readonly { readonly ip?: string }[] };
    readonly conditions?: readonly Condition[];
  };
}

interface ServiceList {
  readonly metadata: { readonly continue?: string };
  readonly items: readonly ServiceItem[];
}

const AT_ONCE = 16;
const PAGE = '500';
const ADVERTISED = 'heraldbgp.io/Advertised';

/** Everything but the Services. */
export async function createWorld(api: ClusterApi): Promise<void> {
  say(`creating ${SIZE.nodes} Nodes and ${SIZE.services} EndpointSlices`);
  await api.each(indices(SIZE.nodes), AT_ONCE, (index) => api.create(PATHS.nodes, nodeObject(index)));
  await api.each(indices(SIZE.services), AT_ONCE, (index) => api.create(PATHS.slices, sliceObject(index)));
}

export async function createServices(api: ClusterApi): Promise<void> {
  say(`creating ${SIZE.services} Services`);
  await api.each(indices(SIZE.services), AT_ONCE, (index) =>
    api.create(PATHS.services, serviceObject(index)),
  );
}

/**
 * Writes the condition that Herald has written on some Services on all others: it does ten a second, so a cluster of this
 * size has them a quarter of an hour later.
 */
export async function settleConditions(api: ClusterApi): Promise<void> {
  const services = await listServices(api);
  const conditions = services.find(isSettled)?.status.conditions;
  if (conditions === undefined) {
    throw new Error('no Service has its condition yet');
  }
  const waiting = services.filter((service) => !isSettled(service));
  say(`settling ${waiting.length} conditions`);
  await api.each(waiting, AT_ONCE, ({ metadata }) =>
    api.change(`${PATHS.services}/${metadata.name}/status`, { status: { conditions } }),
  );
}

/** Of each Service, by index. */
export async function serviceAddresses(api: ClusterApi): Promise<readonly string[]> {
  const byName = new Map(
    (await listServices(api)).map(({ metadata, status }) => [
      metadata.name,
      status.loadBalancer?.ingress?.[0]?.ip ?? '',
    ]),
  );
  return indices(SIZE.services).map((index) => byName.get(serviceName(index)) ?? '');
}

async function listServices(api: ClusterApi): Promise<ServiceItem[]> {
  const items: ServiceItem[] = [];
  let next: string | undefined = '';
  while (next !== undefined) {
    const query = { limit: PAGE, ...(next !== '' && { continue: next }) };
    const page: ServiceList = await api.get<ServiceList>(PATHS.services, query);
    items.push(...page.items);
    next = page.metadata.continue === '' ? undefined : page.metadata.continue;
  }
  return items;
}

function isSettled({ status }: ServiceItem): boolean {
  const conditions = status.conditions ?? [];
  return conditions.some(({ type, status: holds }) => type === ADVERTISED && holds === 'True');
}

function indices(count: number): readonly number[] {
  return Array.from({ length: count }, (_, index) => index);
}

function say(line: string): void {
  process.stderr.write(`  ${line}\n`);
}
