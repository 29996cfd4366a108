import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { NOW, fault, serve } from './fixture.ts';
import type { Server, Views } from '../src/index.ts';
import type { Page } from '../src/render/page.ts';
import type { PeerView } from '../src/render/render-peers.ts';
import type { RouteView } from '../src/render/render-routes.ts';
import type { ServiceView } from '../src/render/render-services.ts';
import type { StatusView } from '../src/render/render-status.ts';

interface Config {
  readonly settings: object;
  readonly sessions: {
    readonly peers: readonly { readonly name: string; readonly password: string | null }[];
  };
}

let server: Server;
beforeAll(async () => {
  server = await serve();
});
afterAll(() => server.close());

interface Got<T> {
  readonly status: number;
  readonly body: T;
}

async function get<T>(url: string, from: Server = server): Promise<Got<T>> {
  const response = await from.app.inject({ url });
  return { status: response.statusCode, body: response.json<T>() };
}

async function getFrom<T>(overrides: Partial<Views>, url: string): Promise<Got<T>> {
  const own = await serve(overrides);
  try {
    return await get<T>(url, own);
  } finally {
    await own.close();
  }
}

const list = async (query: string): Promise<[string, string, string[]][]> => {
  const { status, body } = await get<Page<RouteView>>(`/api/v1/routes${query}`);
  expect(status).toBe(200);
  return body.items.map((item) => [item.table, item.prefix, item.paths.map((p) => p.nextHop)]);
};

const find = async (name: string): Promise<PeerView | undefined> => {
  const { body } = await get<{ items: PeerView[] }>('/api/v1/peers');
  return body.items.find((item) => item.name === name);
};

const loop = { ticks: 1, failedTicks: 0, pendingSinceMs: undefined };

describe('health', () => {
  it.each([
    ['idle', undefined, 200, true, 'the loop ticks'],
    ['in a tick', NOW - 29_999, 200, true, 'the loop ticks'],
    ['stuck in a tick', NOW - 31_000, 503, false, 'a tick has not ended for 31 s'],
  ])('of a loop that is %s', async (_, pendingSinceMs, status, alive, reason) => {
    expect(await getFrom({ loop: { ...loop, pendingSinceMs } }, '/healthz')).toEqual({
      status,
      body: { alive, reason },
    });
  });

  it('does not depend on readiness', async () => {
    const notReady = [{ reason: 'NotSynced', message: 'The source has not been read.' }];
    expect((await getFrom({ notReady }, '/healthz')).status).toBe(200);
  });

  it('is ready when there is nothing left to wait for', async () => {
    expect(await get('/readyz')).toEqual({ status: 200, body: { ready: true, notReady: [] } });
  });

  it('says every reason why it is not ready', async () => {
    const notReady = [
      { reason: 'NotSynced', message: 'The source has not been read.' },
      { reason: 'PeerNotTried', message: 'tor-1 has not been tried for 30 s.' },
    ];
    expect(await getFrom({ notReady }, '/readyz')).toEqual({ status: 503, body: { ready: false, notReady } });
  });
});

describe('status', () => {
  it('shows the replica as a whole', async () => {
    expect(await get('/api/v1/status')).toEqual({
      status: 200,
      body: {
        version: '1.2.3',
        startedAt: '2026-05-01T12:00:00.000Z',
        ready: true,
        notReady: [],
        faults: [fault],
        replica: { name: 'herald-0', leading: true, term: 10 },
        source: { kind: 'folder', synced: true, freshAt: '2026-05-01T11:59:57.500Z', ageSeconds: 2.5 },
        keptTable: { announced: false, from: null, confirmedAt: null, ageSeconds: null },
        loop: { ticks: 42, failedTicks: 1 },
        objects: {
          nodes: 0,
          services: 3,
          endpointSlices: 0,
          namespaces: 0,
          peers: 4,
          pools: 0,
          advertisements: 1,
        },
        services: { announced: 1, notAnnounced: 1 },
        peers: { Established: 2, Active: 1, Unknown: 1 },
        tables: [
          { table: 'shared', family: 'ipv4', prefixes: 2, routes: 3 },
          { table: 'shared', family: 'ipv6', prefixes: 1, routes: 1 },
          { table: 'plain-9', family: 'ipv4', prefixes: 1, routes: 1 },
          { table: 'plain-9', family: 'ipv6', prefixes: 0, routes: 0 },
        ],
        feeds: [
          {
            name: 'shared',
            state: 'established',
            since: '2026-05-01T11:59:59.000Z',
            updatesSent: 5,
            prefixesSent: 9,
            withdrawnSent: 1,
            bytesSent: 700,
            sessionsLost: 2,
          },
        ],
      },
    });
  });

  it('says that the kept table is announced, and how old it is', async () => {
    const keptTable = { confirmedAtMs: Date.parse('2026-05-01T11:00:00Z'), from: 'file' } as const;
    const { body } = await getFrom<StatusView>({ keptTable }, '/api/v1/status');
    expect(body.keptTable).toEqual({
      announced: true,
      from: 'file',
      confirmedAt: '2026-05-01T11:00:00.000Z',
      ageSeconds: 3600,
    });
  });

  it('has no age before the source was read once', async () => {
    const source = { kind: 'folder', synced: false, freshAtMs: 0 } as const;
    const { body } = await getFrom<StatusView>({ source }, '/api/v1/status');
    expect(body.source).toEqual({ kind: 'folder', synced: false, freshAt: null, ageSeconds: null });
  });
});

