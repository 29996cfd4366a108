// The listener on the pod network, over real sockets: who is let in, what is said to the others, and what is
// served without a certificate.

import { request as plainRequest, type IncomingHttpHeaders } from 'node:http';
import { request as tlsRequest } from 'node:https';
import type { TLSSocket } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Server, TokenCheck } from '../src/index.ts';
import { documentOf, schemaOf, violations } from './documented.ts';
import { KeyPairFolder, replace, type KeyPairFiles } from './key-pair.ts';
import { PLANTED, serve } from './fixture.ts';

const folder = new KeyPairFolder();
const asked: string[] = [];
/** Tokens are named after what is said of them. */
const tokens: TokenCheck = {
  may: async (token, verb, path) => {
    asked.push(`${token} ${verb} ${path}`);
    if (token === 'breaks') {
      throw new Error(`lost ${PLANTED}`);
    }
    return token as Awaited<ReturnType<TokenCheck['may']>>;
  },
};

let files: KeyPairFiles;
let server: Server;
let port: number;
beforeAll(async () => {
  files = folder.make('herald');
  server = await serve();
  const settings = { address: '127.0.0.1', port: 0, tls: files };
  port = await server.listenOnPodNetwork({ settings, tokens });
});
afterAll(async () => {
  await server.close();
  await folder.remove();
});

interface Asked {
  readonly path: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly at?: number;
}

interface Got {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  /** Name in the certificate. */
  readonly name: string | undefined;
}

function ask({ path, method = 'GET', headers = {}, at = port }: Asked, request = tlsRequest): Promise<Got> {
  return new Promise((resolve, reject) => {
    const options = {
      host: '127.0.0.1',
      port: at,
      path,
      method,
      headers,
      rejectUnauthorized: false,
      agent: false,
    };
    request(options, (response) => {
      const name = (response.socket as TLSSocket).getPeerCertificate?.().subject?.CN;
      let body = '';
      response.setEncoding('utf8').on('data', (piece: string) => (body += piece));
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          body,
          name: Array.isArray(name) ? name[0] : name,
        }),
      );
    })
      .on('error', reject)
      .end();
  });
}

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

