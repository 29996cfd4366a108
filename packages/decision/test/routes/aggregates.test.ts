// Aggregates without black holes, and prefixes that must never be announced because they cover what carries
// the traffic.

import { address, community } from '@herald/net';
import { describe, expect, test } from 'vitest';
import { decide, emptyMemory } from '../../src/index.ts';
import type { World } from '../../src/index.ts';
import { decideScene, node, pathsTo, peer, reasons, sceneWorld, told } from './small-world.ts';
import type { AdvertisementSpec, Scene, ServiceSpec } from './small-world.ts';

const NET = '203.0.113.0/24';
const ONE = '203.0.113.1/32';
const TWO = '203.0.113.2/32';
const to24: AdvertisementSpec = { aggregation: { length: 24, unassigned: 'RouterDiscards' } };

const inside = (one: ServiceSpec, two?: ServiceSpec): Scene => ({
  ads: { it: to24 },
  services: { one: { ips: '203.0.113.1', ...one }, ...(two ? { two: { ips: '203.0.113.2', ...two } } : {}) },
});
const local = (on: string): ServiceSpec => ({ policy: 'Local', on });

describe('an aggregate', () => {
  const rows: (readonly [string, Scene, Record<string, string>])[] = [
    ['of one Service', inside({ on: 'a b' }), { [NET]: 'a b' }],
    [
      'of Cluster Services: the nodes of any, because any node forwards',
      inside({ on: 'a' }, { on: 'b' }),
      { [NET]: 'a b' },
    ],
    ['of Local Services with the same nodes', inside(local('a b'), local('b a')), { [NET]: 'a b' }],
    [
      'of Local Services: nodes that serve all, and a specific for who has others',
      inside(local('a b'), local('b')),
      { [NET]: 'b', [ONE]: 'a b' },
    ],
    [
      'of Local Services that both have others',
      inside(local('a b'), local('b c')),
      { [NET]: 'b', [ONE]: 'a b', [TWO]: 'b c' },
    ],
    [
      'of Local Services without a common node: specifics only',
      inside(local('a'), local('b')),
      { [ONE]: 'a', [TWO]: 'b' },
    ],
    [
      'of Local and Cluster: nodes of Local, which forward for Cluster',
      inside(local('a'), { on: 'b' }),
      { [NET]: 'a' },
    ],
    ['of Local and Cluster with a common node', inside(local('a c'), { on: 'a b' }), { [NET]: 'a c' }],
    ['only while something inside is announced', inside({ on: '' }), {}],
    ['a Service without endpoints does not count', inside(local('a'), local('')), { [NET]: 'a' }],
    [
      'without the word that the router discards the rest: specifics',
      { ...inside({ on: 'a' }), ads: { it: { aggregation: { length: 24 } } } },
      { [ONE]: 'a' },
    ],
    [
      'of the length of a host',
      { ...inside({ on: 'a' }), ads: { it: { aggregation: { length: 32, unassigned: 'RouterDiscards' } } } },
      { [ONE]: 'a' },
    ],
    [
      'for one family leaves the other alone',
      inside({ on: 'a', ips: '203.0.113.1 2001:db8::1' }),
      { [NET]: 'a', '2001:db8::1/128': 'a' },
    ],
    [
      'of IPv6',
      {
        ads: { it: { aggregation: { lengthV6: 124, unassigned: 'RouterDiscards' } } },
        services: {
          one: { on: 'a', ips: '2001:db8::11' },
          two: { on: 'b', ips: '2001:db8::12' },
          far: { on: 'c', ips: '2001:db8::21' },
        },
      },
      { '2001:db8::10/124': 'a b', '2001:db8::20/124': 'c' },
    ],
    [
      'beside the hosts, by two advertisements',
      { ...inside({ on: 'a' }, { on: 'b' }), ads: { it: to24, hosts: {} } },
      { [NET]: 'a b', [ONE]: 'a', [TWO]: 'b' },
    ],
    [
      'of two lengths',
      {
        ...inside({ on: 'a' }),
        ads: { it: to24, wide: { aggregation: { length: 25, unassigned: 'RouterDiscards' } } },
      },
      { [NET]: 'a', '203.0.113.0/25': 'a' },
    ],
    [
      'with all nodes',
      {
        ...inside({ on: 'a' }),
        nodes: { a: {}, b: {} },
        ads: { it: { ...to24, nextHops: { from: 'AllNodes' } } },
      },
      { [NET]: 'a b' },
    ],
  ];
  test.each(rows)('%s', (_name, scene, expected) => {
    const { decision } = decideScene(scene);
    expect(told(decision)).toEqual(expected);
  });

  test('says of a Service that it needs more than the aggregate', () => {
    const { decision } = decideScene(inside(local('a b'), local('b')));
    expect(decision.services.get('default/one')).toMatchObject({
      prefixes: [NET, ONE],
      nextHops: 2,
      remarks: ['MoreSpecificNeeded'],
    });
    expect(decision.services.get('default/two')).toMatchObject({ prefixes: [NET], nextHops: 1, remarks: [] });
  });

  test('is the choice of each peer', () => {
    const { decision } = decideScene({
      ...inside(local('a'), local('b')),
      peers: { tor: {}, other: {} },
      ads: { it: { ...to24, peers: ['tor'] }, hosts: { peers: ['other'], communities: [community('1:1')] } },
    });
    expect(told(decision, 'tor')).toEqual({ [ONE]: 'a', [TWO]: 'b' });
    expect(told(decision, 'other')).toEqual({ [ONE]: 'a', [TWO]: 'b' });
  });

  test('weighs nodes by the endpoints of all Services inside', () => {
    const { decision } = decideScene({
      ...inside({ on: 'a a' }, { on: 'a b' }),
      ads: { it: { ...to24, nextHops: { weight: 'Endpoints' } } },
    });
    const paths = pathsTo(decision);
    expect(paths[`${NET} a`]?.attributes.linkBandwidth?.bytesPerSecond).toBe(375_000);
    expect(paths[`${NET} b`]?.attributes.linkBandwidth?.bytesPerSecond).toBe(125_000);
  });

  test('cut to a maximum is still an aggregate for Local Services with the same nodes', () => {
    const { decision } = decideScene({
      ...inside(local('a b c'), local('a b c')),
      ads: { it: { ...to24, nextHops: { max: 2 } } },
    });
    expect(Object.keys(told(decision))).toEqual([NET]);
  });

  test('follows its members', () => {
    const world = sceneWorld(inside(local('a'), local('a')));
    const start = decide(world, emptyMemory());
    expect(told(start.decision)).toEqual({ [NET]: 'a' });
    const moved = sceneWorld(inside(local('a'), local('b')));
    const apart = decide({ ...world, endpointSlices: moved.endpointSlices }, start.memory);
    expect(told(apart.decision)).toEqual({ [ONE]: 'a', [TWO]: 'b' });
    const again = decide(world, apart.memory);
    expect(told(again.decision)).toEqual({ [NET]: 'a' });
    const alone = decide({ ...moved, services: moved.services.delete('default/one') }, apart.memory);
    expect(told(alone.decision)).toEqual({ [NET]: 'b' });
  });
});

