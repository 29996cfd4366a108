// Requests against a server that misbehaves: typed errors within bounds, few connections, current
// credentials, and no word of what is confidential.

import { execFileSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { ApiClient, type ClientLimits } from '../../src/transport/api-client.ts';
import type { ApiError } from '../../src/transport/api-error.ts';
import type { ApiRequest } from '../../src/transport/api-request.ts';
import { kubeconfigAccess, podAccess } from '../../src/transport/cluster-access.ts';
import { FakeApiServer, answers, nothing, reset, silence, status, type Behaviour } from './api-server.ts';
import { CERTIFICATE, PRIVATE_KEY } from './loopback-certificate.ts';
import { accessTo } from './rig.ts';

const PATH = '/api/v1/things';
const TOKEN = 'eyJ-very-secret';
const get: ApiRequest = { method: 'GET', path: PATH };

interface Bench extends AsyncDisposable {
  readonly server: FakeApiServer;
  readonly client: ApiClient;
}

async function bench(limits: Partial<ClientLimits> = {}): Promise<Bench> {
  const server = await FakeApiServer.start();
  const client = new ApiClient(accessTo(server, { authorization: `Bearer ${TOKEN}` }), limits);
  return {
    server,
    client,
    async [Symbol.asyncDispose]() {
      await client.close();
      await server.stop();
    },
  };
}

async function failure(work: Promise<unknown>): Promise<ApiError> {
  return work.then(
    () => Promise.reject(new Error('did not fail')),
    (error: unknown) => error as ApiError,
  );
}

const rows: readonly [string, Behaviour, object][] = [
  [
    '404',
    status(404, 'NotFound', 'things "a" not found'),
    { kind: 'status', status: 404, reason: 'NotFound' },
  ],
  ['409', status(409, 'Conflict', 'changed'), { kind: 'status', status: 409, reason: 'Conflict' }],
  [
    '503',
    status(503, 'ServiceUnavailable', 'no', { 'retry-after': '3' }),
    { status: 503, retryAfterMs: 3000 },
  ],
  [
    '500 that is no JSON',
    (_, response) => void response.writeHead(500).end('<html>'),
    { status: 500, message: `GET ${PATH}: 500 <html>` },
  ],
  [
    '429 with the time in its details',
    (_, response) => void response.writeHead(429).end(JSON.stringify({ details: { retryAfterSeconds: 2 } })),
    { status: 429, retryAfterMs: 2000 },
  ],
  [
    '403 with a cause in its details',
    (_, response) =>
      void response
        .writeHead(403)
        .end(JSON.stringify({ details: { causes: [{ reason: 'NamespaceTerminating' }, { field: 'x' }] } })),
    { status: 403, causes: ['NamespaceTerminating'] },
  ],
  [
    'a redirect',
    (_, response) => void response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end(),
    { kind: 'status', status: 302 },
  ],
  ['a reset', reset, { kind: 'network' }],
  ['nothing', nothing, { kind: 'timeout' }],
  ['a body that stops', silence, { kind: 'timeout' }],
  ['text', (_, response) => void response.end('hello'), { kind: 'malformed' }],
  [
    'far too much',
    answers('x'.repeat(5000)),
    { kind: 'malformed', message: `GET ${PATH}: the answer is too large` },
  ],
  [
    'an endless error',
    (_, response) => void response.writeHead(500).end('x'.repeat(200_000)),
    { status: 500 },
  ],
];

describe('a request that is answered with', () => {
  it.each(rows)(
    '%s fails with a typed error, without the token, and the next one works',
    async (_, behave, expected) => {
      const hangs = behave === nothing || behave === silence;
      await using at = await bench({ requestMs: hangs ? 100 : 20_000, maxBodyBytes: 4096 });
      at.server.misbehave(PATH, 'any', behave);
      const error = await failure(at.client.request({ ...get, query: { limit: '5' } }));
      expect(error).toMatchObject({ name: 'ApiError', ...expected });
      expect(inspect(error, { depth: 9 })).not.toContain(TOKEN);
      expect(error.message.length).toBeLessThan(600);
      expect(await at.client.request({ ...get, timeoutMs: 10_000 })).toMatchObject({ kind: 'List' });
    },
  );

  it('a Retry-After that is a date waits until then', async () => {
    await using at = await bench();
    const date = new Date(Date.now() + 60_000).toUTCString();
    at.server.misbehave(PATH, 'any', status(503, 'x', 'y', { 'retry-after': date }));
    const { retryAfterMs } = await failure(at.client.request(get));
    expect(retryAfterMs).toBeGreaterThan(50_000);
    expect(retryAfterMs).toBeLessThanOrEqual(60_000);
  });
});

describe('a request', () => {
  it('sends its body, content type and credentials', async () => {
    await using at = await bench();
    await at.client.request({
      method: 'PATCH',
      path: PATH,
      body: { a: 1 },
      contentType: 'application/merge-patch+json',
    });
    const [seen] = at.server.requests;
    expect(seen?.headers).toMatchObject({
      'content-type': 'application/merge-patch+json',
      authorization: `Bearer ${TOKEN}`,
      'user-agent': 'herald',
    });
    expect(at.server.lastBody).toBe('{"a":1}');
  });

  it('that its caller gives up ends at once', async () => {
    await using at = await bench();
    at.server.misbehave(PATH, 'any', nothing);
    const controller = new AbortController();
    const work = failure(at.client.request({ ...get, signal: controller.signal }));
    at.server.onActivity(() => controller.abort());
    expect((await work).kind).toBe('aborted');
    expect((await failure(at.client.request({ ...get, signal: controller.signal }))).kind).toBe('aborted');
  });

  it('shares connections with those before it and beside it', async () => {
    await using at = await bench({ connections: 4 });
    for (let i = 0; i < 20; i++) {
      await at.client.request(get);
    }
    // A second one is opened when the first has not been handed back yet.
    expect(at.server.connections).toBeLessThanOrEqual(2);
    await Promise.all(Array.from({ length: 40 }, () => at.client.request(get)));
    expect(at.server.connections).toBeLessThanOrEqual(4);
  });

  it('takes a connection of its own when it is told to, and closes it', async () => {
    await using at = await bench();
    await at.client.request(get);
    await at.client.request({ ...get, connection: 'fresh' });
    expect(at.server.connections).toBe(2);
    await new Promise<void>((resolve) => {
      const look = (): void => (at.server.openConnections === 1 ? resolve() : undefined);
      at.server.onActivity(look);
      look();
    });
  });

  it('to a server that is not there says so', async () => {
    await using at = await bench();
    await at.server.stop();
    expect(await failure(at.client.request(get))).toMatchObject({
      kind: 'network',
      message: `GET ${PATH}: ECONNREFUSED`,
    });
  });

  it('does not wait behind watches', async () => {
    await using at = await bench({ connections: 2 });
    const stop = new AbortController();
    const watches = Array.from({ length: 12 }, (_, i) =>
      at.client.stream(
        { ...get, query: { watch: 'true', resourceVersion: '9999', n: String(i) } },
        stop.signal,
      ),
    );
    await Promise.all(watches);
    expect(await at.client.request(get)).toMatchObject({ kind: 'List' });
    stop.abort();
  });
});

describe('a watch', () => {
  it('that ends badly throws a typed error; one that is given up too', async () => {
    await using at = await bench();
    const stop = new AbortController();
    const watch = { ...get, query: { watch: 'true', resourceVersion: '9999' } };
    const read = async (): Promise<void> => {
      for await (const chunk of await at.client.stream(watch, stop.signal)) {
        expect(chunk).toBeDefined();
      }
    };
    const cut = failure(read());
    at.server.onActivity(() => at.server.resetWatches(PATH));
    at.server.resetWatches(PATH);
    expect((await cut).kind).toBe('network');
    stop.abort();
    expect((await failure(read())).kind).toBe('aborted');
  });
});

/** A folder as Kubernetes mounts it into a pod, and a server that wants its token. */
async function pod() {
  const folder = await mkdtemp(join(tmpdir(), 'herald-sa-'));
  const server = await FakeApiServer.start('https');
  let wanted = 'Bearer one';
  const guard: Behaviour = ({ headers }, response) =>
    headers.authorization === wanted
      ? false
      : status(401, 'Unauthorized', 'Unauthorized')(undefined as never, response);
  server.misbehave(PATH, 'any', (seen, response) => guard(seen, response) !== false, 1000);
  await writeFile(join(folder, 'ca.crt'), CERTIFICATE);
  await writeFile(join(folder, 'token'), 'one\n');
  return {
    folder,
    server,
    env: { KUBERNETES_SERVICE_HOST: '127.0.0.1', KUBERNETES_SERVICE_PORT: String(server.port) },
    want: (token: string) => {
      wanted = `Bearer ${token}`;
    },
    async [Symbol.asyncDispose]() {
      await server.stop();
      await rm(folder, { recursive: true });
    },
  };
}

describe('in a pod', () => {
  it('an expired token is read again, once', async () => {
    await using at = await pod();
    await using client = disposable(new ApiClient(podAccess(at.env, at.folder)));
    await client.request(get);
    at.want('two');
    await writeFile(join(at.folder, 'token'), 'two');
    await client.request(get);
    expect(at.server.requests).toHaveLength(3);
    expect(at.server.connections).toBeLessThanOrEqual(2);
    at.want('three');
    expect(await failure(client.request(get))).toMatchObject({ status: 401, reason: 'Unauthorized' });
    expect(at.server.requests).toHaveLength(5);
  });

  it('a token that cannot be read is an error that does not name it', async () => {
    await using at = await pod();
    await rm(join(at.folder, 'token'));
    await using client = disposable(new ApiClient(podAccess(at.env, at.folder)));
    expect(await failure(client.request(get))).toMatchObject({
      kind: 'network',
      message: 'credentials of service account cannot be had (ENOENT)',
    });
  });

  it('a server that cannot prove who it is, is told nothing', async () => {
    await using at = await pod();
    await rm(join(at.folder, 'ca.crt'));
    await writeFile(join(at.folder, 'ca.crt'), '');
    await using client = disposable(new ApiClient(podAccess(at.env, at.folder)));
    expect((await failure(client.request(get))).kind).toBe('network');
    expect(at.server.requests).toEqual([]);
  });

  it('nothing works without its environment', () => {
    expect(() => podAccess({}, '/nowhere')).toThrow(/KUBERNETES_SERVICE_HOST/);
  });
});

function disposable(client: ApiClient): ApiClient & AsyncDisposable {
  return Object.assign(client, { [Symbol.asyncDispose]: () => client.close() });
}

const base64 = (text: string): string => Buffer.from(text).toString('base64');

interface Parts {
  readonly user: unknown;
  readonly cluster?: Record<string, unknown>;
}

async function kubeconfig(folder: string, server: string, { user, cluster }: Parts): Promise<string> {
  const path = join(folder, 'config');
  const config = {
    'current-context': 'here',
    contexts: [{ name: 'here', context: { cluster: 'c', user: 'u' } }],
    clusters: [
      { name: 'c', cluster: { server, 'certificate-authority-data': base64(CERTIFICATE), ...cluster } },
    ],
    users: [{ name: 'u', user }],
  };
  await writeFile(path, JSON.stringify(config));
  return path;
}

const plugin = (folder: string, script: string): object => ({
  exec: {
    apiVersion: 'client.authentication.k8s.io/v1',
    command: 'sh',
    args: ['-c', `cd ${folder}; ${script}`],
  },
});
const credential = (token: string): string => JSON.stringify({ kind: 'ExecCredential', status: { token } });

const users: readonly [string, (folder: string) => unknown, object][] = [
  ['a token', () => ({ token: 'one' }), { authorization: 'Bearer one' }],
  ['a token file beside it', () => ({ tokenFile: 'token' }), { authorization: 'Bearer one' }],
  [
    'a name and a password',
    () => ({ username: 'u', password: 'p' }),
    { authorization: `Basic ${base64('u:p')}` },
  ],
  ['a plugin', (folder) => plugin(folder, `echo '${credential('one')}'`), { authorization: 'Bearer one' }],
  ['somebody to act as', () => ({ token: 'one', as: 'other' }), { 'impersonate-user': 'other' }],
];

describe('a kubeconfig with', () => {
  it.each(users)('%s', async (_, user, expected) => {
    await using at = await pod();
    at.server.behave();
    const access = await kubeconfigAccess(
      await kubeconfig(at.folder, at.server.url, { user: user(at.folder) }),
    );
    await using client = disposable(new ApiClient(access));
    await client.request(get);
    expect(at.server.requests[0]?.headers).toMatchObject(expected);
  });

  it('a client certificate in files beside it', async () => {
    await using at = await pod();
    await writeFile(join(at.folder, 'cert.pem'), CERTIFICATE);
    await writeFile(join(at.folder, 'key.pem'), PRIVATE_KEY);
    const user = { 'client-certificate': 'cert.pem', 'client-key': 'key.pem' };
    const access = await kubeconfigAccess(await kubeconfig(at.folder, at.server.url, { user }));
    const { cert, key, ca } = await access.tls();
    expect([cert, key, ca].map(String)).toEqual([CERTIFICATE, PRIVATE_KEY, CERTIFICATE]);
  });

  it('a plugin is run once for many requests, and again when its token was refused', async () => {
    await using at = await pod();
    const user = plugin(at.folder, `echo run >> runs; echo '${credential('one')}'`);
    const access = await kubeconfigAccess(await kubeconfig(at.folder, at.server.url, { user }));
    await using client = disposable(new ApiClient(access));
    await Promise.all([1, 2, 3, 4].map(() => client.request(get)));
    const runs = (): number =>
      execFileSync('wc', ['-l', join(at.folder, 'runs')])
        .toString()
        .trim()
        .split(' ')
        .map(Number)[0] ?? 0;
    expect(runs()).toBe(1);
    at.want('two');
    await failure(client.request(get));
    expect(runs()).toBe(2);
  });

  it('a plugin that fails is said without its words', async () => {
    await using at = await pod();
    const user = plugin(at.folder, 'echo very secret >&2; exit 1');
    const access = await kubeconfigAccess(await kubeconfig(at.folder, at.server.url, { user }));
    await using client = disposable(new ApiClient(access));
    expect((await failure(client.request(get))).message).toBe(
      'credentials of u cannot be had (the plugin failed)',
    );
  });

  it('a plugin is told which exchange is spoken', async () => {
    await using at = await pod();
    const user = plugin(at.folder, `echo "$KUBERNETES_EXEC_INFO" > info; echo '${credential('one')}'`);
    const access = await kubeconfigAccess(await kubeconfig(at.folder, at.server.url, { user }));
    await access.headers();
    const info: unknown = JSON.parse(execFileSync('cat', [join(at.folder, 'info')]).toString());
    expect(info).toMatchObject({ apiVersion: 'client.authentication.k8s.io/v1', kind: 'ExecCredential' });
  });

  it.each([
    ['a proxy', { user: {}, cluster: { 'proxy-url': 'http://proxy' } }, /proxy-url is not supported/],
    [
      'an old auth-provider',
      { user: { 'auth-provider': { name: 'gcp' } } },
      /auth-provider is not supported; use exec/,
    ],
  ] as const)('%s is refused', async (_, parts, words) => {
    await using at = await pod();
    const path = await kubeconfig(at.folder, at.server.url, parts);
    await expect(kubeconfigAccess(path)).rejects.toThrow(words);
  });

  it('bad YAML is refused by its line, which is not quoted', async () => {
    await using at = await pod();
    const path = join(at.folder, 'config');
    await writeFile(path, `users:\n- token: "${TOKEN}\n`);
    const error = await failure(kubeconfigAccess(path));
    expect(error.message).toMatch(/is not YAML, line \d+$/);
    expect(inspect(error, { depth: 9 })).not.toContain(TOKEN);
  });

  it('a context that is not there is refused by name', async () => {
    await using at = await pod();
    const path = join(at.folder, 'config');
    await writeFile(path, 'current-context: gone\ncontexts: []\n');
    await expect(kubeconfigAccess(path)).rejects.toThrow(/current-context names "gone"/);
  });
});
