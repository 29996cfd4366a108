// A cluster reduced to what allocation sees, and an API server that applies its writes. Services are written
// as short specs so that tests read as tables.

import type { Namespace, Pool, Service, ServiceAllocation, ServicePort } from '@herald/api';
import { PersistentMap, address, range } from '@herald/net';
import type { Family } from '@herald/net';
import { allocate, emptyAllocationMemory } from '../../src/allocate/allocate.ts';
import type { AddressAllocation } from '../../src/allocate/allocate.ts';
import type { Allocation } from '../../src/allocate/allocation.ts';
import { ALONE, type World } from '../../src/world.ts';

export interface ServiceSpec {
  age?: number;
  uid?: string;
  type?: string;
  class?: string;
  policy?: 'Cluster' | 'Local';
  selector?: string;
  families?: Family[];
  stack?: Service['ipFamilyPolicy'];
  ports?: string[];
  annotations?: Record<string, string>;
  labels?: Record<string, string>;
  loadBalancerIP?: string;
  has?: string[];
  /** Somebody wrote a host name. */
  host?: boolean;
  deleting?: boolean;
}

export interface PoolSpec {
  ranges: string[];
  age?: number;
  autoAssign?: boolean;
  avoidBuggyIPs?: boolean;
  pin?: Partial<ServiceAllocation>;
}

const DEFAULTS = {
  age: 0,
  type: 'LoadBalancer',
  policy: 'Cluster',
  families: [4],
  stack: 'SingleStack',
  ports: ['TCP/80'],
  annotations: {},
  labels: {},
  has: [],
  host: false,
  deleting: false,
} satisfies ServiceSpec;

/** `key` without a namespace means the namespace default. */
export function service(key: string, spec: ServiceSpec = {}): Service {
  const [space = '', name = ''] = key.includes('/') ? key.split('/') : ['default', key];
  const full = { ...DEFAULTS, uid: `uid-${space}-${name}`, selector: `app=${name}`, ...spec };
  return {
    kind: 'Service',
    key: `${space}/${name}`,
    namespace: space,
    name,
    uid: full.uid,
    createdAt: full.age,
    labels: full.labels,
    annotations: full.annotations,
    deleting: full.deleting,
    type: full.type,
    loadBalancerClass: spec.class,
    externalTrafficPolicy: full.policy,
    healthCheckNodePort: undefined,
    ipFamilies: full.families,
    ipFamilyPolicy: full.stack,
    ports: full.ports.map(portOf),
    selector: full.selector,
    publishNotReadyAddresses: false,
    loadBalancerIP: spec.loadBalancerIP,
    ingress: full.has.map(address),
    ingressNamesHost: full.host,
  };
}

function portOf(text: string): ServicePort {
  const [protocol = '', port = '0'] = text.split('/');
  return { protocol, port: Number(port) };
}

export function pool(name: string, spec: PoolSpec): Pool {
  return {
    kind: 'IPAddressPool',
    name,
    uid: `uid-${name}`,
    createdAt: spec.age ?? 0,
    labels: {},
    ranges: spec.ranges.map(range),
    autoAssign: spec.autoAssign ?? true,
    avoidBuggyIPs: spec.avoidBuggyIPs ?? false,
    serviceAllocation: spec.pin && {
      priority: 0,
      namespaces: [],
      namespaceSelectors: [],
      serviceSelectors: [],
      ...spec.pin,
    },
  };
}

export function namespace(name: string, labels: Record<string, string>): Namespace {
  return { kind: 'Namespace', name, uid: `uid-${name}`, createdAt: 0, labels };
}

export const label = (key: string, value: string) => ({
  matchLabels: { [key]: value },
  matchExpressions: [],
});

const SETTINGS: World['settings'] = {
  asn: 64512,
  routerId: address('10.0.0.1'),
  loadBalancerClass: undefined,
  ipam: true,
  compatibilityAnnotations: false,
  standbyMode: 'Hot',
  excludeLabelHonoured: true,
  cordonedNodesLeave: false,
  joinDelayMs: 0,
  deadNodesPercent: 50,
  silentNodeMs: 10_000,
  doubtMs: 13_000,
};

