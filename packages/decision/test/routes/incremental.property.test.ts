// Whatever happened before, a decision from memory is the same as one from scratch with the same ranks, and
// what is equal to before is the same object. Random Worlds change in random ways, a few things at a time.

import * as fc from 'fast-check';
import { community } from '@herald/net';
import type { Path, PersistentMap, RouteTable } from '@herald/net';
import { describe, expect, test } from 'vitest';
import { decide, emptyMemory } from '../../src/index.ts';
import type { Decision, Memory, World } from '../../src/index.ts';
import { advertisement, endpoints, node, peer, sceneWorld, service } from './small-world.ts';
import type { AdvertisementSpec, NodeSpec, PeerSpec, PoolSpec, ServiceSpec } from './small-world.ts';

type Change = (world: World) => World;

const NODES = ['a', 'b', 'c', 'd', 'e', 'f'];
const SERVICES = ['s1', 's2', 's3', 's4', 's5'];
const PORT = 30_000;
const rack = (name: string) => [{ matchLabels: { rack: name }, matchExpressions: [] }];

const anyNode: fc.Arbitrary<NodeSpec> = fc.record(
  {
    ready: fc.constantFrom('True', 'True', 'True', 'False', 'Unknown'),
    unschedulable: fc.boolean(),
    labels: fc.constantFrom(
      {},
      { rack: '1' },
      { rack: '2' },
      { 'node.kubernetes.io/exclude-from-external-load-balancers': '' },
    ),
    zone: fc.constantFrom('', 'x', 'y'),
    annotations: fc.constantFrom({}, { fabric: '10.9.0.1' }, { fabric: '10.9.0.2 203.0.113.3' }),
    pods: fc.constantFrom('', '203.0.113.4/30', '172.16.0.0/24'),
    external: fc.constantFrom('', '203.0.113.2', '198.18.0.1'),
  },
  { requiredKeys: [] },
);

const anyEndpoints = fc
  .array(
    fc.tuple(fc.constantFrom(...NODES, '-', 'z'), fc.constantFrom('', '', '', ':off', ':out', ':stuck')),
    { maxLength: 6 },
  )
  .map((words) => words.map(([name, condition]) => `${name}${condition}`).join(' '));

const anyService: fc.Arbitrary<ServiceSpec> = fc.record({
  policy: fc.constantFrom('Cluster', 'Cluster', 'Local'),
  ips: fc.constantFrom(
    '203.0.113.1',
    '203.0.113.2',
    '203.0.113.3',
    '203.0.113.4 2001:db8::1',
    '203.0.113.40',
    '2001:db8::2',
    '',
  ),
  labels: fc.constantFrom({}, { app: 'gold' }),
  createdAt: fc.integer({ min: 0, max: 5 }),
  type: fc.constantFrom('LoadBalancer', 'LoadBalancer', 'LoadBalancer', 'ClusterIP'),
  annotations: fc.constant({ 'heraldbgp.io/allow-shared-ip': 'x' }),
  ports: fc.integer({ min: 1, max: 9 }).map((port) => [{ protocol: 'TCP', port }]),
  healthCheckNodePort: fc.constantFrom(undefined, PORT, PORT),
});

const anyAdvertisement: fc.Arbitrary<AdvertisementSpec> = fc.record(
  {
    aggregation: fc.constantFrom(
      {},
      { length: 24, unassigned: 'RouterDiscards' },
      { length: 30, lengthV6: 124, unassigned: 'RouterDiscards' },
      { length: 24 },
    ),
    peers: fc.constantFrom([], [], ['tor'], ['plain']),
    nodeSelectors: fc.constantFrom([], [], rack('1')),
    serviceSelectors: fc.constantFrom([], [], [{ matchLabels: { app: 'gold' }, matchExpressions: [] }]),
    pools: fc.constantFrom([], [], ['narrow']),
    med: fc.constantFrom(undefined, undefined, 1, 2),
    communities: fc.constantFrom([], [community('1:1')], [community('1:2')]),
    nextHops: fc.record(
      {
        from: fc.constantFrom('EndpointNodes', 'EndpointNodes', 'AllNodes'),
        max: fc.constantFrom(undefined, undefined, 2),
        weight: fc.constantFrom('Equal', 'Endpoints'),
      },
      { requiredKeys: [] },
    ),
  },
  { requiredKeys: [] },
);

