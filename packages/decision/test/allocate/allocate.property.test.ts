// Whatever happens to Services, pools and leaders: no two Services that may be announced hold one address
// without a legal sharing key, a restart moves nothing, and the incremental answer is the full one.

import type { Service } from '@herald/api';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { allocate, emptyAllocationMemory } from '../../src/allocate/allocate.ts';
import type { AddressAllocation } from '../../src/allocate/allocate.ts';
import { poolOwning } from '../../src/allocate/pool-layout.ts';
import { sharingProblem, sharingTerms } from '../../src/allocate/sharing.ts';
import { SimulatedCluster, marks, service } from './simulated-cluster.ts';
import type { PoolSpec, ServiceSpec } from './simulated-cluster.ts';
import type { World } from '../../src/world.ts';

const NAMES = ['a', 'b', 'c', 'd', 'e', 'f'];
const ADDRESSES = ['192.0.2.1', '192.0.2.2', '192.0.2.4', '2001:db8::1', '198.51.100.1'];

interface Wish {
  key: string;
  wish: string;
  pool: string;
}

const wishes: fc.Arbitrary<Wish> = fc.record({
  key: fc.constantFrom('', 'k', 'l'),
  wish: fc.constantFrom('', '', '', ...ADDRESSES),
  pool: fc.constantFrom('', '', '', 'p', 'q', 'ghost'),
});

const stacks = fc.constantFrom<Pick<ServiceSpec, 'families' | 'stack'>>(
  { families: [4], stack: 'SingleStack' },
  { families: [6], stack: 'SingleStack' },
  { families: [4, 6], stack: 'PreferDualStack' },
  { families: [6, 4], stack: 'RequireDualStack' },
);

const basics: fc.Arbitrary<ServiceSpec> = fc.record({
  age: fc.nat(3),
  uid: fc.constantFrom('first', 'again'),
  type: fc.constantFrom('LoadBalancer', 'LoadBalancer', 'LoadBalancer', 'ClusterIP'),
  deleting: fc.constantFrom(false, false, false, true),
  policy: fc.constantFrom('Cluster' as const, 'Local' as const),
  selector: fc.constantFrom('app=x', 'app=y'),
  ports: fc.subarray(['TCP/80', 'TCP/81', 'UDP/80'], { minLength: 1 }),
});

const specs: fc.Arbitrary<ServiceSpec> = fc.tuple(basics, stacks, wishes).map(specOf);

function specOf([basic, stack, { key, wish, pool }]: [ServiceSpec, ServiceSpec, Wish]): ServiceSpec {
  const annotations = {
    'heraldbgp.io/allow-shared-ip': key,
    'heraldbgp.io/load-balancer-ips': wish,
    'heraldbgp.io/address-pool': pool,
  };
  return { ...basic, ...stack, annotations };
}

const poolSpecs: fc.Arbitrary<PoolSpec> = fc.record({
  age: fc.nat(2),
  ranges: fc.subarray(
    ['192.0.2.0-192.0.2.2', '192.0.2.2-192.0.2.4', '192.0.2.255', '2001:db8::1-2001:db8::2', '2001:db8::9'],
    { minLength: 1 },
  ),
  autoAssign: fc.constantFrom(true, true, false),
  avoidBuggyIPs: fc.boolean(),
});

type Step = (cluster: SimulatedCluster) => void;

const quietSteps: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.tuple(fc.constantFrom(...NAMES), specs).map(
      ([name, spec]): Step =>
        (c) =>
          c.edit(name, spec),
    ),
  },
  {
    weight: 2,
    arbitrary: fc.constantFrom(...NAMES).map(
      (name): Step =>
        (c) =>
          c.remove(name),
    ),
  },
  {
    weight: 2,
    arbitrary: fc
      .tuple(fc.constantFrom('p', 'q', 'r'), fc.option(poolSpecs, { nil: undefined, freq: 4 }))
      .map(
        ([name, spec]): Step =>
          (c) =>
            c.pools({ [name]: spec }),
      ),
  },
  { weight: 4, arbitrary: fc.constant<Step>((c) => c.settle()) },
  // One write lands, the others are still on their way.
  {
    weight: 3,
    arbitrary: fc.nat(5).map(
      (n): Step =>
        (c) =>
          c
            .tick()
            .allocations.slice(n, n + 1)
            .forEach((w) => c.write(w)),
    ),
  },
);

