// Aggregates over lengths, families and members: what goes out is worked out here from the words of DESIGN - one
// aggregate with the next hops that can serve everybody inside, and the specific of who has others.

import fc from 'fast-check';
import { address, covers, hostPrefix } from '@herald/net';
import { describe, expect, test } from 'vitest';
import { decide, emptyMemory } from '../../src/index.ts';
import { decideScene, endpoints, routesTo, sceneWorld, told } from './small-world.ts';
import type { AdvertisementSpec, Scene, ServiceSpec } from './small-world.ts';

const to = (length: number | undefined, lengthV6?: number): AdvertisementSpec => ({
  aggregation: { length, lengthV6, unassigned: 'RouterDiscards' },
});
const WIDE = { wide: { ranges: '203.0.113.0/24 198.51.0.0/20 2001:db8::/48' } };

describe('a length of IPv4', () => {
  test.each([
    [32, ['203.0.113.65/32']],
    [31, ['203.0.113.64/31']],
    [30, ['203.0.113.64/30']],
    [29, ['203.0.113.64/29']],
    [28, ['203.0.113.64/28']],
    [27, ['203.0.113.64/27']],
    [26, ['203.0.113.64/26']],
    [25, ['203.0.113.0/25']],
    [24, ['203.0.113.0/24']],
    [23, ['203.0.112.0/23']],
    [16, ['203.0.0.0/16']],
    [8, ['203.0.0.0/8']],
    [1, ['128.0.0.0/1']],
  ])('%d', (length, expected) => {
    const { decision } = decideScene({
      services: { web: { on: 'a', ips: '203.0.113.65' } },
      ads: { it: to(length) },
      peers: { tor: { address: '2001:db8:ffff::1' } },
    });
    expect(Object.keys(told(decision))).toEqual(expected);
  });
});

describe('a length of IPv6', () => {
  test.each([
    [128, ['2001:db8::1:41/128']],
    [127, ['2001:db8::1:40/127']],
    [126, ['2001:db8::1:40/126']],
    [124, ['2001:db8::1:40/124']],
    [120, ['2001:db8::1:0/120']],
    [112, ['2001:db8::1:0/112']],
    [111, ['2001:db8::/111']],
    [96, ['2001:db8::/96']],
    [64, ['2001:db8::/64']],
    [48, ['2001:db8::/48']],
  ])('%d', (lengthV6, expected) => {
    const { decision } = decideScene({
      services: { web: { on: 'a', ips: '2001:db8::1:41' } },
      ads: { it: to(undefined, lengthV6) },
    });
    expect(Object.keys(told(decision))).toEqual(expected);
  });
});

describe('a length of one family', () => {
  const both: ServiceSpec = { on: 'a', ips: '203.0.113.65 2001:db8::41' };
  test.each([
    ['IPv4 only', to(24), ['2001:db8::41/128', '203.0.113.0/24']],
    ['IPv6 only', to(undefined, 64), ['2001:db8::/64', '203.0.113.65/32']],
    ['both', to(24, 64), ['2001:db8::/64', '203.0.113.0/24']],
    ['none', to(undefined), ['2001:db8::41/128', '203.0.113.65/32']],
  ])('%s', (_name, it, expected) => {
    expect(Object.keys(told(decideScene({ services: { web: both }, ads: { it } }).decision))).toEqual(
      expected,
    );
  });
});

const twoAds = (one: AdvertisementSpec, two: AdvertisementSpec): Scene => ({
  services: { web: { on: 'a b', ips: '203.0.113.65' } },
  ads: { one, two },
});

