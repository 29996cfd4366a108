// Everything that is refused, in the form in which it is said, whatever was asked for and however.

import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createServer, type Server, type ViewSource } from '../src/index.ts';
import { PLANTED, serve } from './fixture.ts';

let server: Server;
let port: number;
beforeAll(async () => {
  server = await serve();
  port = await server.listen({ address: '127.0.0.1', port: 0 });
});
afterAll(() => server.close());

const SECURITY = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
};

const ENDPOINTS = [
  '/healthz',
  '/readyz',
  '/metrics',
  '/api/v1/status',
  '/api/v1/config',
  '/api/v1/routes',
  '/api/v1/peers',
  '/api/v1/leader',
  '/api/v1/replicas',
  '/api/v1/services',
  '/api/v1/services/default/web',
  '/api/v1/openapi.json',
];

interface Asked {
  readonly method?: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS';
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly payload?: string;
}

interface Said {
  readonly status: number;
  readonly title: string;
  readonly detail: string;
  readonly faults?: readonly { readonly parameter: string; readonly rule: string }[];
}

const nothingAt = (url: string): Said => ({
  status: 404,
  title: 'Not Found',
  detail: `There is nothing at ${url}.`,
});
const onlyRead = (url: string): Said => ({
  status: 405,
  title: 'Method Not Allowed',
  detail: `${url} can only be read (GET).`,
});
const MISDIRECTED: Said = {
  status: 421,
  title: 'Misdirected Request',
  detail: 'The Host header must be localhost or a loopback address.',
};
const bad = (parameter: string, rule: string): Said => ({
  status: 400,
  title: 'Bad Request',
  detail: `Query parameter ${parameter} ${rule}.`,
  faults: [{ parameter, rule }],
});
const missing = (what: string): Said => ({
  status: 404,
  title: 'Not Found',
  detail: `${what} does not exist.`,
});

const ROWS: readonly (readonly [string, Asked, Said])[] = [
  ['the root', { url: '/' }, nothingAt('/')],
  ['a directory', { url: '/api/v1' }, nothingAt('/api/v1')],
  ['a path with a slash more', { url: '/api/v1/status/' }, nothingAt('/api/v1/status/')],
  ['a path with two slashes', { url: '//api/v1/status' }, nothingAt('//api/v1/status')],
  ['a path in upper case', { url: '/API/v1/status' }, nothingAt('/API/v1/status')],
  ['a file', { url: '/etc/passwd' }, nothingAt('/etc/passwd')],
  ['another version', { url: '/api/v2/status' }, nothingAt('/api/v2/status')],
  [
    'what is behind a Service',
    { url: '/api/v1/services/default/web/x' },
    nothingAt('/api/v1/services/default/web/x'),
  ],
  ['a namespace without a name', { url: '/api/v1/services/default' }, nothingAt('/api/v1/services/default')],
  ['a Service without a name', { url: '/api/v1/services/default/' }, missing('Service "default/"')],
  [
    'a Service that is not there',
    { url: '/api/v1/services/default/none' },
    missing('Service "default/none"'),
  ],
  ['a Service in another namespace', { url: '/api/v1/services/none/web' }, missing('Service "none/web"')],
  ['a Service in other letters', { url: '/api/v1/services/Default/web' }, missing('Service "Default/web"')],
  [
    'a Service called as JavaScript',
    { url: '/api/v1/services/__proto__/constructor' },
    missing('Service "__proto__/constructor"'),
  ],
  ['a Service with a slash', { url: '/api/v1/services/default/web%2Fx' }, missing('Service "default/web/x"')],
  ['a peer that is not there', { url: '/api/v1/routes?peer=none' }, missing('BGPPeer "none"')],
  ['a peer before its page', { url: '/api/v1/routes?peer=none&offset=9' }, missing('BGPPeer "none"')],
  ['an unknown path with a query', { url: '/x?y=1' }, nothingAt('/x')],
  ['a write to an unknown path', { method: 'POST', url: '/x', payload: 'y' }, nothingAt('/x')],
  ['an unknown parameter', { url: '/api/v1/peers?x=1' }, bad('x', 'is not known')],
  ['a page that is too long', { url: '/api/v1/services?limit=1001' }, bad('limit', 'must be <= 1000')],
  ['a page that is infinite', { url: '/api/v1/services?limit=1e400' }, bad('limit', 'must be integer')],
  ['a family that is none', { url: '/api/v1/routes?family=5' }, bad('family', 'must be one of ipv4, ipv6')],
  ['a parameter on an explanation', { url: '/api/v1/services/default/web?x=1' }, bad('x', 'is not known')],
  [
    'a bad query of a Service that is not there',
    { url: '/api/v1/services/a/b?x=1' },
    bad('x', 'is not known'),
  ],
  ['another host', { url: '/api/v1/status', headers: { host: 'evil.example' } }, MISDIRECTED],
  [
    'another host and a bad query',
    { url: '/api/v1/status?x=1', headers: { host: 'evil.example' } },
    MISDIRECTED,
  ],
  [
    'another host and another method',
    { method: 'DELETE', url: '/api/v1/status', headers: { host: 'evil.example' } },
    MISDIRECTED,
  ],
  ['another host and no path', { url: '/x', headers: { host: 'evil.example' } }, MISDIRECTED],
  [
    'a body that is no JSON',
    { method: 'POST', url: '/api/v1/status', headers: { 'content-type': 'application/json' }, payload: '{' },
    onlyRead('/api/v1/status'),
  ],
  [
    'a body that is too large',
    { method: 'PUT', url: '/api/v1/status', payload: 'x'.repeat(5000) },
    onlyRead('/api/v1/status'),
  ],
  ['a write with a query', { method: 'PATCH', url: '/api/v1/status?x=1' }, onlyRead('/api/v1/status')],
  [
    'a preflight',
    {
      method: 'OPTIONS',
      url: '/api/v1/status',
      headers: { origin: 'http://x.example', 'access-control-request-method': 'GET' },
    },
    onlyRead('/api/v1/status'),
  ],
  [
    'a write to a Service',
    { method: 'DELETE', url: '/api/v1/services/default/web' },
    onlyRead('/api/v1/services/:namespace/:name'),
  ],
];