describe('routes', () => {
  const nine = ['shared', '203.0.113.9/32', ['10.0.0.11']];
  const ten = ['shared', '203.0.113.10/32', ['10.0.0.12', '10.0.0.11']];
  const six = ['shared', '2001:db8::1/128', ['2001:db8:1::11']];
  const own = ['plain-9', '203.0.113.9/32', ['10.0.0.13']];

  it.each([
    ['all, in the order of prefixes', '', [nine, ten, six, own]],
    ['by prefix', '?prefix=203.0.113.9/32', [nine, own]],
    ['by address', '?prefix=203.0.113.9', [nine, own]],
    ['by a prefix in other spelling', '?prefix=2001:DB8:0::1/128', [six]],
    ['by a prefix that is not there', '?prefix=203.0.113.0/24', []],
    ['by family 4', '?family=ipv4', [nine, ten, own]],
    ['by family 6', '?family=ipv6', [six]],
    ['by next hop, only those paths', '?nextHop=10.0.0.12', [['shared', '203.0.113.10/32', ['10.0.0.12']]]],
    ['by a peer whose tag is carried', '?peer=tor-1', [nine, ten, six]],
    ['by a peer whose tag is not, and without IPv6', '?peer=tor-2', [ten]],
    ['by a peer in a view', '?peer=plain', [own]],
    ['by a peer without a session', '?peer=refused', []],
    [
      'by peer and next hop',
      '?peer=tor-1&nextHop=10.0.0.11',
      [nine, ['shared', '203.0.113.10/32', ['10.0.0.11']]],
    ],
    ['on a page', '?limit=2&offset=1', [ten, six]],
    ['behind the last page', '?offset=4', []],
  ])('%s', async (_, query, expected) => {
    expect(await list(query)).toEqual(expected);
  });

  it('counts what is on all pages', async () => {
    const { body } = await get<Page<RouteView>>('/api/v1/routes?limit=1&offset=2');
    expect({ ...body, items: body.items.length }).toEqual({ total: 4, limit: 1, offset: 2, items: 1 });
  });

  it('shows attributes, and peers instead of export tags', async () => {
    const { body } = await get<Page<RouteView>>('/api/v1/routes?prefix=203.0.113.10&nextHop=10.0.0.11');
    expect(body.items[0]?.paths).toEqual([
      {
        nextHop: '10.0.0.11',
        pathId: 1,
        localPref: 100,
        med: 3_999_999_990,
        asPath: [64999],
        communities: ['65000:100'],
        largeCommunities: [expect.stringMatching(/65000:1:2$/)],
        linkBandwidthBytesPerSecond: null,
        peers: ['tor-1', 'tor-2'],
      },
    ]);
  });
});