const anyPeer: fc.Arbitrary<PeerSpec> = fc.record(
  {
    maxRoutes: fc.constantFrom(undefined, undefined, 3, 6),
    maxNextHopSets: fc.constantFrom(undefined, undefined, 1, 2),
    rank: fc.constantFrom(
      { mode: 'MED', base: undefined },
      { mode: 'LocalPref', base: 200 },
      { mode: 'None', base: undefined },
    ),
    families: fc.constantFrom([4, 6], [4], [6]),
    addPaths: fc.constantFrom(
      { mode: 'Auto', maxPaths: 16 },
      { mode: 'Auto', maxPaths: 2 },
      { mode: 'Disabled', maxPaths: 16 },
    ),
    nextHop: fc.constantFrom(
      { type: 'InternalIP', annotation: undefined, cidrs: [] },
      { type: 'Annotation', annotation: 'fabric', cidrs: [] },
    ),
  },
  { requiredKeys: [] },
);

const POOLS: Record<string, PoolSpec> = {
  wide: { ranges: '203.0.113.0/24 2001:db8::/64', createdAt: 1 },
  narrow: { ranges: '203.0.113.0/30' },
};

const position = (name: string) => ['tor', 'plain', 'third'].indexOf(name);

function put<V>(name: string, value: V | undefined): (map: PersistentMap<V>) => PersistentMap<V> {
  return (map) => (value === undefined ? map.delete(name) : map.set(name, value));
}

const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined, freq: 5 });

const changes: fc.Arbitrary<Change> = fc.oneof(
  fc.tuple(fc.constantFrom(...NODES), maybe(anyNode)).map(([name, spec]): Change => (world) => ({
    ...world,
    nodes: put(name, spec && node(name, spec))(world.nodes),
  })),
  fc.tuple(fc.constantFrom(...SERVICES), maybe(anyService)).map(([name, spec]): Change => (world) => ({
    ...world,
    services: put(`default/${name}`, spec && service(name, spec))(world.services),
  })),
  fc
    .tuple(fc.constantFrom(...SERVICES), fc.constantFrom(...SERVICES), anyEndpoints, fc.constantFrom(4, 6))
    .map(([name, owner, text, family]): Change => (world) => {
      const key = `default/${name}-${family === 4 ? 0 : 1}`;
      const slice = world.endpointSlices.get(key)!;
      const next = { ...slice, serviceKey: `default/${owner}`, endpoints: endpoints(text, family) };
      return { ...world, endpointSlices: world.endpointSlices.set(key, next) };
    }),
  fc
    .tuple(fc.constantFrom('one', 'two', 'three'), maybe(anyAdvertisement))
    .map(([name, spec]): Change => (world) => ({
      ...world,
      advertisements: put(name, spec && advertisement(name, spec))(world.advertisements),
    })),
  fc
    .tuple(fc.constantFrom('tor', 'plain', 'third'), maybe(anyPeer))
    .map(([name, spec]): Change => (world) => ({
      ...world,
      peers: put(name, spec && peer(name, spec, position(name)))(world.peers),
    })),
  fc.constantFrom('wide', 'narrow').map((name): Change => (world) => ({
    ...world,
    pools: world.pools.has(name)
      ? world.pools.delete(name)
      : world.pools.set(name, sceneWorld({ pools: POOLS }).pools.get(name)!),
  })),
  fc.tuple(fc.boolean(), fc.integer({ min: 1, max: 9 })).map(([leading, term]): Change => (world) => ({
    ...world,
    leadership: { leading, term },
  })),
  fc.constantFrom(200, 500, 1000, 10_000, -700).map((later): Change => (world) => ({
    ...world,
    now: world.now + later,
  })),
  fc
    .tuple(fc.constantFrom(...NODES), fc.constantFrom(4, 6), fc.constantFrom(true, false, undefined))
    .map(([name, family, answer]): Change => (world) => ({
      ...world,
      programmed: put(`${name}|${family}|${PORT}`, answer)(world.programmed),
    })),
  fc.constantFrom(0, 400, 1000, 1000).map((joinDelayMs): Change => (world) => ({
    ...world,
    settings: { ...world.settings, joinDelayMs },
  })),
  fc.constantFrom('Hot', 'Hot', 'Warm').map((standbyMode): Change => (world) => ({
    ...world,
    settings: { ...world.settings, standbyMode },
  })),
);

const start = sceneWorld({
  settings: { joinDelayMs: 1000 },
  nodes: {
    a: { zone: 'x', labels: { rack: '1' } },
    b: { zone: 'x' },
    c: { zone: 'y' },
    d: { zone: 'y' },
    e: {},
    f: {},
  },
  pools: POOLS,
  ads: { one: {}, two: { communities: [community('65000:1')] } },
  peers: { tor: {}, plain: { addPaths: { mode: 'Disabled', maxPaths: 16 } } },
  services: {
    s1: { on: 'a b', ips: '203.0.113.1' },
    s2: { on: 'b c', ips: '203.0.113.2', policy: 'Local' },
    s3: { on: 'd', ips: '203.0.113.3' },
    s4: { on: 'a b c d', ips: '203.0.113.40 2001:db8::1' },
    s5: { on: 'e f', ips: '2001:db8::2' },
  },
});

