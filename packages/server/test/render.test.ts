// What is shown of peers, paths and tables: the words for every combination of what was decided and what is.

import { PersistentMap, address, exportTag, largeCommunity, prefix } from '@herald/net';
import { describe, expect, it } from 'vitest';
import type { Peer } from '@herald/api';
import type { PeerSession, SessionState } from '@herald/decision';
import { requireLoopback } from '../src/loopback.ts';
import { isInternalTag, peersOfTable, receives } from '../src/render/audience.ts';
import { countRoutes } from '../src/render/count-routes.ts';
import { pageOf } from '../src/render/page.ts';
import { familyName } from '../src/render/plain.ts';
import { renderAttributes } from '../src/render/render-attributes.ts';
import { renderPeers, type PeerView } from '../src/render/render-peers.ts';
import { renderStatus } from '../src/render/render-status.ts';
import { path, peer, planned, session, table, views } from './fixture.ts';

const base = views();

function shownPeer(
  configured: Partial<Peer>,
  plan: Partial<PeerSession> | undefined,
  state: Partial<SessionState> | undefined,
): PeerView | undefined {
  const peers = plan === undefined ? [] : [planned('p', 1, plan)];
  return renderPeers({
    ...base,
    world: {
      ...base.world,
      peers: PersistentMap.from([['p', peer('p', configured)]]),
      sessions: PersistentMap.from(state === undefined ? [] : [['p', session(state)]]),
    },
    decision: { ...base.decision, sessions: { ...base.decision.sessions, peers } },
  })[0];
}

const none = { 4: false, 6: false };
const both = { 4: true, 6: true };

describe('a peer', () => {
  it.each<[string, Partial<PeerSession> | undefined, Partial<SessionState> | undefined, string]>([
    ['that offers and is offered', { addPath: both }, { addPathReceive: both }, 'negotiated'],
    ['that does not offer', { addPath: both }, { addPathReceive: none }, 'not negotiated'],
    ['that is not offered', { addPath: none }, { addPathReceive: both }, 'not negotiated'],
    ['of which neither does', { addPath: none }, { addPathReceive: none }, 'not negotiated'],
    [
      'that offers the other family only',
      { addPath: both },
      { addPathReceive: { 4: false, 6: true } },
      'not negotiated',
    ],
    ['that has never been established', { addPath: both }, { addPathReceive: undefined }, 'unknown'],
    ['without a session', { addPath: both }, undefined, 'unknown'],
    ['that is not planned', undefined, { addPathReceive: both }, 'not negotiated'],
  ])('%s: ADD-PATH', (_, plan, state, word) => {
    expect(shownPeer({ families: [4] }, plan, state)?.families).toEqual([
      { family: 'ipv4', carried: state !== undefined, addPath: word },
    ]);
  });

  it.each<[(4 | 6)[], (4 | 6)[], [string, boolean][]]>([
    [[4], [4], [['ipv4', true]]],
    [[4], [], [['ipv4', false]]],
    [[4], [6], [['ipv4', false]]],
    [[6], [6], [['ipv6', true]]],
    [
      [4, 6],
      [4],
      [
        ['ipv4', true],
        ['ipv6', false],
      ],
    ],
    [
      [4, 6],
      [4, 6],
      [
        ['ipv4', true],
        ['ipv6', true],
      ],
    ],
    [
      [6, 4],
      [4, 6],
      [
        ['ipv6', true],
        ['ipv4', true],
      ],
    ],
  ])('configured for %j that carries %j', (families, carried, expected) => {
    const found = shownPeer({ families }, {}, { families: carried })?.families ?? [];
    expect(found.map((each) => [each.family, each.carried])).toEqual(expected);
  });

  it.each<[string, Partial<PeerSession> | undefined, string]>([
    ['of the shared instance', {}, 'shared'],
    ['with a view', { instance: { kind: 'view', name: 'v-1', feedAddress: address('127.1.0.1') } }, 'v-1'],
    ['that is not planned', undefined, 'none'],
  ])('%s', (_, plan, instance) => {
    expect(shownPeer({}, plan, {})?.plannedInstance).toBe(instance);
  });

  it.each<[Peer['remoteAs'], string]>([
    [1, '1'],
    [64512, '64512'],
    [4_294_967_295, '4294967295'],
    ['internal', 'internal'],
    ['external', 'external'],
  ])('of AS %s', (remoteAs, shown) => {
    expect(shownPeer({ remoteAs }, {}, {})?.remoteAs).toBe(shown);
  });

  it('without a session says so in every field', () => {
    expect(shownPeer({}, {}, undefined)?.session).toEqual({
      state: 'Unknown',
      since: null,
      localAddress: null,
      remoteAs: null,
      authenticated: false,
      connectionsDropped: 0,
      lastError: '',
    });
  });

  it('that nothing was decided about is not accepted, and gets nothing', () => {
    expect(shownPeer({ shutdown: true }, undefined, undefined)).toMatchObject({
      accepted: false,
      reason: 'Undecided',
      message: '',
      shutdown: true,
      password: null,
      routes: {
        prefixes: 0,
        paths: 0,
        sentPaths: { ipv4: 0, ipv6: 0 },
        nextHopSets: 0,
        trimmedPaths: 0,
      },
    });
  });
});

const tagged = (...numbers: readonly number[]) => path('10.0.0.11', 1, numbers.map(exportTag));