describe('a refusal', () => {
  it.each(ROWS)('of %s is a whole problem', async (_, asked, said) => {
    const response = await server.app.inject(asked);
    expect(response.statusCode).toBe(said.status);
    expect(response.json()).toEqual({ type: 'about:blank', ...said, instance: asked.url.split('?')[0] });
  });

  it.each(ROWS)('of %s has the type of a problem and every security header', async (_, asked) => {
    const { headers } = await server.app.inject(asked);
    expect(headers).toMatchObject({ ...SECURITY, 'content-type': 'application/problem+json; charset=utf-8' });
    expect(Object.keys(headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
  });

  it.each(ROWS)('of %s has a length that is right and no cookie', async (_, asked) => {
    const { headers, rawPayload } = await server.app.inject(asked);
    expect(headers['content-length']).toBe(String(rawPayload.length));
    expect(headers['set-cookie']).toBeUndefined();
  });

  it.each(ROWS)('of %s names the methods only when that is what was wrong', async (_, asked, said) => {
    const { headers } = await server.app.inject(asked);
    expect(headers.allow).toBe(said.status === 405 ? 'GET, HEAD' : undefined);
  });

  it.each(ROWS.filter(([, asked]) => (asked.method ?? 'GET') === 'GET'))(
    'of %s to HEAD is the same without a body',
    async (_, asked, said) => {
      const response = await server.app.inject({ ...asked, method: 'HEAD' });
      expect([response.statusCode, response.body]).toEqual([said.status, '']);
      expect(response.headers).toMatchObject(SECURITY);
    },
  );
});

describe('a path that the framework refuses', () => {
  it.each([
    ['/api/v1/services/%zz/web', 400],
    ['/api/v1/services/%/web', 400],
    ['/%c0%af', 400],
    [`/api/v1/services/${'x'.repeat(500)}/web`, 414],
  ])('%s: %d, as a problem with security headers', async (url, status) => {
    const response = await server.app.inject({ url });
    expect([response.statusCode, response.json().status, response.json().instance]).toEqual([
      status,
      status,
      url,
    ]);
    expect(response.headers).toMatchObject({
      ...SECURITY,
      'content-type': 'application/problem+json; charset=utf-8',
    });
  });
});

describe('an answer', () => {
  it.each(ENDPOINTS)('of %s has every security header and says nothing of the software', async (url) => {
    const { statusCode, headers } = await server.app.inject({ url });
    expect(statusCode).toBe(200);
    expect(headers).toMatchObject(SECURITY);
    expect([headers['x-powered-by'], headers['server'], headers['etag'], headers['set-cookie']]).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
  });

  it.each(ENDPOINTS)('of %s to HEAD has no body', async (url) => {
    const response = await server.app.inject({ method: 'HEAD', url });
    expect([response.statusCode, response.body]).toEqual([200, '']);
    expect(response.headers).toMatchObject(SECURITY);
  });

  it.each(['text/html', 'application/xml', '*/*', 'nothing'])(
    'does not depend on Accept: %s',
    async (accept) => {
      const { statusCode, headers } = await server.app.inject({ url: '/api/v1/peers', headers: { accept } });
      expect([statusCode, headers['content-type']]).toEqual([200, 'application/json; charset=utf-8']);
    },
  );
});

/** Over a socket: with the very Host header. */
function ask(host: string, url = '/healthz'): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    request({ host: '127.0.0.1', port, path: url, headers: { host } }, (response) => {
      response.resume();
      resolve(response.statusCode);
    })
      .on('error', reject)
      .end();
  });
}

