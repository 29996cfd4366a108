// An explanation never contradicts a decision: over a table of scenes that between them use everything, what it
// says of verdicts, next hops, attributes and nodes is what the decision says, and every node is accounted for.

import { community } from '@herald/net';
import { describe, expect, test } from 'vitest';
import { decide, emptyMemory, explain } from '../../src/index.ts';
import type { Explanation } from '../../src/index.ts';
import { pathsTo, sceneWorld, told } from './small-world.ts';
import type { AdvertisementSpec, Scene, ServiceSpec } from './small-world.ts';

const discards: AdvertisementSpec['aggregation'] = { length: 24, lengthV6: 64, unassigned: 'RouterDiscards' };
const rack = (name: string) => [{ matchLabels: { rack: name }, matchExpressions: [] }];
const web = (spec: ServiceSpec, more: Scene = {}): Scene => ({
  ...more,
  services: { web: spec, ...more.services },
});
const RACKS = {
  a: { labels: { rack: '1' } },
  b: { labels: { rack: '1' } },
  c: { labels: { rack: '2' } },
  d: {},
};

const SCENES: (readonly [string, Scene])[] = [
  ['a plain Service', web({ on: 'a b' })],
  ['policy Local', web({ on: 'a b', policy: 'Local' })],
  ['both families', web({ on: 'a b', ips: '203.0.113.1 2001:db8::1' })],
  ['both families with different endpoints', web({ on: 'a', on6: 'b c', ips: '203.0.113.1 2001:db8::1' })],
  ['endpoints of which some are leaving', web({ on: 'a b:out c:off' })],
  ['only leaving endpoints under Local', web({ on: 'a:out b c:out', policy: 'Local' })],
  ['endpoints without nodes', web({ on: '-' })],
  ['endpoints without nodes under Local', web({ on: '-', policy: 'Local' })],
  ['endpoints on nodes that are not there', web({ on: 'a z' })],
  ['all nodes', web({ on: 'a' }, { ads: { it: { nextHops: { from: 'AllNodes' } } } })],
  [
    'all nodes under Local',
    web({ on: 'a', policy: 'Local' }, { ads: { it: { nextHops: { from: 'AllNodes' } } } }),
  ],
  ['a limit', web({ on: 'a b c d' }, { ads: { it: { nextHops: { max: 2 } } } })],
  [
    'a limit for one peer',
    web({ on: 'a b c d' }, { peers: { x: { addPaths: { mode: 'Auto', maxPaths: 2 } }, y: {} } }),
  ],
  ['weights', web({ on: 'a a a b' }, { ads: { it: { nextHops: { weight: 'Endpoints' } } } })],
  [
    'weights from all nodes',
    web({ on: 'a a' }, { ads: { it: { nextHops: { weight: 'Endpoints', from: 'AllNodes' } } } }),
  ],
  ['one rack', web({ on: 'a c d' }, { nodes: RACKS, ads: { it: { nodeSelectors: rack('1') } } })],
  [
    'two racks that say different things',
    web(
      { on: 'a c d' },
      {
        nodes: RACKS,
        ads: { one: { nodeSelectors: rack('1'), med: 1 }, two: { nodeSelectors: rack('2'), med: 2 } },
      },
    ),
  ],
  [
    'a rack from all nodes beside endpoints',
    web(
      { on: 'c' },
      { nodes: RACKS, ads: { one: { nodeSelectors: rack('1'), nextHops: { from: 'AllNodes' } }, two: {} } },
    ),
  ],
  [
    'an aggregate',
    web(
      { on: 'a' },
      { services: { other: { on: 'b', ips: '203.0.113.2' } }, ads: { it: { aggregation: discards } } },
    ),
  ],
  [
    'an aggregate of Local Services',
    web(
      { on: 'a b', policy: 'Local' },
      {
        services: {
          other: { on: 'b c', ips: '203.0.113.2', policy: 'Local' },
          web: { on: 'a b', policy: 'Local' },
        },
        ads: { it: { aggregation: discards } },
      },
    ),
  ],
  [
    'an aggregate and hosts',
    web({ on: 'a' }, { ads: { it: { aggregation: discards }, hosts: { communities: [community('1:1')] } } }),
  ],
  ['an unsafe aggregate', web({ on: 'a' }, { ads: { it: { aggregation: { length: 24 } } } })],
  [
    'an aggregate that covers a node',
    web({ on: 'a' }, { nodes: { a: {}, b: { ips: '203.0.113.9' } }, ads: { it: { aggregation: discards } } }),
  ],
  ['an address that is a node’s', web({ on: 'a' }, { nodes: { a: {}, b: { ips: '203.0.113.1' } } })],
  ['a contradiction', web({ on: 'a' }, { ads: { one: { med: 1 }, two: { med: 2 } } })],
  [
    'a contradiction on one node only',
    web(
      { on: 'a b' },
      {
        nodes: RACKS,
        ads: {
          one: { nodeSelectors: rack('1'), med: 1 },
          two: { nodeSelectors: rack('1'), med: 2 },
          three: {},
        },
      },
    ),
  ],
  [
    'an advertisement for one of two peers',
    web({ on: 'a' }, { ads: { it: { peers: ['x'] } }, peers: { x: {}, y: {} } }),
  ],
  [
    'peers of one family each',
    web(
      { on: 'a', ips: '203.0.113.1 2001:db8::1' },
      { peers: { x: { families: [4] }, y: { families: [6] } } },
    ),
  ],
  [
    'a peer without ADD-PATH',
    web({ on: 'a b c' }, { peers: { x: { offers: { 4: false, 6: false } }, y: {} } }),
  ],
  [
    'ranks in LOCAL_PREF and none',
    web(
      { on: 'a' },
      {
        peers: {
          x: { rank: { mode: 'LocalPref', base: 300 } },
          y: { rank: { mode: 'None', base: undefined } },
        },
      },
    ),
  ],
  ['a policy that owns the MED', web({ on: 'a' }, { ads: { it: { med: 7 } } })],
  [
    'prepending and both kinds of communities',
    web(
      { on: 'a' },
      { ads: { it: { asPathPrepend: 2, communities: [community('1:1'), community('1:2:3')] } } },
    ),
  ],
  ['room for no route', web({ on: 'a b' }, { peers: { x: { maxRoutes: 0 } } })],
  ['room for one path', web({ on: 'a b' }, { peers: { x: { maxRoutes: 1 } } })],
  [
    'room for one set',
    web(
      { on: 'a' },
      { services: { other: { on: 'b', ips: '203.0.113.2' } }, peers: { x: { maxNextHopSets: 1 } } },
    ),
  ],
  ['no peer', web({ on: 'a' }, { peers: {} })],
  ['no advertisement', web({ on: 'a' }, { ads: {} })],
  ['no node', web({ on: 'a' }, { nodes: {} })],
  [
    'nodes of which none is good',
    web({ on: 'a b' }, { nodes: { a: { ready: 'False' }, b: { deleting: true } } }),
  ],
  [
    'a node without an address of the family',
    web({ on: 'a b' }, { nodes: { a: { ips: 'fd00::1' }, b: {} } }),
  ],
  ['two nodes with one address', web({ on: 'a b' }, { nodes: { a: {}, b: { ips: '10.0.0.1' } } })],
  [
    'next hops by annotation',
    web(
      { on: 'a b' },
      {
        nodes: { a: { annotations: { f: '10.9.0.1' } }, b: {} },
        peers: { x: { nextHop: { type: 'Annotation', annotation: 'f', cidrs: [] } } },
      },
    ),
  ],
  [
    'a shared address',
    web(
      {
        on: 'a',
        ports: [{ protocol: 'TCP', port: 1 }],
        annotations: { 'heraldbgp.io/allow-shared-ip': 'k' },
      },
      { services: { other: { on: 'b', annotations: { 'heraldbgp.io/allow-shared-ip': 'k' } } } },
    ),
  ],
  ['a standby', web({ on: 'a' }, { leadership: { leading: false } })],
];

