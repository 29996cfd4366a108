import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { markerSeen, parsePrefix, parseTable } from '../src/state/parse-routes.ts';
import { parseMemory } from '../src/state/parse-memory.ts';
import { parseNeighbors } from '../src/state/parse-neighbors.ts';
import { sessionError } from '../src/state/session-error.ts';

function fixture(name: string): string {
  return readFileSync(new URL(`fixtures/${name}`, import.meta.url), 'utf8');
}

function json(name: string): unknown {
  return JSON.parse(fixture(name));
}

describe('what bgpd 10.3 says of its neighbours', () => {
  const { sessions, traffic, feeds } = parseNeighbors(json('neighbors.json'));

  it('is the state of each peer, in whatever instance, by name', () => {
    expect([...sessions.keys()].sort()).toEqual(['rr-1', 'tor-1']);
    expect(sessions.get('rr-1')).toEqual({
      state: 'Established',
      sinceMs: 1796161588000,
      families: [4, 6],
      addPathReceive: { 4: true, 6: true },
      localAddress: 'fd09::1',
      authenticated: false,
      lastError: '',
      connectionsDropped: 0,
      remoteAs: 65000,
    });
  });

  it('says why a session is down, and does not claim what is not known', () => {
    expect(sessions.get('tor-1')).toMatchObject({
      state: 'Idle',
      sinceMs: undefined,
      families: [],
      addPathReceive: undefined,
      localAddress: 'fd09::1',
      lastError: 'BGP Notification send: UPDATE Message Error/Invalid NEXT_HOP Attribute',
    });
  });

  it('counts paths, not prefixes, and knows the instance', () => {
    expect(traffic.get('rr-1')).toMatchObject({
      instance: 'default',
      pathsSent: { 4: 3, 6: 2 },
      holdTimeSeconds: 30,
    });
    expect(traffic.get('tor-1')?.instance).toBe('plain-9');
  });

  it('has the feeds by instance', () => {
    expect([...feeds]).toEqual([
      ['default', { established: true, waiting: false, connectionsDropped: 0, paths: { 4: 6, 6: 2 } }],
      ['plain-9', { established: true, waiting: false, connectionsDropped: 0, paths: { 4: 1, 6: 0 } }],
    ]);
  });
});

function state(fields: Record<string, unknown>): unknown {
  const neighbor = { nbrDesc: 'peer x', ...fields };
  return parseNeighbors({ default: { vrfId: 0, '192.0.2.2': neighbor } }).sessions.get('x');
}
const capabilities = (receives: unknown): Record<string, unknown> => ({
  bgpState: 'Established',
  neighborCapabilities: {
    addPath: { ipv4Unicast: { rxReceived: receives } },
    multiprotocolExtensions: {
      ipv4Unicast: { advertisedAndReceived: true },
      ipv6Unicast: { advertised: true },
    },
  },
});

describe('one neighbour', () => {
  it.each<[string, Record<string, unknown>, Record<string, unknown>]>([
    ['with nothing but its name', {}, { state: 'Idle', connectionsDropped: 0, remoteAs: undefined }],
    ['being cleared', { bgpState: 'Clearing' }, { state: 'Idle' }],
    ['of a dynamic ASN before the first OPEN', { remoteAs: 0 }, { remoteAs: undefined }],
    ['with a password', { authenticationEnabled: 1 }, { authenticated: true }],
    [
      'that takes several IPv4 paths',
      capabilities(true),
      { families: [4], addPathReceive: { 4: true, 6: false } },
    ],
    ['that takes one path', capabilities(false), { addPathReceive: { 4: false, 6: false } }],
    [
      'with fields of another type',
      { bgpState: 7, connectionsDropped: 'x', hostLocal: [] },
      { state: 'Idle', connectionsDropped: 0, localAddress: undefined },
    ],
    ['not bound yet', { hostLocal: 'Unknown' }, { localAddress: undefined }],
  ])('%s', (_name, fields, expected) => {
    expect(state(fields)).toMatchObject(expected);
  });

  it.each([
    ['that nobody described', { default: { '192.0.2.2': { bgpState: 'Established' } } }],
    ['of an operator', { default: { '192.0.2.2': { nbrDesc: 'uplink' } } }],
    ['that is no object', { default: { '192.0.2.2': 'x' } }],
    ['nowhere', {}],
    ['in no object', [1, 2]],
    ['in nothing', null],
  ])('%s is not ours', (_name, answer) => {
    expect(parseNeighbors(answer).sessions.size).toBe(0);
  });
});