describe('peers', () => {
  it('come by name', async () => {
    const { body } = await get<{ items: PeerView[] }>('/api/v1/peers');
    expect(body.items.map((item) => item.name)).toEqual(['plain', 'refused', 'tor-1', 'tor-2']);
  });

  it('show verdict, session and what goes to them', async () => {
    expect(await find('tor-1')).toEqual({
      name: 'tor-1',
      address: '192.0.2.1',
      port: 179,
      remoteAs: '64512',
      accepted: true,
      reason: 'Accepted',
      message: '',
      shutdown: false,
      instance: 'shared',
      plannedInstance: 'shared',
      password: '***',
      session: {
        state: 'Established',
        since: '2026-05-01T11:59:00.000Z',
        localAddress: '10.0.0.7',
        remoteAs: 64512,
        authenticated: true,
        connectionsDropped: 3,
        lastError: '',
      },
      families: [
        { family: 'ipv4', carried: true, addPath: 'negotiated' },
        { family: 'ipv6', carried: true, addPath: 'not negotiated' },
      ],
      routes: { prefixes: 3, paths: 4, sentPaths: { ipv4: 3, ipv6: 1 }, nextHopSets: 2, trimmedPaths: 1 },
    });
  });

  it.each([
    [
      'plain',
      ['shared', 'plain-9'],
      [{ family: 'ipv4', carried: true, addPath: 'not negotiated' }],
      'Established',
    ],
    ['tor-2', ['none', 'shared'], [{ family: 'ipv4', carried: false, addPath: 'unknown' }], 'Active'],
    ['refused', ['none', 'none'], [{ family: 'ipv4', carried: false, addPath: 'unknown' }], 'Unknown'],
  ])(
    'say where %s runs, where it should, and what it negotiated',
    async (name, instances, families, state) => {
      const found = await find(name);
      expect([[found?.instance, found?.plannedInstance], found?.families, found?.session.state]).toEqual([
        instances,
        families,
        state,
      ]);
    },
  );

  it('give the reason of a refused one', async () => {
    expect(await find('refused')).toMatchObject({
      accepted: false,
      reason: 'DuplicatePeerAddress',
      message: 'tor-1 has it',
      password: null,
    });
  });
});

describe('leader', () => {
  it('is named with its term', async () => {
    expect(await get('/api/v1/leader')).toEqual({
      status: 200,
      body: { leading: true, term: 10, holder: 'herald-0', since: '2026-05-01T11:58:00.000Z' },
    });
  });

  it('may be nobody', async () => {
    const leader = { holder: undefined, sinceMs: undefined };
    const { body } = await getFrom({ leader }, '/api/v1/leader');
    expect(body).toEqual({ leading: true, term: 10, holder: null, since: null });
  });
});

describe('replicas', () => {
  it('come by name, each with what it says', async () => {
    const { body } = await get<{ items: { name: string; role: string }[] }>('/api/v1/replicas');
    expect(body.items.map((item) => [item.name, item.role])).toEqual([
      ['herald-0', 'Leader'],
      ['herald-1', 'Standby'],
    ]);
    expect(body.items[0]).toEqual({
      name: 'herald-0',
      role: 'Leader',
      term: 10,
      node: 'cp-1',
      version: '1.2.3',
      sessions: '1/2',
      prefixes: 3,
      routes: 4,
      nextHopSets: 2,
      lastContact: '2026-05-01T11:59:57Z',
      peers: [
        {
          name: 'tor-1',
          state: 'Established',
          since: '2026-05-01T11:59:00Z',
          localAddress: '10.0.0.7',
          authenticated: true,
          fenced: 'Unknown',
          families: [
            { family: 'ipv4', addPath: true, gracefulRestart: false, pathsDesired: 3, pathsAdvertised: 2 },
            { family: 'ipv6', addPath: false, gracefulRestart: false, pathsDesired: 0, pathsAdvertised: 0 },
          ],
          reason: 'NoAddPath',
          lastError: 'Hold Timer Expired',
          flaps: 3,
        },
        {
          name: 'tor-2',
          state: 'Active',
          since: null,
          localAddress: null,
          authenticated: false,
          fenced: 'Unknown',
          families: [],
          reason: null,
          lastError: '',
          flaps: 0,
        },
      ],
      conditions: [
        { type: 'Ready', status: 'True', reason: 'Ready', message: 'It is.', since: '2026-05-01T11:00:00Z' },
      ],
    });
  });

  it('come with what they tell each other directly', async () => {
    const { body } = await get<{ exchange: object }>('/api/v1/replicas');
    expect(body.exchange).toEqual({
      stale: false,
      heard: [
        {
          name: 'herald-1',
          heardAt: '2026-05-01T11:59:59.500Z',
          stale: true,
          ageSeconds: 7.5,
          leading: false,
          term: 10,
          leaving: false,
          serves: ['192.0.2.1'],
        },
      ],
      problems: [{ subject: 'https://10.244.3.7:8443', problem: 'no answer' }],
    });
  });

  it('that say nothing are shown as nothing', async () => {
    const { body } = await getFrom<{ items: object[] }>(
      { replicas: new Map([['new', {}]]) },
      '/api/v1/replicas',
    );
    expect(body.items).toEqual([
      {
        name: 'new',
        role: 'Unknown',
        term: 0,
        node: '',
        version: '',
        sessions: '',
        prefixes: 0,
        routes: 0,
        nextHopSets: 0,
        lastContact: null,
        peers: [],
        conditions: [],
      },
    ]);
  });
});