const wildSteps: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: quietSteps },
  {
    weight: 1,
    arbitrary: fc.boolean().map(
      (leads): Step =>
        (c) =>
          c.leading(leads),
    ),
  },
  { weight: 1, arbitrary: fc.constant<Step>((c) => c.restart()) },
  {
    weight: 1,
    arbitrary: fc.integer({ min: 1, max: 4 }).map(
      (term): Step =>
        (c) =>
          c.inTerm(term),
    ),
  },
  // A write of an old leader, or of somebody else.
  {
    weight: 1,
    arbitrary: fc.tuple(fc.constantFrom(...NAMES), specs, fc.constantFrom(...ADDRESSES), fc.nat(4)).map(
      ([name, spec, has, term]): Step =>
        (c) =>
          c.edit(name, {
            ...spec,
            has: [has],
            annotations: { ...spec.annotations, ...(term > 0 ? marks(term, has) : {}) },
          }),
    ),
  },
);

/** Pairs of Services that both may be announced with an address that they may not share. */
function illegalPairs(cluster: SimulatedCluster, { refusals }: AddressAllocation): string[] {
  const good = [...cluster.world.services.values()].filter(
    ({ key, type }) => type === 'LoadBalancer' && !refusals.has(key),
  );
  return good.flatMap((a) =>
    good
      .filter(
        (b) => a.key < b.key && a.ingress.some(({ text }) => b.ingress.some((other) => other.text === text)),
      )
      .filter((b) => sharingProblem(sharingTerms(a, 'herald'), sharingTerms(b, 'herald')) !== undefined)
      .map((b) => `${a.key} and ${b.key}`),
  );
}

const claims = (item: Service, text: string) => ({
  other: Number(item.type !== 'LoadBalancer'),
  term: item.annotations['heraldbgp.io/allocated-addresses']?.split(',').includes(text)
    ? Number(item.annotations['heraldbgp.io/allocated-term'])
    : 0,
});

/** Who may not be announced for want of the better claim, from nothing but the objects. */
function losersOf(world: World): string[] {
  const shown = [...world.services.values()].flatMap(({ ingress }) => ingress);
  return [...new Set(shown.flatMap(({ text }) => losersAt(world, text)))].sort();
}

/** Of one address. */
function losersAt(world: World, text: string): string[] {
  const ranked = [...world.services.values()]
    .filter(({ ingress }) => ingress.some((at) => at.text === text))
    .map((item) => ({ item, terms: sharingTerms(item, 'herald'), ...claims(item, text) }))
    .sort(
      (a, b) =>
        a.other - b.other ||
        a.term - b.term ||
        a.item.createdAt - b.item.createdAt ||
        (a.item.uid + a.item.key < b.item.uid + b.item.key ? -1 : 1),
    );
  const kept: typeof ranked = [];
  const lost: string[] = [];
  for (const each of ranked) {
    if (kept.some(({ terms }) => sharingProblem(terms, each.terms) !== undefined)) {
      lost.push(each.item.key);
    } else {
      kept.push(each);
    }
  }
  return lost;
}

function conflictsIn({ refusals }: AddressAllocation): string[] {
  return [...refusals]
    .filter(([, reason]) => reason === 'AddressConflict')
    .map(([key]) => key)
    .sort();
}

/** What would be held if every wanted write landed, whatever else is on its way. */
function doubleGifts(cluster: SimulatedCluster, outcome: AddressAllocation): string[] {
  const before = new Map(
    [...cluster.world.services].map(([key, item]) => [key, new Set(item.ingress.map(({ text }) => text))]),
  );
  const all = new SimulatedCluster();
  all.world = cluster.world;
  outcome.allocations.forEach((wanted) => all.write(wanted));
  const fresh = outcome.allocations.flatMap(({ serviceKey, addresses }) =>
    addresses
      .filter(({ text }) => !before.get(serviceKey)?.has(text))
      .map(({ text }) => ({ serviceKey, text })),
  );
  return fresh.flatMap(({ serviceKey, text }) => {
    const own = all.world.services.get(serviceKey);
    const others = [...all.world.services.values()].filter(
      (other) =>
        other.key !== serviceKey &&
        // What a Service of another type still shows is not served by anybody, and what one has lost to another is
        // that one's to share.
        other.type === 'LoadBalancer' &&
        !losersAt(cluster.world, text).includes(other.key) &&
        (before.get(other.key)?.has(text) || other.ingress.some((a) => a.text === text)),
    );
    return others
      .filter(
        (other) =>
          own && sharingProblem(sharingTerms(own, 'herald'), sharingTerms(other, 'herald')) !== undefined,
      )
      .map((other) => `${text} for ${serviceKey} and ${other.key}`);
  });
}

/** Served by Herald, not on its way out, and without an address that somebody else wrote. */
function isHeraldsToMove({ world, memory }: SimulatedCluster, key: string): boolean {
  const held = world.services.get(key);
  return (
    held?.type === 'LoadBalancer' &&
    !held.deleting &&
    held.ingress.every((at) => poolOwning(memory.state.layout, at) !== undefined)
  );
}

