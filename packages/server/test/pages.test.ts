// Filters and pages of lists with many items, compared with a plain filter over all of them.

import { PersistentMap, exportTag, prefix, type Path } from '@herald/net';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Server } from '../src/index.ts';
import type { RouteView } from '../src/render/render-routes.ts';
import type { ServiceView } from '../src/render/render-services.ts';
import { path, planned, serve, service, session, peer, table, views } from './fixture.ts';

const PEERS = ['p1', 'p2', 'p6'];
const HOPS = ['10.0.0.11', '10.0.0.12', '10.0.0.13'];
const NAMESPACES = ['a', 'b', 'c'];

/** Every second one for one peer, every third for all. */
function pathsOf(i: number): Path[] {
  const tag = i % 3 === 0 ? 0 : (i % 2) + 1;
  return HOPS.slice(0, (i % HOPS.length) + 1).map((hop, id) => path(hop, id + 1, [exportTag(tag)]));
}

const ROUTES = Array.from({ length: 250 }, (_, i): [string, ...Path[]] => {
  const text = i % 5 === 0 ? `2001:db8::${(i + 1).toString(16)}/128` : `203.0.113.${i + 1}/32`;
  return [prefix(text).text, ...pathsOf(i)];
});

const SERVICES = Array.from({ length: 250 }, (_, i) =>
  service(NAMESPACES[i % NAMESPACES.length] ?? '', `s${String(i).padStart(3, '0')}`),
);

const isAnnounced = (i: number): boolean => i % 4 === 0;

let server: Server;
let routes: readonly RouteView[];
let services: readonly ServiceView[];

beforeAll(async () => {
  const base = views();
  server = await serve({
    world: {
      ...base.world,
      services: PersistentMap.from(SERVICES.toReversed().map((one) => [one.key, one] as const)),
      peers: PersistentMap.from(PEERS.map((name) => [name, peer(name)] as const)),
      sessions: PersistentMap.from(PEERS.map((name) => [name, session()] as const)),
    },
    decision: {
      ...base.decision,
      tables: { shared: table(...ROUTES.toReversed()), views: new Map() },
      sessions: {
        ...base.decision.sessions,
        peers: [
          planned('p1', 1),
          planned('p2', 2, { families: [4, 6] }),
          planned('p6', 6, { families: [6] }),
        ],
      },
      services: PersistentMap.from(
        SERVICES.map((one, i) => [
          one.key,
          {
            announced: isAnnounced(i),
            reason: isAnnounced(i) ? ('Advertised' as const) : ('NoAddress' as const),
            prefixes: [],
            nextHops: i,
            remarks: [],
          },
        ]),
      ),
    },
  });
  routes = (await get<RouteView>('/api/v1/routes?limit=1000')).items;
  services = (await get<ServiceView>('/api/v1/services?limit=1000')).items;
});
afterAll(() => server.close());

interface Listed<T> {
  readonly total: number;
  readonly limit: number;
  readonly offset: number;
  readonly items: readonly T[];
}

async function get<T>(url: string): Promise<Listed<T>> {
  const response = await server.app.inject({ url });
  expect(response.statusCode).toBe(200);
  return response.json<Listed<T>>();
}

const queryOf = (parameters: Readonly<Record<string, unknown>>): string =>
  new URLSearchParams(
    Object.entries(parameters)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]): [string, string] => [name, String(value)]),
  ).toString();

const maybe = <T>(...values: readonly T[]): fc.Arbitrary<T | undefined> =>
  fc.constantFrom(undefined, ...values);

describe('the whole list', () => {
  it('of routes is complete, IPv4 first, each once', () => {
    const prefixes = routes.map((route) => route.prefix);
    expect(prefixes).toHaveLength(250);
    expect(new Set(prefixes)).toEqual(new Set(ROUTES.map(([text]) => text)));
    const families = routes.map((route) => route.family).join();
    expect(families).toMatch(/^(?:ipv4,)+(?:ipv6,)+ipv6$/);
  });

  it('of services is complete, by namespace and name', () => {
    const keys = services.map((one) => `${one.namespace}/${one.name}`);
    expect(keys).toEqual(SERVICES.map((one) => one.key).sort());
  });
});

