// The answers of a real bgpd with one field missing or of another type: that field has its neutral value,
// everything else stays. FRR versions differ in what they print; none of it may cost the rest.

import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { FeedNeighbor, HeldPath, PeerTraffic } from '../src/index.ts';
import { parseMemory } from '../src/state/parse-memory.ts';
import { parseNeighbors } from '../src/state/parse-neighbors.ts';
import { markerSeen, parsePrefix, parseTable } from '../src/state/parse-routes.ts';

type Json = Readonly<Record<string, unknown>>;

function fixture(name: string): Json {
  return JSON.parse(readFileSync(new URL(`fixtures/${name}`, import.meta.url), 'utf8')) as Json;
}

/** A copy in which the value stands at the place; undefined takes away what stands there. */
function changed(source: unknown, [key = '', ...rest]: readonly string[], value: unknown): unknown {
  const next = rest.length === 0 ? value : changed((source as Json)[key], rest, value);
  if (Array.isArray(source)) {
    return source.map((item, index) => (index === Number(key) ? next : item));
  }
  const others = Object.entries(source as Json).filter(([name]) => name !== key);
  return Object.fromEntries(next === undefined ? others : [...others, [key, next]]);
}

const NO_NUMBER = [undefined, null, '7', true, [], {}];
const NO_TEXT = [undefined, null, 7, true, [], {}];
const NO_OBJECT = [undefined, null, 7, 'x', true, []];
const NOT_TRUE = [undefined, null, 'true', 1, false, [], {}];

const NEIGHBORS = fixture('neighbors.json');

interface Row {
  readonly place: string;
  readonly values: readonly unknown[];
  readonly session?: object;
  readonly traffic?: Partial<PeerTraffic>;
}

const rowsOf = (rows: readonly Row[]): (Row & { readonly value: unknown })[] =>
  rows.flatMap((row) => row.values.map((value) => ({ ...row, value })));

const V4 = 'ipv4Unicast';
const DOWN = { state: 'Idle', sinceMs: undefined, families: [], addPathReceive: undefined };

const RR: readonly Row[] = [
  { place: 'bgpState', values: [...NO_TEXT, 'Clearing', 'Deleted', 'established', ''], session: DOWN },
  { place: 'bgpState', values: ['Active'], session: { ...DOWN, state: 'Active' } },
  { place: 'bgpState', values: ['OpenConfirm'], session: { ...DOWN, state: 'OpenConfirm' } },
  { place: 'bgpTimerUpEstablishedEpoch', values: NO_NUMBER, session: { sinceMs: undefined } },
  { place: 'bgpTimerUpEstablishedEpoch', values: [0], session: { sinceMs: 0 } },
  { place: 'remoteAs', values: [...NO_NUMBER, 0], session: { remoteAs: undefined } },
  { place: 'remoteAs', values: [4_200_000_001], session: { remoteAs: 4_200_000_001 } },
  { place: 'hostLocal', values: [...NO_TEXT, 'Unknown'], session: { localAddress: undefined } },
  { place: 'authenticationEnabled', values: [...NO_NUMBER, 0, 2], session: {} },
  { place: 'authenticationEnabled', values: [1], session: { authenticated: true } },
  { place: 'connectionsDropped', values: NO_NUMBER, session: {} },
  { place: 'connectionsDropped', values: [4], session: { connectionsDropped: 4 } },
  { place: 'connectionsEstablished', values: NO_NUMBER, traffic: { connectionsEstablished: 0 } },
  { place: 'bgpTimerHoldTimeMsecs', values: NO_NUMBER, traffic: { holdTimeSeconds: 0 } },
  { place: 'bgpTimerHoldTimeMsecs', values: [9000], traffic: { holdTimeSeconds: 9 } },
  {
    place: 'neighborCapabilities',
    values: NO_OBJECT,
    session: { families: [], addPathReceive: { 4: false, 6: false } },
    traffic: { gracefulRestartNegotiated: false },
  },
  {
    place: 'neighborCapabilities gracefulRestart',
    values: [...NO_TEXT, 'advertised', 'received', ''],
    traffic: { gracefulRestartNegotiated: false },
  },
  {
    place: 'neighborCapabilities gracefulRestart',
    values: ['advertisedAndReceived'],
    traffic: { gracefulRestartNegotiated: true },
  },
  { place: 'neighborCapabilities multiprotocolExtensions', values: NO_OBJECT, session: { families: [] } },
  {
    place: `neighborCapabilities multiprotocolExtensions ${V4}`,
    values: [...NO_OBJECT, {}],
    session: { families: [6] },
  },
  {
    place: `neighborCapabilities multiprotocolExtensions ${V4} advertisedAndReceived`,
    values: NOT_TRUE,
    session: { families: [6] },
  },
  {
    place: 'neighborCapabilities addPath',
    values: [...NO_OBJECT, {}],
    session: { addPathReceive: { 4: false, 6: false } },
  },
  {
    place: `neighborCapabilities addPath ${V4}`,
    values: [...NO_OBJECT, {}],
    session: { addPathReceive: { 4: false, 6: true } },
  },
  {
    place: `neighborCapabilities addPath ${V4} rxReceived`,
    values: NOT_TRUE,
    session: { addPathReceive: { 4: false, 6: true } },
  },
  { place: `neighborCapabilities addPath ${V4} txReceived`, values: [true, false, 7], session: {} },
  { place: 'addressFamilyInfo', values: NO_OBJECT, traffic: { pathsSent: { 4: 0, 6: 0 } } },
  { place: `addressFamilyInfo ${V4}`, values: NO_OBJECT, traffic: { pathsSent: { 4: 0, 6: 2 } } },
  {
    place: `addressFamilyInfo ${V4} sentPrefixCounter`,
    values: NO_NUMBER,
    traffic: { pathsSent: { 4: 0, 6: 2 } },
  },
  { place: 'hostname', values: [7, 'x'], session: {} },
];