/** The part of a memory that is an input: everything but what only saves work. */
function withoutCache(memory: Memory): Memory {
  return { ...memory, routes: undefined };
}

function rowsOf(table: RouteTable): string[] {
  return [...table.values()]
    .map(({ prefix, paths }) => `${prefix.text}: ${paths.map(textOf).join('; ')}`)
    .sort();
}

function textOf({ pathId, nextHop, attributes }: Path): string {
  return `${pathId} ${nextHop.text} ${attributes.key}`;
}

function byKey<V>(entries: Iterable<readonly [string, V]>): (readonly [string, V])[] {
  return [...entries].sort(([a], [b]) => (a < b ? -1 : 1));
}

function plain(decision: Decision) {
  return {
    shared: rowsOf(decision.tables.shared),
    views: byKey(Array.from(decision.tables.views, ([name, table]) => [name, rowsOf(table)] as const)),
    services: byKey(decision.services),
    advertisements: byKey(decision.advertisements),
    peerRoutes: byKey(decision.peerRoutes),
    joining: decision.joining,
    wakeAtMs: decision.wakeAtMs,
  };
}

/** What the next decision knows about who has joined. */
function joined({ joins }: Memory) {
  const served = Array.from(joins?.services ?? [], ([key, serving]) => {
    const nodes = ([4, 6] as const).map((family) =>
      serving[family].nodes.map(({ state, join }) => [state.name, join.sinceMs, join.settled]),
    );
    return [key, nodes] as const;
  });
  return {
    services: byKey(served),
    nodes: byKey(joins?.nodes ?? []),
    arriving: byKey(joins?.arriving ?? []),
    waiting: joins?.waiting,
  };
}

/** Nobody waits beyond the moment at which the next decision was asked for. */
function nobodyIsForgotten({ now }: World, { wakeAtMs }: Decision, { joins }: Memory): void {
  expect(wakeAtMs ?? Infinity).toBeGreaterThan(now);
  for (const { untilMs } of joins?.waiting ?? []) {
    expect(untilMs ?? Infinity).toBeGreaterThanOrEqual(wakeAtMs ?? Infinity);
  }
}

/** Entries that say the same as before but are other objects. */
function replacedInVain(before: RouteTable, after: RouteTable): string[] {
  return after
    .changedKeys(before)
    .filter((key) => before.get(key)?.paths.map(textOf).join() === after.get(key)?.paths.map(textOf).join());
}

function everyPathIsShared({ tables }: Decision): void {
  const paths = new Map<string, Path>();
  for (const table of [tables.shared, ...tables.views.values()]) {
    for (const path of [...table.values()].flatMap((routes) => routes.paths)) {
      expect(paths.get(textOf(path)) ?? path).toBe(path);
      paths.set(textOf(path), path);
    }
  }
}

describe('a decision from memory', () => {
  test('is the decision from scratch', { timeout: 120_000 }, () => {
    fc.assert(
      fc.property(
        fc.array(fc.array(changes, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 10 }),
        (steps) => {
          let world = start;
          let { decision, memory } = decide(world, emptyMemory());
          for (const step of steps) {
            world = step.reduce((of, change) => change(of), world);
            const next = decide(world, memory);
            const scratch = decide(world, withoutCache(memory));
            expect(plain(next.decision)).toEqual(plain(scratch.decision));
            expect(joined(next.memory)).toEqual(joined(scratch.memory));
            nobodyIsForgotten(world, next.decision, next.memory);
            expect(replacedInVain(decision.tables.shared, next.decision.tables.shared)).toEqual([]);
            everyPathIsShared(next.decision);
            ({ decision, memory } = next);
          }
        },
      ),
      { numRuns: 300 },
    );
  });

  test('taken twice is the same, and nothing that happened on one branch shows on another', () => {
    fc.assert(
      fc.property(changes, changes, (one, two) => {
        const { memory } = decide(start, emptyMemory());
        const first = plain(decide(one(start), memory).decision);
        decide(two(start), memory);
        expect(plain(decide(one(start), memory).decision)).toEqual(first);
      }),
      { numRuns: 100 },
    );
  });

  test('of the same World is the same objects', () => {
    const { decision, memory } = decide(start, emptyMemory());
    const again = decide({ ...start, now: 5 }, memory).decision;
    expect(again.tables).toBe(decision.tables);
    expect(again.services).toBe(decision.services);
  });
});
