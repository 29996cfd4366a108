// Every answer, in every state of the replica that changes its shape, is what the OpenAPI document says; and
// the schemas are narrow enough to notice a field that is missing, of another type or too many.

import { PersistentMap, address } from '@herald/net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Server, Views } from '../src/index.ts';
import { documentOf, schemaOf, violations, type Json, type OpenApi } from './documented.ts';
import { NOW, fault, path, peer, planned, serve, service, session, table, views } from './fixture.ts';

let server: Server;
let document: OpenApi;
beforeAll(async () => {
  server = await serve();
  document = await documentOf(server);
});
afterAll(() => server.close());

/** A path of the document and the addresses that it answers. */
const ENDPOINTS: readonly (readonly [string, readonly string[]])[] = [
  ['/healthz', ['/healthz']],
  ['/readyz', ['/readyz']],
  ['/api/v1/status', ['/api/v1/status']],
  ['/api/v1/config', ['/api/v1/config']],
  [
    '/api/v1/routes',
    [
      '/api/v1/routes',
      '/api/v1/routes?limit=1',
      '/api/v1/routes?offset=1000',
      '/api/v1/routes?family=ipv6',
      '/api/v1/routes?peer=tor-1&nextHop=10.0.0.11',
    ],
  ],
  ['/api/v1/next-hops', ['/api/v1/next-hops', '/api/v1/next-hops?eligible=false&limit=2']],
  ['/api/v1/peers', ['/api/v1/peers']],
  ['/api/v1/leader', ['/api/v1/leader']],
  ['/api/v1/replicas', ['/api/v1/replicas']],
  [
    '/api/v1/services',
    ['/api/v1/services', '/api/v1/services?announced=true', '/api/v1/services?offset=1000'],
  ],
  [
    '/api/v1/services/{namespace}/{name}',
    ['/api/v1/services/default/web', '/api/v1/services/default/wait', '/api/v1/services/shop/web'],
  ],
];

const base = views();

const world = (overrides: Partial<Views['world']>): Partial<Views> => ({
  world: { ...base.world, ...overrides },
});
const decision = (overrides: Partial<Views['decision']>): Partial<Views> => ({
  decision: { ...base.decision, ...overrides },
});

const STATES: readonly (readonly [string, Partial<Views>])[] = [
  ['the fixture', {}],
  [
    'before anything is known',
    { source: { kind: 'folder', synced: false, freshAtMs: 0 }, feeds: [], faults: [] },
  ],
  ['not ready', { notReady: [{ reason: 'NotSynced', message: 'The source has not been read.' }] }],
  ['stuck', { loop: { ticks: 0, failedTicks: 7, pendingSinceMs: NOW - 60_000 } }],
  ['from an API server', { source: { kind: 'kubernetes', synced: true, freshAtMs: NOW } }],
  ['ahead of its clock', { source: { kind: 'kubernetes', synced: true, freshAtMs: NOW + 5000 } }],
  ['a standby', world({ leadership: { leading: false, term: 0 } })],
  ['without objects', world({ services: PersistentMap.empty(), peers: PersistentMap.empty() })],
  ['without sessions', world({ sessions: PersistentMap.empty() })],
  [
    'a session that never was',
    world({
      sessions: PersistentMap.from([
        [
          'tor-1',
          session({
            state: 'Idle',
            sinceMs: undefined,
            localAddress: undefined,
            remoteAs: undefined,
            addPathReceive: undefined,
            families: [],
          }),
        ],
      ]),
    }),
  ],
  [
    'a peer by kind',
    world({
      peers: PersistentMap.from([
        ['in', peer('in', { remoteAs: 'internal' })],
        ['out', peer('out', { remoteAs: 'external', shutdown: true })],
      ]),
    }),
  ],
  [
    'a peer over IPv6',
    world({
      peers: PersistentMap.from([['six', peer('six', { address: address('2001:db8::1'), families: [6] })]]),
    }),
  ],
  [
    'a Service with both families',
    world({
      services: PersistentMap.from([
        ['default/web', service('default', 'web', ['203.0.113.1', '2001:db8::1'])],
      ]),
    }),
  ],
  [
    'undecided',
    decision({
      services: PersistentMap.empty(),
      peers: PersistentMap.empty(),
      peerRoutes: PersistentMap.empty(),
    }),
  ],
  ['without routes', decision({ tables: { shared: table(), views: new Map() } })],
  ['a prefix without paths', decision({ tables: { shared: table(['203.0.113.9/32']), views: new Map() } })],
  [
    'many paths',
    decision({
      tables: {
        shared: table(['2001:db8::/64', ...Array.from({ length: 64 }, (_, i) => path('2001:db8::1', i))]),
        views: new Map(),
      },
    }),
  ],
  [
    'views only',
    decision({
      tables: {
        shared: table(),
        views: new Map([
          ['b', table(['203.0.113.9/32', path('10.0.0.1', 1)])],
          ['a', table()],
        ]),
      },
    }),
  ],
  [
    'sessions with everything',
    decision({
      sessions: {
        asn: 4_294_967_295,
        routerId: address('10.0.0.7'),
        peers: [
          planned('tor-1', 7, {
            localAs: 65001,
            sourceAddress: address('10.0.0.9'),
            shutdown: true,
            internal: true,
            gracefulRestart: undefined,
            ttlSecurityHops: 1,
          }),
        ],
      },
    }),
  ],
  ['led by nobody', { leader: { holder: undefined, sinceMs: undefined } }],
  ['alone', { replicas: new Map(), running: new Map() }],
  [
    'with replicas that say nothing',
    {
      replicas: new Map([
        ['b', {}],
        ['a', { peers: [] }],
      ]),
    },
  ],
  ['many faults', { faults: Array.from({ length: 50 }, (_, i) => ({ ...fault, object: `BGPPeer p${i}` })) }],
  [
    'feeds in every state',
    {
      feeds: (['idle', 'connecting', 'open-sent', 'open-confirm', 'established'] as const).map((state) => ({
        name: state,
        state,
        sinceMs: state === 'idle' ? undefined : NOW,
        counters: { updatesSent: 0, prefixesSent: 0, withdrawnSent: 0, bytesSent: 0, sessionsLost: 0 },
      })),
    },
  ],
];