function sorted(entries: Iterable<[string, unknown]>): unknown[] {
  return [...entries].sort(([a], [b]) => (a < b ? -1 : 1));
}

function comparable({ allocations, pools, refusals, unmet }: AddressAllocation): unknown {
  return { allocations, pools: sorted(pools), refusals: sorted(refusals), unmet: sorted(unmet) };
}

const START: Record<string, PoolSpec> = {
  p: { ranges: ['192.0.2.0-192.0.2.2', '2001:db8::1-2001:db8::2'] },
};

describe('for every history', () => {
  test('no two Services that may be announced hold one address without sharing it legally', () => {
    fc.assert(
      fc.property(fc.array(wildSteps, { maxLength: 25 }), (steps) => {
        const cluster = new SimulatedCluster().pools(START);
        for (const step of steps) {
          step(cluster);
          const outcome = cluster.tick();
          expect(illegalPairs(cluster, outcome)).toEqual([]);
          expect(doubleGifts(cluster, outcome)).toEqual([]);
        }
      }),
      { numRuns: 400 },
    );
  });

  test('a write on its way stands when a late one takes its address, which a third shares with it', () => {
    const shared = { ports: ['UDP/80'], annotations: { 'heraldbgp.io/allow-shared-ip': 'k' } };
    const cluster = new SimulatedCluster().pools({ p: { ranges: ['192.0.2.0'] } });
    cluster.edit('a', { ...shared, ports: ['TCP/81'] }).settle();
    const [onItsWay] = cluster.edit('e', shared).tick().allocations;
    cluster.edit('f', { has: ['192.0.2.0'], annotations: marks(1, '192.0.2.0') });
    const outcome = cluster.tick();
    expect(onItsWay?.serviceKey).toBe('default/e');
    expect(conflictsIn(outcome)).toEqual(['default/f']);
    expect(doubleGifts(cluster, outcome)).toEqual([]);
    expect(illegalPairs(cluster, outcome)).toEqual([]);
  });

  test('who loses an address is said by the objects alone: whatever was seen before, leading or not', () => {
    fc.assert(
      fc.property(fc.array(wildSteps, { maxLength: 25 }), (steps) => {
        const cluster = new SimulatedCluster().pools(START);
        for (const step of steps) {
          step(cluster);
          const { world } = cluster;
          const losers = losersOf(world);
          const standby = { ...world, leadership: { leading: false, term: 1 } };
          expect(conflictsIn(cluster.tick())).toEqual(losers);
          expect(conflictsIn(allocate(world, emptyAllocationMemory()))).toEqual(losers);
          expect(conflictsIn(allocate(standby, cluster.memory))).toEqual(losers);
          expect(conflictsIn(allocate(standby, emptyAllocationMemory()))).toEqual(losers);
        }
      }),
      { numRuns: 300 },
    );
  });

  test('allocation comes to rest, and then nobody holds an address illegally, announced or not', () => {
    fc.assert(
      fc.property(fc.array(wildSteps, { maxLength: 25 }), (steps) => {
        const cluster = new SimulatedCluster().pools(START);
        steps.forEach((step) => step(cluster));
        const { refusals } = cluster.leading(true).settle();
        const conflicts = [...refusals].filter(([, reason]) => reason === 'AddressConflict');
        expect(conflicts.filter(([key]) => isHeraldsToMove(cluster, key))).toEqual([]);
      }),
      { numRuns: 300 },
    );
  });

  test('at rest a restart wants no write and says the same', () => {
    fc.assert(
      fc.property(fc.array(quietSteps, { maxLength: 30 }), (steps) => {
        const cluster = new SimulatedCluster().pools(START);
        steps.forEach((step) => step(cluster));
        const incremental = cluster.settle();
        const full = allocate(cluster.world, emptyAllocationMemory());
        expect(full.allocations).toEqual([]);
        expect(comparable(full)).toEqual(comparable(incremental));
      }),
      { numRuns: 400 },
    );
  });

  test('a cluster filled step by step and one filled at once give the same set of addresses', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 12 }), (count) => {
        const names = Array.from({ length: count }, (_, i) => `s${String(i).padStart(2, '0')}`);
        const slow = new SimulatedCluster().pools({ p: { ranges: ['192.0.2.0/29'] } });
        const fast = new SimulatedCluster().pools({ p: { ranges: ['192.0.2.0/29'] } });
        names.forEach((name) => slow.put(service(name)).settle());
        fast.put(...names.map((name) => service(name)));
        expect(fast.shown(fast.settle())).toEqual(slow.shown(slow.settle()));
      }),
      { numRuns: 12 },
    );
  });
});