describe('pages', () => {
  it.each<[string, number, number, number]>([
    ['/api/v1/routes', 100, 0, 100],
    ['/api/v1/routes', 100, 200, 50],
    ['/api/v1/routes', 100, 249, 1],
    ['/api/v1/routes', 100, 250, 0],
    ['/api/v1/routes', 1, 249, 1],
    ['/api/v1/routes', 1000, 1, 249],
    ['/api/v1/services', 100, 0, 100],
    ['/api/v1/services', 7, 248, 2],
    ['/api/v1/services', 100, 250, 0],
    ['/api/v1/services', 100, 999_999, 0],
  ])('of %s with limit %d after %d hold %d', async (url, limit, offset, length) => {
    const page = await get(`${url}?limit=${limit}&offset=${offset}`);
    expect([page.total, page.limit, page.offset, page.items.length]).toEqual([250, limit, offset, length]);
  });

  it.each(['/api/v1/routes', '/api/v1/services'])('of %s put together are the whole list', async (url) => {
    const whole = await get(`${url}?limit=1000`);
    for (const limit of [1, 7, 49, 250]) {
      const parts: unknown[] = [];
      for (let offset = 0; offset < 250; offset += limit) {
        parts.push(...(await get(`${url}?limit=${limit}&offset=${offset}`)).items);
      }
      expect(parts).toEqual(whole.items);
    }
  });
});

describe('filters', () => {
  it('of routes are what a plain filter leaves, on whatever page', async () => {
    const query = fc.record({
      prefix: maybe(...ROUTES.slice(0, 6).map(([text]) => text)),
      nextHop: maybe(...HOPS, '10.9.9.9'),
      peer: maybe(...PEERS),
      family: maybe('ipv4', 'ipv6'),
      limit: maybe(1, 10, 1000),
      offset: maybe(0, 3, 100),
    });
    await fc.assert(
      fc.asyncProperty(query, async (asked) => {
        const expected = routes
          .filter((route) => asked.prefix === undefined || route.prefix === asked.prefix)
          .filter((route) => asked.family === undefined || route.family === asked.family)
          .map((route) => ({
            ...route,
            paths: route.paths
              .filter((one) => asked.nextHop === undefined || one.nextHop === asked.nextHop)
              .filter((one) => asked.peer === undefined || one.peers.includes(asked.peer)),
          }))
          .filter((route) => route.paths.length > 0);
        const { limit = 100, offset = 0 } = asked;
        expect(await get(`/api/v1/routes?${queryOf(asked)}`)).toEqual({
          total: expected.length,
          limit,
          offset,
          items: expected.slice(offset, offset + limit),
        });
      }),
      { numRuns: 60 },
    );
  });

  it('of services are what a plain filter leaves, on whatever page', async () => {
    const query = fc.record({
      namespace: maybe(...NAMESPACES, 'none', ''),
      announced: maybe(true, false),
      limit: maybe(1, 10, 1000),
      offset: maybe(0, 3, 100),
    });
    await fc.assert(
      fc.asyncProperty(query, async (asked) => {
        const expected = services
          .filter((one) => asked.namespace === undefined || one.namespace === asked.namespace)
          .filter((one) => asked.announced === undefined || one.announced === asked.announced);
        const { limit = 100, offset = 0 } = asked;
        expect(await get(`/api/v1/services?${queryOf(asked)}`)).toEqual({
          total: expected.length,
          limit,
          offset,
          items: expected.slice(offset, offset + limit),
        });
      }),
      { numRuns: 60 },
    );
  });

  it.each<[string, number]>([
    ['peer=p1', 200 - 66],
    ['family=ipv4', 200],
    ['family=ipv6', 50],
    ['nextHop=10.9.9.9', 0],
    ['family=ipv4&peer=p6', 0],
    ['prefix=203.0.113.2&family=ipv6', 0],
    ['prefix=203.0.113.2&family=ipv4', 1],
  ])('of routes by %s leave %d', async (query, total) => {
    expect((await get(`/api/v1/routes?${query}`)).total).toBe(total);
  });

  it.each<[string, number]>([
    ['announced=true', 63],
    ['announced=false', 187],
    ['namespace=a', 84],
    ['namespace=c', 83],
    ['namespace=a&announced=true', 21],
    ['namespace=none', 0],
    ['namespace=', 0],
  ])('of services by %s leave %d', async (query, total) => {
    expect((await get(`/api/v1/services?${query}`)).total).toBe(total);
  });
});