describe('the session with a router', () => {
  const whole = parseNeighbors(NEIGHBORS);

  it.each(rowsOf(RR))('with $value for $place', ({ place, value, session = {}, traffic = {} }) => {
    const answer = changed(NEIGHBORS, ['default', 'fd09::3', ...place.split(' ')], value);
    const found = parseNeighbors(answer);
    expect(found.sessions.get('rr-1')).toMatchObject({ ...session });
    const kept = Object.keys(session);
    const others = (from: typeof whole): object =>
      Object.fromEntries(
        Object.entries(from.sessions.get('rr-1') ?? {}).filter(([name]) => !kept.includes(name)),
      );
    expect(others(found)).toEqual(others(whole));
    expect(found.traffic.get('rr-1')).toEqual({ ...whole.traffic.get('rr-1'), ...traffic });
    expect(found.sessions.get('tor-1')).toEqual(whole.sessions.get('tor-1'));
    expect(found.feeds).toEqual(whole.feeds);
  });

  it.each([...NO_TEXT, '', 'feed 2', 'peer', 'Peer rr-1', ' peer rr-1'])(
    'is not ours with the description %j',
    (value) => {
      const found = parseNeighbors(changed(NEIGHBORS, ['default', 'fd09::3', 'nbrDesc'], value));
      expect([...found.sessions.keys()]).toEqual(['tor-1']);
      expect([...found.traffic.keys()]).toEqual(['tor-1']);
    },
  );

  it.each(NO_OBJECT)('is gone with its instance: %j', (value) => {
    const found = parseNeighbors(changed(NEIGHBORS, ['default'], value));
    expect([...found.sessions.keys()]).toEqual(['tor-1']);
    expect([...found.feeds.keys()]).toEqual(['plain-9']);
  });
});

describe('the feed', () => {
  const whole: FeedNeighbor = {
    established: true,
    waiting: false,
    connectionsDropped: 0,
    paths: { 4: 6, 6: 2 },
  };

  it.each<[string, readonly unknown[], Partial<FeedNeighbor>]>([
    [
      'bgpState',
      [...NO_TEXT, 'Idle', 'Connect', 'OpenSent', 'OpenConfirm', 'Clearing', ''],
      { established: false },
    ],
    ['bgpState', ['Active'], { established: false, waiting: true }],
    ['connectionsDropped', NO_NUMBER, {}],
    ['connectionsDropped', [2], { connectionsDropped: 2 }],
    ['addressFamilyInfo', NO_OBJECT, { paths: { 4: 0, 6: 0 } }],
    [`addressFamilyInfo ${V4}`, NO_OBJECT, { paths: { 4: 0, 6: 2 } }],
    [`addressFamilyInfo ${V4} acceptedPrefixCounter`, NO_NUMBER, { paths: { 4: 0, 6: 2 } }],
    [`addressFamilyInfo ${V4} sentPrefixCounter`, [undefined, 7], {}],
  ])('with another %s: %j', (place, values, differs) => {
    for (const value of values) {
      const answer = changed(NEIGHBORS, ['default', '127.0.0.2', ...place.split(' ')], value);
      expect(parseNeighbors(answer).feeds.get('default')).toEqual({ ...whole, ...differs });
    }
  });
});