export function emptyWorld(settings: Partial<World['settings']> = {}): World {
  return {
    now: 0,
    nodes: PersistentMap.empty(),
    services: PersistentMap.empty(),
    endpointSlices: PersistentMap.empty(),
    namespaces: PersistentMap.empty(),
    secrets: PersistentMap.empty(),
    peers: PersistentMap.empty(),
    pools: PersistentMap.empty(),
    advertisements: PersistentMap.empty(),
    settings: { ...SETTINGS, ...settings },
    replica: { name: 'herald-0', labels: {}, ordinal: 0 },
    leadership: { leading: true, term: 1 },
    sessions: PersistentMap.empty(),
    programmed: PersistentMap.empty(),
    retained: new Map(),
    freshness: ALONE,
    replicas: { leader: '', others: new Map() },
  };
}

const ADDRESSES = 'heraldbgp.io/allocated-addresses';
const TERM = 'heraldbgp.io/allocated-term';
const MARKS: ReadonlySet<string> = new Set([ADDRESSES, TERM]);

/** The annotations that stand beside addresses of this term. */
export function marks(term: number, ...addresses: string[]): Record<string, string> {
  return { [ADDRESSES]: addresses.join(','), [TERM]: String(term) };
}

function written(current: Service, { addresses, term }: Allocation): Service {
  const others = Object.entries(current.annotations).filter(([name]) => !MARKS.has(name));
  const own = addresses.length > 0 ? marks(term, ...addresses.map(({ text }) => text)) : {};
  return { ...current, annotations: { ...Object.fromEntries(others), ...own }, ingress: addresses };
}

export class SimulatedCluster {
  world: World;
  memory = emptyAllocationMemory();

  constructor(settings: Partial<World['settings']> = {}) {
    this.world = emptyWorld(settings);
  }

  pools(specs: Record<string, PoolSpec | undefined>): this {
    const entries = Object.entries(specs).flatMap(([name, spec]) =>
      spec ? [[name, pool(name, spec)] as const] : [],
    );
    const removed = Object.keys(specs).filter((name) => specs[name] === undefined);
    this.world = { ...this.world, pools: this.world.pools.with(entries, removed) };
    return this;
  }

  namespaces(labels: Record<string, Record<string, string>>): this {
    const entries = Object.entries(labels).map(([name, of]) => [name, namespace(name, of)] as const);
    this.world = { ...this.world, namespaces: this.world.namespaces.with(entries) };
    return this;
  }

  put(...services: Service[]): this {
    const entries = services.map((item) => [item.key, item] as const);
    this.world = { ...this.world, services: this.world.services.with(entries) };
    return this;
  }

  /** Changes the spec and keeps what is written in the Service, as an editor does. */
  edit(key: string, spec: ServiceSpec): this {
    const next = service(key, spec);
    const current = this.world.services.get(next.key);
    const beside = Object.entries(current?.annotations ?? {}).filter(([name]) => MARKS.has(name));
    return this.put({
      ...next,
      annotations: { ...Object.fromEntries(beside), ...next.annotations },
      ingress: spec.has ? next.ingress : (current?.ingress ?? []),
    });
  }

  remove(...names: string[]): this {
    const keys = names.map((name) => service(name).key);
    this.world = { ...this.world, services: this.world.services.with([], keys) };
    return this;
  }

  leading(leading: boolean): this {
    this.world = { ...this.world, leadership: { ...this.world.leadership, leading } };
    return this;
  }

  restart(): this {
    this.memory = emptyAllocationMemory();
    return this;
  }

  tick(): AddressAllocation {
    const outcome = allocate(this.world, this.memory);
    this.memory = outcome.memory;
    return outcome;
  }

  /** The API server does what a write asks for, if the Service is still the one that was meant. */
  write(wanted: Allocation): this {
    const current = this.world.services.get(wanted.serviceKey);
    return current?.uid === wanted.uid ? this.put(written(current, wanted)) : this;
  }

  inTerm(term: number): this {
    this.world = { ...this.world, leadership: { leading: true, term } };
    return this;
  }

  /** Ticks and writes until nothing is wanted. */
  settle(): AddressAllocation {
    for (let round = 0; round < 20; round++) {
      const outcome = this.tick();
      if (outcome.allocations.length === 0) {
        return outcome;
      }
      outcome.allocations.forEach((wanted) => this.write(wanted));
    }
    throw new Error('allocation does not come to rest');
  }

  /** What the API shows, or why there is nothing, by the Service's name. */
  shown(outcome: AddressAllocation): Record<string, string> {
    return Object.fromEntries(
      [...this.world.services].map(([key, { name, namespace: space, ingress }]) => {
        const texts = ingress.map(({ text }) => text).join(',');
        const why = outcome.refusals.get(key) ?? outcome.unmet.get(key);
        return [space === 'default' ? name : key, [texts, why].filter(Boolean).join(' ')];
      }),
    );
  }
}