describe('two lengths', () => {
  const rows: (readonly [string, Scene, readonly string[]])[] = [
    ['that differ: both go out', twoAds(to(24), to(28)), ['203.0.113.0/24', '203.0.113.64/28']],
    ['that are the same: one', twoAds(to(24), to(24)), ['203.0.113.0/24']],
    ['a length and hosts', twoAds(to(24), {}), ['203.0.113.0/24', '203.0.113.65/32']],
    [
      'a length and one without the word',
      twoAds(to(24), { aggregation: { length: 28 } }),
      ['203.0.113.0/24', '203.0.113.65/32'],
    ],
    [
      'a contradiction between different lengths is none',
      twoAds({ ...to(24), med: 1 }, { ...to(28), med: 2 }),
      ['203.0.113.0/24', '203.0.113.64/28'],
    ],
    [
      'a contradiction in one length takes it away whole',
      twoAds({ ...to(24), med: 1 }, { ...to(24), med: 2 }),
      [],
    ],
  ];
  test.each(rows)('%s', (_name, of, expected) => {
    expect(Object.keys(told(decideScene(of).decision))).toEqual(expected);
  });
});

const servicesAt = (...ips: string[]) =>
  Object.fromEntries(ips.map((each, i) => [`s${i}`, { on: 'a', ips: each }]));

describe('addresses at the edge of an aggregate', () => {
  test.each([
    ['inside, first and last', ['203.0.113.64', '203.0.113.127'], ['203.0.113.64/26']],
    ['one before', ['203.0.113.63', '203.0.113.64'], ['203.0.113.0/26', '203.0.113.64/26']],
    ['one after', ['203.0.113.127', '203.0.113.128'], ['203.0.113.128/26', '203.0.113.64/26']],
    [
      'in each',
      ['203.0.113.1', '203.0.113.65', '203.0.113.129', '203.0.113.193'],
      ['203.0.113.0/26', '203.0.113.128/26', '203.0.113.192/26', '203.0.113.64/26'],
    ],
  ])('%s', (_name, ips, expected) => {
    const { decision } = decideScene({ services: servicesAt(...ips), ads: { it: to(26) } });
    expect(Object.keys(told(decision))).toEqual(expected);
  });
});

interface Spec {
  readonly host: number;
  readonly policy: 'Cluster' | 'Local';
  readonly on: readonly string[];
}

const NET = '203.0.113.0/24';

/** Prefix -> nodes, from the rules alone. */
function ruled(specs: readonly Spec[]): Record<string, string> {
  const serving = specs.filter(({ on }) => on.length > 0);
  const locals = serving.filter(({ policy }) => policy === 'Local');
  const union = [...new Set(serving.flatMap(({ on }) => on))].sort();
  const common =
    locals.length === 0 ? union : union.filter((name) => locals.every(({ on }) => on.includes(name)));
  const out: Record<string, string> = common.length > 0 ? { [NET]: common.join(' ') } : {};
  for (const { host, policy, on } of serving) {
    const others = policy === 'Local' && [...on].sort().join() !== common.join();
    if (common.length === 0 || others) {
      out[`203.0.113.${host}/32`] = [...on].sort().join(' ');
    }
  }
  return out;
}

const sceneOf = (specs: readonly Spec[]): Scene => ({
  services: Object.fromEntries(
    specs.map(({ host, policy, on }) => [`s${host}`, { policy, on: on.join(' '), ips: `203.0.113.${host}` }]),
  ),
  ads: { it: to(24) },
});

const spec = (host: number): fc.Arbitrary<Spec> =>
  fc.record({
    host: fc.constant(host),
    policy: fc.constantFrom('Cluster', 'Local'),
    on: fc.subarray(['a', 'b', 'c', 'd']),
  });
const anySpecs = fc
  .tuple(spec(1), spec(2), spec(3), spec(4))
  .chain((all) => fc.subarray(all, { minLength: 1 }));