describe('the reason why a session is down', () => {
  it.each<[Record<string, unknown>, string]>([
    [{}, ''],
    [{ bgpState: 'Idle', lastResetDueTo: 'Waiting for peer OPEN' }, 'Waiting for peer OPEN'],
    [{ bgpState: 'Established', lastResetDueTo: 'Address family activated' }, ''],
    [
      {
        bgpState: 'Established',
        connectionsDropped: 1,
        lastResetDueTo: 'BGP Notification received',
        lastNotificationReason: 'Cease/Connection Collision Resolution',
      },
      'BGP Notification received: Cease/Connection Collision Resolution',
    ],
    [
      {
        bgpState: 'Active',
        lastResetDueTo: 'BGP Notification received',
        lastNotificationReason: 'Cease/Administrative Shutdown',
        lastNotificationHardReset: true,
        lastShutdownDescription: 'maintenance',
      },
      'BGP Notification received: Cease/Administrative Shutdown, hard reset, maintenance',
    ],
  ])('%j', (neighbor, expected) => {
    expect(sessionError(neighbor)).toBe(expected);
  });
});

describe('what bgpd 10.3 says of its table', () => {
  const table = parseTable(json('table-ipv4.json'));

  it('is every path with its own next hop, path id and receivers', () => {
    expect(table.paths.filter(({ prefix }) => prefix === '203.0.113.1/32')).toEqual([
      {
        prefix: '203.0.113.1/32',
        nextHop: '10.9.0.101',
        pathId: 1,
        med: 77,
        selected: true,
        communities: ['65000:100'],
        largeCommunities: ['65000:5:5', '4294967295:1:0'],
        advertisedTo: ['fd09::3'],
      },
      {
        prefix: '203.0.113.1/32',
        nextHop: '10.9.0.102',
        pathId: 2,
        med: 77,
        selected: false,
        communities: ['65000:100'],
        largeCommunities: ['65000:5:5', '4294967295:1:0'],
        advertisedTo: ['fd09::3'],
      },
    ]);
  });

  it('counts prefixes and paths', () => {
    expect([table.prefixCount, table.pathCount, table.paths.length]).toEqual([5, 6, 6]);
  });

  it('is the same for IPv6', () => {
    expect(parseTable(json('table-ipv6.json')).paths.map(({ nextHop }) => nextHop)).toEqual([
      'fd09::101',
      'fd09::102',
    ]);
  });

  it.each([[{}], [null], [[]], [{ routes: { '203.0.113.1/32': 'x' } }], ['text']])(
    '%j is an empty table',
    (answer) => {
      expect(parseTable(answer).paths).toEqual([]);
    },
  );
});

describe('the marker', () => {
  const marker = json('marker.json');
  const path = { bestpath: { overall: true }, largeCommunity: { list: ['4294967295:2:5'] } };

  it.each<[string, unknown, string, boolean]>([
    ['has arrived', marker, '4294967295:2:5', true],
    ['is an older one', marker, '4294967295:2:6', false],
    ['is not there', {}, '4294967295:2:5', false],
    ['is not selected', { paths: [{ ...path, bestpath: {} }] }, '4294967295:2:5', false],
    ['is selected', { paths: [path] }, '4294967295:2:5', true],
    ['is no path', { paths: ['x'] }, '4294967295:2:5', false],
  ])('%s', (_name, answer, community, expected) => {
    expect(markerSeen(answer, community)).toBe(expected);
  });

  it('went to nobody', () => {
    expect(parsePrefix(marker).map(({ advertisedTo }) => advertisedTo)).toEqual([[]]);
  });
});

describe('memory', () => {
  it('of bgpd 10.3', () => {
    expect(parseMemory(fixture('memory.txt'))).toEqual({
      heapBytes: (10480 + 4428) * 1024,
      usedBytes: (9588 + 4428) * 1024,
    });
  });

  it.each([
    ['', 0],
    ['  Total heap allocated:  3 MiB\n', 3 * 1024 ** 2],
    ['  Total heap allocated:  12 bytes\n  Holding block headers: 1 KiB\n', 1036],
    ['  Total heap allocated:  lots\n', 0],
  ])('%j', (text, heapBytes) => {
    expect(parseMemory(text).heapBytes).toBe(heapBytes);
  });
});