describe('the Host header', () => {
  it.each<[string, number]>([
    ['localhost', 200],
    ['localhost:80', 200],
    ['localhost:8080', 200],
    ['localhost:65535', 200],
    ['LocalHost', 200],
    ['127.0.0.1', 200],
    ['127.0.0.1:1', 200],
    ['[::1]', 200],
    ['[::1]:8080', 200],
    ['localhost:', 421],
    ['localhost:123456', 421],
    ['localhost:80:80', 421],
    ['localhost:http', 421],
    ['localhost.', 421],
    ['localhost.localdomain', 421],
    ['alocalhost', 421],
    ['localhost.evil.example', 421],
    ['evil.example', 421],
    ['evil.example:80', 421],
    ['127.0.0.1.evil.example', 421],
    ['user@localhost', 421],
    ['localhost, evil.example', 421],
    ['localhost/evil', 421],
    ['127.0.0.2', 200],
    ['127.0.0.2:8080', 200],
    ['127.255.255.254', 200],
    ['[127.0.0.1]', 421],
    ['[]', 421],
    ['127.1', 421],
    ['2130706433', 421],
    ['0x7f000001', 421],
    ['0.0.0.0', 421],
    ['10.0.0.7', 421],
    ['::1', 421],
    ['[::1', 421],
    ['[::2]', 421],
    ['[0:0:0:0:0:0:0:1]', 200],
    ['128.0.0.1', 421],
    ['[::ffff:127.0.0.1]', 421],
    ['*', 421],
  ])('%j: %d', async (host, status) => {
    expect(await ask(host)).toBe(status);
    expect(await ask(host, '/api/v1/config')).toBe(status);
  });
});

describe('what breaks inside', () => {
  const broken: ViewSource = {
    current: () => {
      throw Object.assign(new Error(`lost ${PLANTED}`), { code: 'ELOST' });
    },
    explain: () => undefined,
  };

  it.each(ENDPOINTS.filter((url) => !url.endsWith('openapi.json')))(
    'is said by %s without a word of it',
    async (url) => {
      const own = await createServer(broken, { version: '1' });
      const response = await own.app.inject({ url });
      await own.close();
      expect(response.json()).toEqual({
        type: 'about:blank',
        title: 'Internal Server Error',
        status: 500,
        detail: 'The request could not be answered.',
        instance: url,
      });
      expect(response.statusCode).toBe(500);
      expect(response.headers).toMatchObject(SECURITY);
      expect(response.body + JSON.stringify(response.headers)).not.toMatch(/hunter2|ELOST|at .*:\d+/);
    },
  );
});