describe('a path', () => {
  const PATH: HeldPath = {
    prefix: '192.0.0.8/32',
    nextHop: '192.0.0.8',
    pathId: 1,
    med: 77,
    selected: true,
    communities: [],
    largeCommunities: ['4294967295:1:0', '4294967295:2:5'],
    advertisedTo: [],
  };
  const MARKER = fixture('marker.json');

  it.each<[string, readonly unknown[], Partial<HeldPath>]>([
    ['addpathRxId', NO_NUMBER, { pathId: 0 }],
    ['addpathRxId', [4_294_967_295], { pathId: 4_294_967_295 }],
    ['addpathTxIdAll', [9], {}],
    ['metric', NO_NUMBER, { med: undefined }],
    ['metric', [0], { med: 0 }],
    ['bestpath', NO_OBJECT, { selected: false }],
    ['bestpath overall', NOT_TRUE, { selected: false }],
    ['community', [...NO_OBJECT, {}, { list: 'x' }, { list: [7, null] }], {}],
    ['community', [{ list: ['65000:1', 7, 'no-export'] }], { communities: ['65000:1', 'no-export'] }],
    ['largeCommunity', [...NO_OBJECT, {}, { list: {} }], { largeCommunities: [] }],
    ['largeCommunity list', [[null, '1:2:3']], { largeCommunities: ['1:2:3'] }],
    ['nexthops', [undefined, null, 7, 'x', {}, [], [null], ['x']], { nextHop: '' }],
    ['nexthops', [[{ ip: '192.0.2.1' }]], { nextHop: '192.0.2.1' }],
    ['nexthops', [[{ ip: 'fe80::1' }, { ip: 'fd09::1', used: true }]], { nextHop: 'fd09::1' }],
    ['nexthops', [[{ ip: 'fe80::1', used: 'yes' }, { ip: 'fd09::1' }]], { nextHop: 'fe80::1' }],
    ['nexthops 0 ip', NO_TEXT, { nextHop: '' }],
    ['nexthops 0 used', NOT_TRUE, {}],
    ['advertisedTo', NO_OBJECT, {}],
    ['advertisedTo', [{ 'fd09::3': {}, '192.0.2.2': 7 }], { advertisedTo: ['fd09::3', '192.0.2.2'] }],
    ['peer', NO_OBJECT, {}],
  ])('with another %s: %j', (place, values, differs) => {
    for (const value of values) {
      const answer = changed(MARKER, ['paths', '0', ...place.split(' ')], value);
      expect(parsePrefix(answer)).toEqual([{ ...PATH, ...differs }]);
    }
  });

  it.each([undefined, null, 7, 'x', {}])('in no list is none: %j', (value) => {
    expect(parsePrefix(changed(MARKER, ['paths'], value))).toEqual([]);
    expect(markerSeen(changed(MARKER, ['paths'], value), '4294967295:2:5')).toBe(false);
  });

  it.each(NO_TEXT)('of a prefix without a name has none: %j', (value) => {
    expect(parsePrefix(changed(MARKER, ['prefix'], value))).toEqual([{ ...PATH, prefix: '' }]);
  });
});

describe('a table', () => {
  const TABLE = fixture('table-ipv4.json');

  it.each([undefined, null, '5', true, []])('counts itself where bgpd does not: %j', (value) => {
    const answer = changed(changed(TABLE, ['totalRoutes'], value), ['totalPaths'], value);
    expect(parseTable(answer)).toEqual(parseTable(TABLE));
  });

  it.each([undefined, null, 7, 'x', []])('without routes holds nothing: %j', (value) => {
    expect(parseTable(changed(TABLE, ['routes'], value)).paths).toEqual([]);
  });

  it('keeps what can be read beside what cannot', () => {
    const answer = changed(TABLE, ['routes', '192.0.0.8/32'], 'odd');
    const rest = parseTable(TABLE).paths.filter(({ prefix }) => prefix !== '192.0.0.8/32');
    expect(parseTable(answer).paths).toEqual(rest);
  });
});

const of = (heap: string, used: string, mapped: string): string =>
  `  Total heap allocated:  ${heap}\n  Holding block headers: ${mapped}\n  Used ordinary blocks:  ${used}\n`;

describe('memory', () => {
  it.each([
    [of('2 MiB', '1 MiB', '0 bytes'), 2 * 1024 ** 2, 1024 ** 2],
    [of('2 GiB', '1 GiB', '1 KiB'), 2 * 1024 ** 3 + 1024, 1024 ** 3 + 1024],
    [of('512 bytes', '1 bytes', '1 bytes'), 513, 2],
    [of('2 TiB', '1 KiB', '0 bytes'), 0, 1024],
    [of('-1 KiB', 'x KiB', '7 KiB'), 7168, 7168],
    [of('(> 2GB)', '1 KiB', '0 bytes'), 0, 1024],
    ['', 0, 0],
  ])('%j', (text, heapBytes, usedBytes) => {
    expect(parseMemory(text)).toEqual({ heapBytes, usedBytes });
  });
});