const GUARDED = [
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

const rightTo = (path: string): string => (path === '/metrics' ? path : `/heraldbgp.io${path}`);

describe('health', () => {
  it.each(['/healthz', '/readyz', '/healthz?verbose'])('%s asks for nothing', async (path) => {
    asked.length = 0;
    const { status } = await ask({ path });
    expect([status, asked]).toEqual([200, []]);
  });

  it('is the same whatever the token', async () => {
    expect((await ask({ path: '/healthz', headers: bearer('unauthenticated') })).status).toBe(200);
  });
});

describe('everything else', () => {
  it.each(GUARDED)('%s asks for a token, and whether it may', async (path) => {
    asked.length = 0;
    const without = await ask({ path });
    expect([without.status, asked]).toEqual([401, []]);
    const allowed = await ask({ path, headers: bearer('yes') });
    expect([allowed.status, asked]).toEqual([200, [`yes get ${rightTo(path)}`]]);
  });

  // Every account of a cluster has these by system:discovery and system:public-info-viewer.
  it.each([...GUARDED, '/api', '/api/x', '/apis/x', '/openapi/x', '/version', '/metrics/', '/livez'])(
    '%s is not given to whoever may get paths of the API server',
    async (path) => {
      asked.length = 0;
      await ask({ path, headers: bearer('forbidden') });
      expect(asked).toHaveLength(1);
      expect(asked.join()).not.toMatch(/ get \/(api|apis|openapi|version|livez|readyz|healthz)(\/|$)/);
    },
  );

  it.each(GUARDED)('%s is what the loopback listener answers', async (path) => {
    const { body, headers } = await ask({ path, headers: bearer('yes') });
    const own = await server.app.inject({ url: path });
    expect(headers['content-type']).toBe(own.headers['content-type']);
    expect(path === '/metrics' ? body.length > 1000 : body === own.body).toBe(true);
  });

  it.each([
    '/',
    '/nothing',
    '/healthz/',
    '/healthz/../metrics',
    '//healthz',
    '/api/v1/status?of=healthz',
    '/metrics?/healthz',
    '/healthz%2f..%2fmetrics',
    '/readyz;',
  ])('%s is not open', async (path) => {
    expect((await ask({ path })).status).toBe(401);
  });

  it.each([
    ['HEAD', 'get', 200],
    ['POST', 'post', 405],
    ['DELETE', 'delete', 405],
  ])('%s is asked about as %s', async (method, verb, status) => {
    asked.length = 0;
    expect((await ask({ path: '/metrics', method, headers: bearer('yes') })).status).toBe(status);
    expect(asked).toEqual([`yes ${verb} /metrics`]);
    expect((await ask({ path: '/metrics', method })).status).toBe(401);
  });

  it('is asked about without the query', async () => {
    asked.length = 0;
    await ask({ path: '/api/v1/routes?peer=tor-1', headers: bearer('yes') });
    expect(asked).toEqual(['yes get /heraldbgp.io/api/v1/routes']);
  });

  it('does not depend on the Host header', async () => {
    const headers = { ...bearer('yes'), host: 'herald.example' };
    expect((await ask({ path: '/metrics', headers })).status).toBe(200);
  });
});

describe('a refusal', () => {
  it.each<[string, Readonly<Record<string, string>>, number, string, Readonly<Record<string, string>>]>([
    [
      'no token',
      {},
      401,
      'A bearer token of the cluster is needed.',
      { 'www-authenticate': 'Bearer realm="herald"' },
    ],
    [
      'an empty token',
      { authorization: 'Bearer ' },
      401,
      'A bearer token of the cluster is needed.',
      { 'www-authenticate': 'Bearer realm="herald"' },
    ],
    [
      'another scheme',
      { authorization: 'Basic eWVzOnllcw==' },
      401,
      'A bearer token of the cluster is needed.',
      { 'www-authenticate': 'Bearer realm="herald"' },
    ],
    [
      'two tokens',
      { authorization: 'Bearer yes yes' },
      401,
      'A bearer token of the cluster is needed.',
      { 'www-authenticate': 'Bearer realm="herald"' },
    ],
    [
      'a token of nobody',
      bearer('unauthenticated'),
      401,
      'The token is not valid.',
      { 'www-authenticate': 'Bearer realm="herald", error="invalid_token"' },
    ],
    [
      'no right',
      bearer('forbidden'),
      403,
      'The bearer may not get /heraldbgp.io/api/v1/config.',
      { 'www-authenticate': 'Bearer realm="herald", error="insufficient_scope"' },
    ],
    ['nobody to ask', bearer('unavailable'), 503, 'The token cannot be checked now.', { 'retry-after': '1' }],
    [
      'a check that breaks',
      bearer('breaks'),
      503,
      'The token cannot be checked now.',
      { 'retry-after': '1' },
    ],
  ])('for %s is a whole problem', async (_, headers, status, detail, expected) => {
    const got = await ask({ path: '/api/v1/config', headers });
    const problem: unknown = JSON.parse(got.body);
    expect([got.status, problem]).toEqual([
      status,
      { type: 'about:blank', title: expect.any(String), status, detail, instance: '/api/v1/config' },
    ]);
    expect(got.headers).toMatchObject({
      'content-type': 'application/problem+json; charset=utf-8',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      ...expected,
    });
    expect(got.body).not.toContain(PLANTED);
    const document = await documentOf(server);
    expect(violations(schemaOf(document, '/api/v1/config', status), problem)).toEqual([]);
  });

  it.each(['bearer yes', 'BEARER yes', 'Bearer   yes'])('is not for %j', async (authorization) => {
    expect((await ask({ path: '/metrics', headers: { authorization } })).status).toBe(200);
  });

  it('of what is not there comes after the token', async () => {
    expect((await ask({ path: '/nothing', headers: bearer('yes') })).status).toBe(404);
    expect((await ask({ path: '/nothing', headers: bearer('forbidden') })).status).toBe(403);
  });

  it('of plain HTTP is to close the connection', async () => {
    await expect(ask({ path: '/healthz' }, plainRequest)).rejects.toThrow();
  });
});

describe('without a certificate', () => {
  it('health is served as plain HTTP and nothing else, token or not', async () => {
    const own = await serve();
    const at = await own.listenOnPodNetwork({
      settings: { address: '127.0.0.1', port: 0, tls: undefined },
      tokens,
    });
    asked.length = 0;
    const status = async (path: string): Promise<number> =>
      (await ask({ path, at, headers: bearer('yes') }, plainRequest)).status;
    expect([await status('/healthz'), await status('/readyz')]).toEqual([200, 200]);
    for (const path of [...GUARDED, '/']) {
      expect([path, await status(path)]).toEqual([path, 404]);
    }
    expect(asked).toEqual([]);
    await own.close();
  });
});

describe('a certificate', () => {
  it('that is replaced is the one of new connections', async () => {
    const used = await folder.copy('used', files);
    const own = await serve();
    const settings = { address: '127.0.0.1', port: 0, tls: used };
    const at = await own.listenOnPodNetwork({ settings, tokens, certificateCheckMs: 5 });
    expect((await ask({ path: '/healthz', at })).name).toBe('herald');
    await replace(used, folder.make('renewed'));
    await expect.poll(async () => (await ask({ path: '/healthz', at })).name).toBe('renewed');
    await own.close();
  });

  it('that cannot be used keeps the listener from starting, and says why', async () => {
    const own = await serve();
    const settings = { address: '127.0.0.1', port: 0, tls: { ...files, key: `${files.key}.no` } };
    await expect(own.listenOnPodNetwork({ settings, tokens })).rejects.toThrow(
      /podListener\.tls: .* cannot be read/,
    );
    await own.close();
  });
});

describe('the listener', () => {
  it('ends with the server', async () => {
    const own = await serve();
    const at = await own.listenOnPodNetwork({
      settings: { address: '127.0.0.1', port: 0, tls: files },
      tokens,
    });
    await own.close();
    await expect(ask({ path: '/healthz', at })).rejects.toThrow(/ECONNREFUSED/);
  });

  it('says when its port is taken', async () => {
    const own = await serve();
    const settings = { address: '127.0.0.1', port, tls: files };
    await expect(own.listenOnPodNetwork({ settings, tokens })).rejects.toThrow(/EADDRINUSE/);
    await own.close();
  });

  it('shows no secret to those who may read', async () => {
    for (const path of GUARDED) {
      expect((await ask({ path, headers: bearer('yes') })).body).not.toContain(PLANTED);
    }
  });
});
