import type { Node } from '@herald/api';
import { PersistentMap, address } from '@herald/net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Server } from '../src/index.ts';
import type { Page } from '../src/render/page.ts';
import type { NextHopView } from '../src/render/render-next-hops.ts';
import { serve, views } from './fixture.ts';

function node(name: string, addresses: readonly string[], changes: Partial<Node> = {}): Node {
  return {
    kind: 'Node',
    name,
    uid: name,
    createdAt: 0,
    labels: {},
    deleting: false,
    ready: 'True',
    networkUnavailable: false,
    unschedulable: false,
    taints: [],
    addresses: addresses.map((text) => ({ type: 'InternalIP', address: address(text) })),
    annotations: {},
    podCidrs: [],
    zone: '',
    ...changes,
  };
}

const NODES = [
  node('n3', ['10.0.0.13'], { ready: 'Unknown' }),
  node('n1', ['10.0.0.11', '2001:db8:1::11']),
  node('idle', ['10.0.0.99'], { deleting: true }),
];

let server: Server;
beforeAll(async () => {
  const nodes = PersistentMap.from(NODES.map((one): [string, Node] => [one.name, one]));
  server = await serve({ world: { ...views().world, nodes } });
});
afterAll(() => server.close());

async function nextHops(query = ''): Promise<Page<NextHopView>> {
  return (await server.app.inject({ url: `/api/v1/next-hops${query}` })).json<Page<NextHopView>>();
}

describe('next hops', () => {
  it('are the nodes by name, then what no node has', async () => {
    const { items, total } = await nextHops();
    expect(items.map((item) => [item.node, item.addresses, item.eligible, item.reason])).toEqual([
      ['idle', ['10.0.0.99'], false, 'NodeDeleted'],
      ['n1', ['10.0.0.11', '2001:db8:1::11'], true, null],
      ['n3', ['10.0.0.13'], false, 'NodeNotReady'],
      [null, ['10.0.0.12'], false, 'NodeUnknown'],
    ]);
    expect(total).toBe(4);
  });

  it.each([
    // Of n1: 203.0.113.10 for both peers of the shared table, 203.0.113.9 and the IPv6 prefix for tor-1 only.
    ['n1', 1, 3, { 'tor-1': 3, 'tor-2': 1 }],
    // A view's table belongs to the peers that live in it.
    ['n3', 1, 1, { plain: 1 }],
    ['idle', 0, 0, {}],
    [null, 0, 1, { 'tor-1': 1, 'tor-2': 1 }],
  ])('of %s count %d Services, %d prefixes and paths by peer', async (name, services, prefixes, peers) => {
    const { items } = await nextHops();
    const found = items.find((item) => item.node === name);
    expect(found).toMatchObject({ services, prefixes });
    expect(Object.fromEntries(found?.peers.map(({ peer, paths }) => [peer, paths]) ?? [])).toEqual(peers);
  });

  it.each([
    ['?eligible=true', ['n1']],
    ['?eligible=false', ['idle', 'n3', null]],
    ['?eligible=false&limit=1&offset=1', ['n3']],
  ])('are narrowed by %s', async (query, expected) => {
    expect((await nextHops(query)).items.map((item) => item.node)).toEqual(expected);
  });
});