describe('services', () => {
  it.each([
    ['', ['default/wait', 'default/web', 'shop/web']],
    ['?namespace=shop', ['shop/web']],
    ['?namespace=none', []],
    ['?announced=true', ['default/web']],
    ['?announced=false', ['default/wait', 'shop/web']],
    ['?limit=1&offset=1', ['default/web']],
  ])('list %s', async (query, expected) => {
    const { body } = await get<Page<ServiceView>>(`/api/v1/services${query}`);
    expect(body.items.map((item) => `${item.namespace}/${item.name}`)).toEqual(expected);
  });

  it('show verdicts, also of one that is not decided about yet', async () => {
    const { body } = await get<Page<ServiceView>>('/api/v1/services');
    expect(body.items).toEqual([
      {
        namespace: 'default',
        name: 'wait',
        addresses: [],
        announced: false,
        reason: 'NoAddress',
        prefixes: [],
        nextHops: 0,
        remarks: [],
        unmet: 'PoolExhausted',
      },
      {
        namespace: 'default',
        name: 'web',
        addresses: ['203.0.113.1'],
        announced: true,
        reason: 'Advertised',
        prefixes: ['203.0.113.9/32'],
        nextHops: 2,
        remarks: ['MaxRoutes'],
        unmet: null,
      },
      {
        namespace: 'shop',
        name: 'web',
        addresses: [],
        announced: false,
        reason: 'Undecided',
        prefixes: [],
        nextHops: 0,
        remarks: [],
        unmet: null,
      },
    ]);
  });

  it('explain one in plain values', async () => {
    const { status, body } = await get<{ service: ServiceView; explanation: object }>(
      '/api/v1/services/default/web',
    );
    expect([status, body.service.reason]).toEqual([200, 'Advertised']);
    expect(body.explanation).toEqual({
      checks: [
        { reason: 'NotLoadBalancer', passed: true },
        { reason: 'NoAddress', passed: true },
      ],
      addresses: [
        { address: '203.0.113.9', pool: 'public', advertisements: ['default'] },
        { address: '203.0.113.200', pool: null, advertisements: [] },
      ],
      nodes: [
        {
          node: 'n1',
          reason: 'NodeNotReady',
          checks: [{ reason: 'NodeNotReady', passed: false }],
          usableEndpoints: { ipv4: 2, ipv6: 0 },
        },
        { node: 'n2', reason: null, checks: [], usableEndpoints: { ipv4: 1, ipv6: 0 } },
      ],
      prefixes: [
        {
          prefix: '203.0.113.9/32',
          services: ['default/web'],
          peers: [
            {
              peer: 'tor-1',
              reason: null,
              advertisements: ['default'],
              nextHops: [
                {
                  nextHop: '10.0.0.11',
                  localPref: 100,
                  med: 3_999_999_990,
                  asPath: [64999],
                  communities: ['65000:100'],
                  largeCommunities: [expect.stringMatching(/65000:1:2$/)],
                  linkBandwidthBytesPerSecond: null,
                },
              ],
              leftOut: [{ node: 'n1', reason: 'NodeNotReady' }],
            },
            { peer: 'tor-2', reason: 'NoNextHop', advertisements: [], nextHops: [], leftOut: [] },
          ],
        },
      ],
    });
  });
});

describe('config', () => {
  it('shows settings and sessions', async () => {
    const { body } = await get<Config>('/api/v1/config');
    expect(body.settings).toMatchObject({ asn: 65000, routerId: '10.0.0.7', source: { kind: 'folder' } });
    expect(body.sessions.peers.map((item) => [item.name, item.password])).toEqual([
      ['plain', null],
      ['tor-1', '***'],
      ['tor-2', null],
    ]);
  });
});
