// What is put before the AS path is shown as each peer sees it: nothing within the AS, the number that the peer
// knows us by otherwise. In the list of routes, in its filter by peer, and in an explanation.

import { address, exportTag, pathAttributes, type Path } from '@herald/net';
import type { PeerSession } from '@herald/decision';
import { describe, expect, it } from 'vitest';
import { asPathTowards } from '../src/render/audience.ts';
import { renderExplanation } from '../src/render/render-explanation.ts';
import { renderRoutes } from '../src/render/render-routes.ts';
import { planned, table, views } from './fixture.ts';

const PREPENDS = [65000, 65000];

function prepended(asPath: readonly number[]): Path {
  const attributes = pathAttributes({
    asPath,
    localPref: 100,
    med: 1,
    communities: [],
    largeCommunities: [exportTag(0)],
    linkBandwidth: undefined,
  });
  return { pathId: 1, nextHop: address('10.0.0.11'), attributes };
}

const INTERNAL = planned('internal', 1, { internal: true });
const EXTERNAL = planned('external', 2);
const OTHER = planned('other', 3);
const RENAMED = planned('renamed', 4, { localAs: 64999 });

it.each<[string, PeerSession, readonly number[], readonly number[]]>([
  ['an internal peer', INTERNAL, PREPENDS, []],
  ['an external peer', EXTERNAL, PREPENDS, PREPENDS],
  ['an external peer that knows us by another number', RENAMED, PREPENDS, [64999, 64999]],
  ['an external peer, nothing', EXTERNAL, [], []],
])('towards %s', (_, to, asPath, expected) => {
  expect(asPathTowards(to, asPath)).toEqual(expected);
});

const base = views();

function shown(peers: readonly PeerSession[], asPath: readonly number[], only?: PeerSession) {
  const decision = {
    ...base.decision,
    sessions: { ...base.decision.sessions, peers },
    tables: { shared: table(['203.0.113.9/32', prepended(asPath)]), views: new Map() },
  };
  const query = {
    prefix: undefined,
    nextHop: undefined,
    family: undefined,
    peer: only,
    limit: 10,
    offset: 0,
  };
  const { total, items } = renderRoutes(decision, query);
  expect(total).toBe(1);
  return items.flatMap(({ paths }) => paths.map((each) => [each.peers, each.asPath]));
}

describe('a path', () => {
  it.each<[string, readonly PeerSession[], readonly number[], unknown]>([
    ['to external peers', [EXTERNAL, OTHER], PREPENDS, [[['external', 'other'], PREPENDS]]],
    ['to an internal peer', [INTERNAL], PREPENDS, [[['internal'], []]]],
    [
      'to all kinds',
      [EXTERNAL, INTERNAL, OTHER, RENAMED],
      PREPENDS,
      [
        [['external', 'other'], PREPENDS],
        [['internal'], []],
        [['renamed'], [64999, 64999]],
      ],
    ],
    ['without prepends, to all kinds', [EXTERNAL, INTERNAL], [], [[['external', 'internal'], []]]],
    ['to nobody', [], PREPENDS, [[[], PREPENDS]]],
  ])('%s', (_, peers, asPath, expected) => {
    expect(shown(peers, asPath)).toEqual(expected);
  });

  it('of one peer is as that peer sees it', () => {
    const peers = [EXTERNAL, INTERNAL, OTHER];
    expect(shown(peers, PREPENDS, INTERNAL)).toEqual([[['internal'], []]]);
    expect(shown(peers, PREPENDS, OTHER)).toEqual([[['external', 'other'], PREPENDS]]);
  });
});

it('an explanation shows to each peer its own', () => {
  const nextHops = [{ nextHop: '10.0.0.11', attributes: prepended(PREPENDS).attributes }];
  const told = (name: string) => ({
    peer: name,
    reason: undefined,
    advertisements: [],
    nextHops,
    leftOut: [],
  });
  const { prefixes } = renderExplanation(
    {
      service: 'a/b',
      verdict: { announced: true, reason: 'Advertised', prefixes: [], nextHops: 1, remarks: [] },
      checks: [],
      addresses: [],
      nodes: [],
      prefixes: [
        {
          prefix: '203.0.113.9/32',
          services: [],
          peers: ['external', 'internal', 'renamed', 'gone'].map(told),
        },
      ],
    },
    { ...base.decision.sessions, peers: [INTERNAL, EXTERNAL, RENAMED] },
  );
  expect(prefixes[0]?.peers.map((each) => [each.peer, each.nextHops[0]?.asPath])).toEqual([
    ['external', PREPENDS],
    ['internal', []],
    ['renamed', [64999, 64999]],
    ['gone', PREPENDS],
  ]);
});