describe('infrastructure is never covered', () => {
  const V4 = '203.0.113.1/32';
  const rows: (readonly [string, Scene])[] = [
    ['a node', { nodes: { a: {}, b: { ips: '203.0.113.1' } } }],
    ['a node that is down', { nodes: { a: {}, b: { ips: '203.0.113.1', ready: 'False' } } }],
    ['an external address of a node', { nodes: { a: {}, b: { external: '203.0.113.1' } } }],
    ['a pod range', { nodes: { a: {}, b: { pods: '203.0.113.0/26' } } }],
    ['a peer', { peers: { tor: { address: '203.0.113.1' } } }],
    [
      'a next hop from an annotation',
      {
        nodes: { a: { annotations: { x: '203.0.113.1' } } },
        peers: { tor: {}, other: { nextHop: { type: 'Annotation', annotation: 'x', cidrs: [] } } },
      },
    ],
  ];
  test.each(rows)('%s', (_name, scene) => {
    const { decision } = decideScene({
      services: { web: { on: 'a' }, fine: { on: 'a', ips: '203.0.113.200' } },
      ...scene,
    });
    expect(reasons(decision)).toEqual({ web: 'CoversInfrastructure', fine: 'Advertised' });
    expect(told(decision)[V4]).toBeUndefined();
  });

  test('an aggregate that covers a node gives way to its specifics', () => {
    const { decision } = decideScene({
      ...inside({ on: 'a' }, { on: 'b' }),
      nodes: { a: {}, b: {}, c: { ips: '203.0.113.99' } },
    });
    expect(told(decision)).toEqual({ [ONE]: 'a', [TWO]: 'b' });
    expect(decision.services.get('default/one')).toMatchObject({
      announced: true,
      remarks: ['CoversInfrastructure', 'MoreSpecificNeeded'],
    });
  });

  const later: (readonly [string, (world: World) => Partial<World>])[] = [
    ['node', ({ nodes }) => ({ nodes: nodes.set('z', node('z', { ips: '203.0.113.99' })) })],
    ['pod range', ({ nodes }) => ({ nodes: nodes.set('b', node('b', { pods: '203.0.113.96/28' })) })],
    ['peer', ({ peers }) => ({ peers: peers.set('late', peer('late', { address: '203.0.113.99' }, 5)) })],
  ];
  test.each(later)('also when the %s comes later, and until it goes', (_name, changed) => {
    const world = sceneWorld(inside({ on: 'a' }));
    const start = decide(world, emptyMemory());
    const covered = decide({ ...world, ...changed(world) }, start.memory);
    expect(told(covered.decision)).toEqual({ [ONE]: 'a' });
    expect(told(decide(world, covered.memory).decision)).toEqual({ [NET]: 'a' });
  });

  test('the address beside a node and at the edges of a range are free', () => {
    const free = ['203.0.113.0', '203.0.113.2', '203.0.113.15', '203.0.113.32'];
    const services = Object.fromEntries(free.map((ips, i) => [`s${i}`, { on: 'a', ips }]));
    const { decision } = decideScene({
      services,
      nodes: { a: {}, b: { ips: '203.0.113.1', pods: '203.0.113.16/28' } },
    });
    expect(Object.keys(told(decision)).sort()).toEqual(free.map((text) => `${address(text).text}/32`).sort());
  });
});