function explained(scene: Scene): Explanation {
  const found = explain(sceneWorld(scene), emptyMemory(), 'default/web');
  if (!found) {
    throw new Error('not explained');
  }
  return found;
}

/** A community list in which the tags that only bgpd sees are left out. */
const plainLarge = (list: readonly { readonly text: string }[]) =>
  list.map(({ text }) => text).filter((text) => !text.startsWith('4294967295:'));

describe.each(SCENES)('%s', (_name, scene) => {
  const { decision } = decide(sceneWorld(scene), emptyMemory());
  const it = explained(scene);
  const peers = it.prefixes.flatMap(({ prefix, peers: of }) => of.map((peer) => ({ prefix, ...peer })));

  test('the verdict is that of the decision', () => {
    expect(it.verdict).toEqual(decision.services.get('default/web'));
  });

  test('the verdict is the first check that failed, or all passed', () => {
    const failed = it.checks.find(({ passed }) => !passed)?.reason;
    if (failed === undefined) {
      expect(it.checks.some(({ reason }) => reason === it.verdict.reason)).toBe(false);
    } else {
      expect(it.verdict.announced).toBe(false);
    }
  });

  test('the next hops of each peer are those that it is told', () => {
    for (const { prefix, peer, nextHops } of peers) {
      const expected = Object.entries(pathsTo(decision, peer))
        .filter(([key]) => key.startsWith(`${prefix} `))
        .map(([, path]) => path.nextHop.text);
      expect(nextHops.map(({ nextHop }) => nextHop).sort()).toEqual(expected.sort());
    }
  });

  test('the attributes of each next hop are those that the peer is told', () => {
    for (const { prefix, peer, nextHops } of peers) {
      const paths = Object.entries(pathsTo(decision, peer)).filter(([key]) => key.startsWith(`${prefix} `));
      for (const { nextHop, attributes } of nextHops) {
        const path = paths.find(([, each]) => each.nextHop.text === nextHop)?.[1];
        expect(path?.attributes.med).toBe(attributes.med);
        expect(path?.attributes.localPref).toBe(attributes.localPref);
        expect(path?.attributes.asPath).toEqual(attributes.asPath);
        expect(path?.attributes.linkBandwidth).toEqual(attributes.linkBandwidth);
        expect(path?.attributes.communities).toEqual(attributes.communities);
        expect(plainLarge(path?.attributes.largeCommunities ?? [])).toEqual(
          plainLarge(attributes.largeCommunities),
        );
      }
    }
  });

  test('there is a reason exactly where a peer is told nothing', () => {
    for (const { prefix, peer, reason, nextHops } of peers) {
      expect(nextHops.length > 0).toBe(reason === undefined);
      expect(told(decision, peer)[prefix] === undefined).toBe(reason !== undefined);
    }
  });

  test('every node is a next hop or left out with a reason, where something is advertised at all', () => {
    const known = Object.keys(scene.nodes ?? { a: {}, b: {}, c: {}, d: {} });
    for (const { nextHops, leftOut } of peers.filter((each) => each.advertisements.length > 0)) {
      // Nodes that share an address are one next hop.
      expect(nextHops.length + leftOut.length).toBeGreaterThanOrEqual(new Set(known).size - 1);
      expect(leftOut.map(({ node }) => node)).toEqual(leftOut.map(({ node }) => node).sort());
      leftOut.forEach(({ node }) => expect(known).toContain(node));
    }
  });

  test('a node that fails a check is left out everywhere, for that reason', () => {
    for (const { node, reason } of it.nodes.filter((each) => each.reason && each.reason !== 'NodeUnknown')) {
      for (const { leftOut } of peers.filter((each) => each.advertisements.length > 0)) {
        expect(leftOut).toContainEqual({ node, reason });
      }
    }
  });

  test('prefixes are listed in order, with this Service among those inside', () => {
    expect(it.prefixes.map(({ prefix }) => prefix)).toEqual(it.prefixes.map(({ prefix }) => prefix).sort());
    it.prefixes.forEach(({ services }) => expect(services).toContain('default/web'));
    it.verdict.prefixes.forEach((text) => expect(it.prefixes.map(({ prefix }) => prefix)).toContain(text));
  });

  test('explaining from the memory of the decision says the same, and changes nothing', () => {
    const world = sceneWorld(scene);
    const { memory } = decide(world, emptyMemory());
    const later = explain(world, memory, 'default/web');
    expect(later?.prefixes).toEqual(it.prefixes);
    expect(later?.checks).toEqual(it.checks);
    expect(later?.nodes).toEqual(it.nodes);
    expect(told(decide(world, memory).decision)).toEqual(told(decision));
  });
});