describe.each(STATES)('%s', (_, overrides) => {
  let own: Server;
  beforeAll(async () => {
    own = await serve(overrides);
  });
  afterAll(() => own.close());

  it.each(ENDPOINTS)('%s', async (template, urls) => {
    for (const url of urls) {
      const { statusCode, headers, body } = await own.app.inject({ url });
      const type = statusCode === 404 ? 'application/problem+json' : 'application/json';
      expect(headers['content-type']).toBe(`${type}; charset=utf-8`);
      expect([
        url,
        statusCode,
        violations(schemaOf(document, template, statusCode), JSON.parse(body)),
      ]).toEqual([url, statusCode, []]);
    }
  });
});

describe('refusals', () => {
  it.each([
    ['/api/v1/status', '/api/v1/status?x=1', 400],
    ['/api/v1/config', '/api/v1/config?x=1', 400],
    ['/api/v1/peers', '/api/v1/peers?x=1', 400],
    ['/api/v1/leader', '/api/v1/leader?x=1', 400],
    ['/api/v1/replicas', '/api/v1/replicas?x=1', 400],
    ['/api/v1/routes', '/api/v1/routes?limit=0', 400],
    ['/api/v1/routes', '/api/v1/routes?prefix=x', 400],
    ['/api/v1/routes', '/api/v1/routes?peer=none', 404],
    ['/api/v1/services', '/api/v1/services?announced=x', 400],
    ['/api/v1/services/{namespace}/{name}', '/api/v1/services/a/b', 404],
    ['/api/v1/services/{namespace}/{name}', '/api/v1/services/a/b?x=1', 400],
  ])('of %s: %s is a documented %d', async (template, url, status) => {
    const response = await server.app.inject({ url });
    expect(response.statusCode).toBe(status);
    expect(violations(schemaOf(document, template, status), response.json())).toEqual([]);
  });

  it.each(['/api/v1/status', '/api/v1/config', '/api/v1/routes', '/api/v1/peers', '/api/v1/services'])(
    'of %s by another name is a documented 421',
    async (url) => {
      const response = await server.app.inject({ url, headers: { host: 'evil.example' } });
      expect(response.statusCode).toBe(421);
      expect(violations(schemaOf(document, url, 421), response.json())).toEqual([]);
    },
  );
});

/** Every object in a value, with its path. */
function* objectsIn(value: unknown, at = ''): Generator<readonly [string, Json]> {
  if (typeof value === 'object' && value !== null) {
    if (!Array.isArray(value)) {
      yield [at, value as Json];
    }
    for (const [key, field] of Object.entries(value)) {
      yield* objectsIn(field, `${at}/${key}`);
    }
  }
}

/** A copy of the value in which the object at the path is another. */
function replaced(value: unknown, at: string, other: Json): unknown {
  const copy = structuredClone(value);
  const keys = at.split('/').slice(1);
  const last = keys.pop();
  if (last === undefined) {
    return other;
  }
  const parent = keys.reduce<Record<string, unknown>>(
    (inner, key) => inner[key] as Record<string, unknown>,
    copy as Record<string, unknown>,
  );
  parent[last] = other;
  return copy;
}

/** Maps from names to numbers, and what follows the types of other packages. */
const OPEN = /^\/(?:objects|peers|settings|sessions)(?:\/|$)/;

describe('a schema notices', () => {
  it.each(ENDPOINTS.map(([template, urls]): [string, string] => [template, urls[0] ?? '']))(
    'of %s what is missing, what is null and what is too many',
    async (template, url) => {
      const { body } = await server.app.inject({ url });
      const answer: unknown = JSON.parse(body);
      const schema = schemaOf(document, template, 200);
      const closed = [...objectsIn(answer)].filter(([at]) => !OPEN.test(at));
      expect(closed.length).toBeGreaterThan(0);
      for (const [at, object] of closed) {
        expect(violations(schema, replaced(answer, at, { ...object, extra: 1 }))).toEqual([
          `${at} additionalProperties`,
        ]);
        for (const key of Object.keys(object)) {
          const { [key]: _left, ...rest } = object;
          expect(violations(schema, replaced(answer, at, rest))).toEqual([`${at} required`]);
          const wrong = replaced(answer, at, { ...object, [key]: { of: 'another type' } });
          expect([key, violations(schema, wrong).length > 0]).toEqual([
            key,
            !OPEN.test(`${at}/${key}`) || key === 'objects' || key === 'peers',
          ]);
        }
      }
    },
  );
});
