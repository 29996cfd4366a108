// Explanations: every check with its outcome, every node with its reason, every peer with what it is told.

import { community } from '@herald/net';
import { describe, expect, test } from 'vitest';
import { emptyMemory, explain } from '../../src/index.ts';
import type { Explanation } from '../../src/index.ts';
import { decideScene, pathsTo, sceneWorld, told } from './small-world.ts';
import type { Scene } from './small-world.ts';

const scene: Scene = {
  nodes: {
    a: {},
    b: { ready: 'False', unschedulable: true },
    c: { labels: { rack: '2' } },
    d: {},
    e: { ips: 'fd00::5' },
  },
  services: { web: { on: 'a a b c e z' } },
  peers: { tor: {}, six: { families: [6] }, unasked: {}, small: { maxRoutes: 0 } },
  ads: {
    default: {
      peers: ['tor', 'six', 'small'],
      nodeSelectors: [
        { matchLabels: {}, matchExpressions: [{ key: 'rack', operator: 'DoesNotExist', values: [] }] },
      ],
      communities: [community('1:1')],
    },
  },
};

function explained(of: Scene, key = 'default/web'): Explanation {
  const found = explain(sceneWorld(of), emptyMemory(), key);
  if (!found) {
    throw new Error(`${key} is not explained`);
  }
  return found;
}

describe('an explanation', () => {
  const it = explained(scene);

  test('has every check of the Service, all passed', () => {
    expect(it.checks.map(({ reason }) => reason)).toEqual([
      'NotLoadBalancer',
      'NotOurClass',
      'ServiceDeleted',
      'NoAddress',
      'AddressConflict',
      'AddressNotOurs',
      'AddressNotInPool',
      'NoAdvertisement',
      'NoUsableEndpoint',
    ]);
    expect(it.checks.every(({ passed }) => passed)).toBe(true);
    expect(it.verdict).toMatchObject({ announced: true, reason: 'Advertised', nextHops: 1 });
  });

  test('has every node with its first reason and its usable endpoints, existing or not', () => {
    expect(it.nodes.map(({ node, reason, usableEndpoints }) => [node, reason, usableEndpoints[4]])).toEqual([
      ['a', undefined, 2],
      ['b', 'NodeNotReady', 1],
      ['c', undefined, 1],
      ['d', undefined, 0],
      ['e', undefined, 1],
      ['z', 'NodeUnknown', 1],
    ]);
  });

  test('has all checks of a node, after the one that failed too', () => {
    const checks = it.nodes.find(({ node }) => node === 'b')?.checks ?? [];
    expect(checks.filter(({ passed }) => !passed)).toEqual([{ reason: 'NodeNotReady', passed: false }]);
    expect(checks).toHaveLength(7);
  });

  test('has each address with pool and advertisements', () => {
    expect(
      it.addresses.map(({ address, pool, advertisements }) => [address.text, pool, advertisements]),
    ).toEqual([['203.0.113.1', 'wide', ['default']]]);
  });

  test('has for each peer what it is told, or why nothing', () => {
    const peers = it.prefixes[0]?.peers ?? [];
    expect(
      peers.map(({ peer, reason, nextHops }) => [peer, reason, nextHops.map(({ nextHop }) => nextHop)]),
    ).toEqual([
      ['six', 'FamilyNotNegotiated', []],
      ['small', 'MaxRoutes', []],
      ['tor', undefined, ['10.0.0.1']],
      ['unasked', 'NoAdvertisement', []],
    ]);
  });

  test('has attributes as the peer is told them, without tags', () => {
    const attributes = it.prefixes[0]?.peers.find(({ peer }) => peer === 'tor')?.nextHops[0]?.attributes;
    expect(attributes).toMatchObject({ med: 3_999_999_000, largeCommunities: [] });
    expect(attributes?.communities.map(({ text }) => text)).toEqual(['1:1']);
  });

  test('has for each node that is left out the reason', () => {
    expect(it.prefixes[0]?.peers.find(({ peer }) => peer === 'tor')?.leftOut).toEqual([
      { node: 'b', reason: 'NodeNotReady' },
      { node: 'c', reason: 'NotSelected' },
      { node: 'd', reason: 'NoEndpointOnNode' },
      { node: 'e', reason: 'NoAddressOfFamily' },
    ]);
  });

  const limits: (readonly [string, Scene, string])[] = [
    [
      'too many',
      { services: { web: { on: 'a b c d' } }, ads: { it: { nextHops: { max: 3 } } } },
      'OverNextHopLimit',
    ],
    [
      'too many of all',
      { services: { web: { on: 'a' } }, ads: { it: { nextHops: { max: 3, from: 'AllNodes' } } } },
      'OverNextHopLimit',
    ],
    [
      'Local',
      {
        nodes: { a: {}, b: {} },
        services: { web: { on: 'a', policy: 'Local' } },
        ads: { it: { nextHops: { from: 'AllNodes' } } },
      },
      'NoEndpointOnNode',
    ],
  ];
  test.each(limits)('%s', (_name, of, reason) => {
    expect(explained(of).prefixes[0]?.peers[0]?.leftOut.map((out) => out.reason)).toEqual([reason]);
  });

  test('of a Service that fails shows which checks failed', () => {
    const failed = explained({ services: { web: { type: 'ClusterIP', on: 'a', deleting: true } } });
    expect(failed.checks.filter(({ passed }) => !passed).map(({ reason }) => reason)).toEqual([
      'NotLoadBalancer',
      'ServiceDeleted',
    ]);
    expect(failed.verdict).toMatchObject({ announced: false, reason: 'NotLoadBalancer' });
    expect(failed.prefixes).toEqual([]);
  });

  test('names the Services that share the prefix', () => {
    const aggregate: Scene = {
      services: { one: { on: 'a' }, two: { on: 'b', ips: '203.0.113.2' } },
      ads: { it: { aggregation: { length: 24, unassigned: 'RouterDiscards' } } },
    };
    const [whole, host] = explained(aggregate, 'default/one').prefixes;
    expect(whole).toMatchObject({ prefix: '203.0.113.0/24', services: ['default/one', 'default/two'] });
    expect(host).toMatchObject({ prefix: '203.0.113.1/32', services: ['default/one'] });
  });

  test('agrees with what is announced', () => {
    const { decision } = decideScene(scene);
    expect(told(decision)).toEqual({ '203.0.113.1/32': 'a' });
    const path = pathsTo(decision)['203.0.113.1/32 a'];
    const attributes = it.prefixes[0]?.peers.find(({ peer }) => peer === 'tor')?.nextHops[0]?.attributes;
    expect({ ...path?.attributes, largeCommunities: [], key: '' }).toEqual({ ...attributes, key: '' });
  });

  test('there is none of what does not exist', () => {
    expect(explain(sceneWorld(scene), emptyMemory(), 'default/none')).toBeUndefined();
  });
});