describe('for all Services inside', () => {
  test('what goes out is what the rules say', () => {
    fc.assert(
      fc.property(anySpecs, (specs) => {
        expect(told(decideScene(sceneOf(specs)).decision)).toEqual(ruled(specs));
      }),
      { numRuns: 200 },
    );
  });

  test('a packet that follows the longest prefix reaches a node that can serve it', () => {
    fc.assert(
      fc.property(anySpecs, (specs) => {
        const routes = told(decideScene(sceneOf(specs)).decision);
        for (const { host, policy, on } of specs.filter((each) => each.on.length > 0)) {
          const nodes = (routes[`203.0.113.${host}/32`] ?? routes[NET] ?? '').split(' ').filter(Boolean);
          expect(nodes.length).toBeGreaterThan(0);
          nodes.forEach((name) => expect(policy === 'Cluster' || on.includes(name)).toBe(true));
        }
      }),
      { numRuns: 200 },
    );
  });

  test('changing one Service after the other ends where a fresh start does', () => {
    fc.assert(
      fc.property(anySpecs, anySpecs, (first, second) => {
        const [from, into] = [sceneWorld(sceneOf(first)), sceneWorld(sceneOf(second))];
        const { memory } = decide(from, emptyMemory());
        const moved = { ...from, services: into.services, endpointSlices: into.endpointSlices };
        expect(told(decide(moved, memory).decision)).toEqual(ruled(second));
      }),
      { numRuns: 100 },
    );
  });
});

describe('members come and go', () => {
  const specs: readonly Spec[] = [
    { host: 1, policy: 'Local', on: ['a', 'b'] },
    { host: 2, policy: 'Local', on: ['b', 'c'] },
  ];
  const world = sceneWorld(sceneOf(specs));
  const start = decide(world, emptyMemory());
  const moved = (key: string, on: string) => {
    const slice = world.endpointSlices.get(key);
    return slice
      ? world.endpointSlices.set(key, { ...slice, endpoints: endpoints(on) })
      : world.endpointSlices;
  };

  test.each([
    ['the common node stays alone', 'default/s1-0', 'b', { [NET]: 'b', '203.0.113.2/32': 'b c' }],
    ['no common node', 'default/s1-0', 'a', { '203.0.113.1/32': 'a', '203.0.113.2/32': 'b c' }],
    ['the same nodes', 'default/s1-0', 'b c', { [NET]: 'b c' }],
    ['one loses all its endpoints', 'default/s2-0', '', { [NET]: 'a b' }],
    ['one has more than the other', 'default/s2-0', 'a b c', { [NET]: 'a b', '203.0.113.2/32': 'a b c' }],
  ])('%s', (_name, key, on, routes) => {
    const { decision, memory } = decide({ ...world, endpointSlices: moved(key, on) }, start.memory);
    expect(told(decision)).toEqual(routes);
    expect(told(decide(world, memory).decision)).toEqual(told(start.decision));
  });

  test('the aggregate goes with the last of them', () => {
    const first = decide({ ...world, services: world.services.delete('default/s1') }, start.memory);
    const none = decide(
      { ...world, services: world.services.with([], ['default/s1', 'default/s2']) },
      first.memory,
    );
    expect(told(first.decision)).toEqual({ [NET]: 'b c' });
    expect(told(none.decision)).toEqual({});
  });
});

test('no prefix that goes out is longer than a host or holds none of the Services', () => {
  const ips = ['203.0.113.7', '198.51.3.9', '198.51.12.1', '2001:db8::7', '2001:db8:0:9::1'];
  const services = Object.fromEntries(ips.map((each, i) => [`s${i}`, { on: 'a', ips: each }]));
  for (const it of [to(20, 56), to(27, 120), to(9, 33)]) {
    const { decision } = decideScene({
      services,
      pools: WIDE,
      ads: { it },
      peers: { tor: { address: '2001:db9::1' } },
    });
    const routes = routesTo(decision, 'tor');
    expect(routes.length).toBeGreaterThan(0);
    for (const { prefix: of } of routes) {
      expect(ips.some((each) => covers(of, hostPrefix(address(each))))).toBe(true);
    }
  }
});