describe('who receives a path', () => {
  const four = prefix('203.0.113.9/32');
  const six = prefix('2001:db8::1/128');
  const view = { kind: 'view', name: 'v', feedAddress: address('127.1.0.1') } as const;
  it.each<[string, PeerSession, typeof four, ReturnType<typeof path>, boolean]>([
    ['everybody', planned('p', 7), four, tagged(0), true],
    ['the one whose number it carries', planned('p', 7), four, tagged(7), true],
    ['one of several', planned('p', 7), four, tagged(3, 7), true],
    ['not another', planned('p', 7), four, tagged(8), false],
    ['not one whose number begins alike', planned('p', 7), four, tagged(70, 17), false],
    ['nobody without a tag', planned('p', 7), four, tagged(), false],
    ['not one of another family', planned('p', 7), six, tagged(0), false],
    ['one of both families', planned('p', 7, { families: [4, 6] }), six, tagged(0), true],
    ['the peer of a view without a tag', planned('p', 7, { instance: view }), four, tagged(), true],
    ['not the peer of a view of another family', planned('p', 7, { instance: view }), six, tagged(0), false],
    [
      'not by a community of somebody else',
      planned('p', 7),
      four,
      path('10.0.0.11', 1, [largeCommunity(64999, 1, 7)]),
      false,
    ],
  ])('%s', (_, who, what, which, expected) => {
    expect(receives(who, what, which)).toBe(expected);
  });

  it.each<[string, string[]]>([
    ['shared', ['tor-1', 'tor-2']],
    ['plain-9', ['plain']],
    ['none', []],
    ['', []],
  ])('peers of table %j', (name, expected) => {
    expect(peersOfTable(base.decision, name).map((each) => each.name)).toEqual(expected);
  });
});

describe('attributes', () => {
  it('are shown without the tags that only bgpd sees', () => {
    const { attributes } = path('10.0.0.11', 1, [exportTag(0), exportTag(7)]);
    expect(attributes.largeCommunities.filter(isInternalTag)).toHaveLength(2);
    expect(renderAttributes(attributes, attributes.asPath)).toEqual({
      localPref: 100,
      med: 3_999_999_990,
      asPath: [64999],
      communities: ['65000:100'],
      largeCommunities: [largeCommunity(65000, 1, 2).text],
      linkBandwidthBytesPerSecond: null,
    });
  });

  it.each<[4 | 6, string]>([
    [4, 'ipv4'],
    [6, 'ipv6'],
  ])('family %d is %s', (family, name) => {
    expect(familyName(family)).toBe(name);
  });
});

describe('a table is counted', () => {
  it.each<[string, ReturnType<typeof table>, number[]]>([
    ['empty', table(), [0, 0, 0, 0]],
    ['a prefix without paths', table(['203.0.113.9/32']), [1, 0, 0, 0]],
    ['one path', table(['203.0.113.9/32', path('10.0.0.1', 1)]), [1, 1, 0, 0]],
    ['two paths', table(['203.0.113.9/32', path('10.0.0.1', 1), path('10.0.0.2', 2)]), [1, 2, 0, 0]],
    ['IPv6', table(['2001:db8::1/128', path('2001:db8::2', 1)]), [0, 0, 1, 1]],
    [
      'both',
      table(['203.0.113.9/32', path('10.0.0.1', 1)], ['2001:db8::1/128', path('2001:db8::2', 1)]),
      [1, 1, 1, 1],
    ],
  ])('%s', (_, shared, expected) => {
    const tables = { shared, views: new Map() };
    for (const counts of [countRoutes(tables), countRoutes(tables)]) {
      expect(counts.flatMap(({ prefixes, routes }) => [prefixes, routes])).toEqual(expected);
      expect(counts.map((count) => [count.table, count.family])).toEqual([
        ['shared', 'ipv4'],
        ['shared', 'ipv6'],
      ]);
    }
  });
});

describe('a page', () => {
  it('renders only what is on it', () => {
    const rendered: number[] = [];
    const page = pageOf([1, 2, 3, 4, 5], { limit: 2, offset: 1 }, (item) => {
      rendered.push(item);
      return item * 10;
    });
    expect([page, rendered]).toEqual([{ total: 5, limit: 2, offset: 1, items: [20, 30] }, [2, 3]]);
  });
});

describe('an address to listen on', () => {
  it.each<[string, boolean]>([
    ['127.0.0.1', false],
    ['127.0.0.2', false],
    ['127.255.255.254', false],
    ['::1', false],
    ['128.0.0.1', true],
    ['126.255.255.255', true],
    ['0.0.0.0', true],
    ['::', true],
    ['::2', true],
    ['10.0.0.7', true],
    ['fe80::1', true],
    ['2001:db8::1', true],
    ['localhost', true],
    ['127.0.0.1:80', true],
    ['[::1]', true],
    ['127.1', true],
    ['', true],
  ])('%j is refused: %s', (text, refused) => {
    const check = expect(() => requireLoopback({ address: text, port: 0 }));
    (refused ? check : check.not).toThrow(RangeError);
  });
});

const serviceVerdict = (reason: 'Advertised' | 'NotOurClass' | 'NotLoadBalancer' | 'NoPeer') => ({
  announced: reason === 'Advertised',
  reason,
  prefixes: [],
  nextHops: 0,
  remarks: [],
});

it('a Service that is not ours is nobody’s failure', () => {
  const services = PersistentMap.from([
    ['a/up', serviceVerdict('Advertised')],
    ['a/down', serviceVerdict('NoPeer')],
    ['a/other', serviceVerdict('NotOurClass')],
    ['a/plain', serviceVerdict('NotLoadBalancer')],
  ]);
  const status = renderStatus(
    { ...base, decision: { ...base.decision, services } },
    { version: '1', startedAtMs: 1, nowMs: 2 },
  );
  expect(status.services).toEqual({ announced: 1, notAnnounced: 1 });
});
