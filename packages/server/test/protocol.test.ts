// What holds for every path: errors, methods, hosts, headers, secrets, and the OpenAPI document.

import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PLANTED, serve } from './fixture.ts';
import type { Server, ViewSource } from '../src/index.ts';
import { createServer } from '../src/index.ts';

let server: Server;
beforeAll(async () => {
  server = await serve();
});
afterAll(() => server.close());

interface Operation {
  readonly summary: string;
  readonly parameters: readonly { readonly name: string }[];
  readonly responses: Readonly<
    Record<string, { readonly content: Readonly<Record<string, { schema: { properties: object } }>> }>
  >;
}

interface Document {
  readonly openapi: string;
  readonly paths: Readonly<Record<string, { readonly get: Operation; readonly post?: Operation }>>;
}

const PATHS = [
  '/healthz',
  '/readyz',
  '/metrics',
  '/api/v1/status',
  '/api/v1/config',
  '/api/v1/routes',
  '/api/v1/peers',
  '/api/v1/leader',
  '/api/v1/next-hops',
  '/api/v1/replicas',
  '/api/v1/services',
  '/api/v1/services/default/web',
  '/api/v1/openapi.json',
];

describe('problems', () => {
  it.each([
    ['an unknown path', '/api/v1/nothing', 404, 'There is nothing at /api/v1/nothing.'],
    ['the root', '/', 404, 'There is nothing at /.'],
    ['an unknown Service', '/api/v1/services/default/none', 404, 'Service "default/none" does not exist.'],
    ['an unknown peer', '/api/v1/routes?peer=none', 404, 'BGPPeer "none" does not exist.'],
    ['a path that cannot be decoded', '/api/v1/services/%zz/web', 400, expect.any(String)],
  ])('%s', async (_, url, status, detail) => {
    const response = await server.app.inject({ url });
    expect(response.headers['content-type']).toMatch(/^application\/problem\+json/);
    expect(response.json()).toEqual({
      type: 'about:blank',
      title: expect.any(String),
      status,
      detail,
      instance: url.split('?')[0],
    });
    expect(response.statusCode).toBe(status);
  });

  it.each([
    ['/api/v1/routes?colour=red', 'colour', /is not known/],
    ['/api/v1/routes?limit=0', 'limit', />= 1/],
    ['/api/v1/routes?limit=1001', 'limit', /<= 1000/],
    ['/api/v1/routes?limit=many', 'limit', /integer/],
    ['/api/v1/routes?limit=1.5', 'limit', /integer/],
    ['/api/v1/routes?limit=1&limit=2', 'limit', /integer/],
    ['/api/v1/routes?offset=-1', 'offset', />= 0/],
    ['/api/v1/routes?family=ipv5', 'family', /one of ipv4, ipv6/],
    ['/api/v1/routes?prefix=203.0.113.1/24', 'prefix', /203\.0\.113\.0\/24/],
    ['/api/v1/routes?prefix=', 'prefix', /fewer than 1/],
    ['/api/v1/routes?prefix=red', 'prefix', /red/],
    ['/api/v1/routes?nextHop=10.0.0.0/8', 'nextHop', /refused/],
    ['/api/v1/services?announced=perhaps', 'announced', /boolean/],
    ['/api/v1/services?name=web', 'name', /is not known/],
    ['/api/v1/status?verbose=1', 'verbose', /is not known/],
    ['/api/v1/config?verbose=1', 'verbose', /is not known/],
    ['/api/v1/peers?verbose=1', 'verbose', /is not known/],
    ['/api/v1/services/default/web?verbose=1', 'verbose', /is not known/],
  ])('%s names the parameter and the rule', async (url, parameter, rule) => {
    const response = await server.app.inject({ url });
    const problem = response.json();
    expect([response.statusCode, problem.status, problem.title]).toEqual([400, 400, 'Bad Request']);
    expect(problem.faults).toEqual([{ parameter, rule: expect.stringMatching(rule) }]);
    expect(problem.detail).toContain(`Query parameter ${parameter} `);
  });

  it('names every bad parameter at once', async () => {
    const response = await server.app.inject({ url: '/api/v1/routes?limit=0&offset=-1&colour=red' });
    const names = response.json().faults.map((fault: { parameter: string }) => fault.parameter);
    expect(names.sort()).toEqual(['colour', 'limit', 'offset']);
  });

  it.each(
    PATHS.flatMap((url) => ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'].map((method) => [method, url])),
  )('%s %s is not allowed', async (method, url) => {
    const response = await server.app.inject({ method: method as 'POST', url, payload: 'x' });
    expect([response.statusCode, response.headers.allow]).toEqual([405, 'GET, HEAD']);
    expect(response.json().status).toBe(405);
  });

  it('says nothing of the inside when something breaks', async () => {
    const broken: ViewSource = {
      current: () => {
        throw new Error(`lost ${PLANTED}`);
      },
      explain: () => undefined,
    };
    const own = await createServer(broken, { version: '1' });
    const response = await own.app.inject({ url: '/api/v1/status' });
    expect([response.statusCode, response.json().detail]).toEqual([
      500,
      'The request could not be answered.',
    ]);
    await own.close();
  });
});

describe('every path', () => {
  it.each(PATHS)('%s answers GET and HEAD with security headers and no CORS', async (url) => {
    for (const method of ['GET', 'HEAD'] as const) {
      const { statusCode, headers } = await server.app.inject({
        method,
        url,
        headers: { origin: 'http://x.example' },
      });
      expect(statusCode).toBe(200);
      expect(headers).toMatchObject({
        'cache-control': 'no-store',
        'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
        'cross-origin-resource-policy': 'same-origin',
        'x-content-type-options': 'nosniff',
      });
      expect(Object.keys(headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
    }
  });

  it.each([...PATHS, '/api/v1/nothing', '/api/v1/routes?colour=red'])('%s keeps secrets', async (url) => {
    const { body, headers } = await server.app.inject({ url });
    expect(body.length).toBeGreaterThan(2);
    expect(body + JSON.stringify(headers)).not.toContain(PLANTED);
    expect(body).not.toContain(Buffer.from(PLANTED).toString('base64'));
  });

  it.each([
    'evil.example',
    'evil.example:8080',
    '10.0.0.7',
    'localhost.evil.example',
    '127.0.0.1.evil.example',
    '[::2]',
  ])('asked for as %s is refused, also a path that is not there', async (host) => {
    for (const url of [...PATHS, '/api/v1/nothing']) {
      const response = await server.app.inject({ url, headers: { host } });
      expect([url, response.statusCode]).toEqual([url, 421]);
      expect(response.json().detail).toContain('Host header');
    }
  });

  it.each(['localhost', 'localhost:8080', 'LOCALHOST:1', '127.0.0.1', '127.0.0.1:9', '[::1]', '[::1]:8080'])(
    'asked for as %s is answered',
    async (host) => {
      const response = await server.app.inject({ url: '/healthz', headers: { host } });
      expect(response.statusCode).toBe(200);
    },
  );
});

describe('listening', () => {
  it.each([
    ['0.0.0.0', /not a loopback address/],
    ['::', /not a loopback address/],
    ['10.0.0.7', /not a loopback address/],
    ['2001:db8::1', /not a loopback address/],
    ['localhost', /not an address/],
    ['', /not an address/],
  ])('on %s is refused', async (address, sentence) => {
    const own = await serve();
    await expect(own.listen({ address, port: 0 })).rejects.toThrow(sentence);
    await own.close();
  });

  it('on loopback works, and close ends it', async () => {
    const own = await serve();
    const port = await own.listen({ address: '127.0.0.1', port: 0 });
    expect(await statusOf(port)).toBe(200);
    await own.close();
    await expect(statusOf(port)).rejects.toThrow(/ECONNREFUSED/);
  });
});

function statusOf(port: number): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    request({ host: '127.0.0.1', port, path: '/healthz' }, (response) => {
      response.resume();
      resolve(response.statusCode);
    })
      .on('error', reject)
      .end();
  });
}

describe('OpenAPI', () => {
  it('describes every path with the shapes of its answers', async () => {
    const document = (await server.app.inject({ url: '/api/v1/openapi.json' })).json<Document>();
    expect(document.openapi).toBe('3.1.0');
    expect(Object.keys(document.paths).sort()).toEqual(
      PATHS.map((url) => url.replace('default/web', '{namespace}/{name}')).sort(),
    );
    for (const operations of Object.values(document.paths)) {
      expect(operations.get.summary).toMatch(/\w/);
      expect(operations.post).toBeUndefined();
    }
    const routes = document.paths['/api/v1/routes']?.get;
    expect(routes?.parameters.map((parameter) => parameter.name).sort()).toEqual([
      'family',
      'limit',
      'nextHop',
      'offset',
      'peer',
      'prefix',
    ]);
    expect(routes?.responses['400']?.content).toHaveProperty(['application/problem+json']);
    expect(routes?.responses['200']?.content['application/json']?.schema.properties).toHaveProperty('items');
  });
});
