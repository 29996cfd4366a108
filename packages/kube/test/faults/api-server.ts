// An API server in this process that behaves until it is told not to: lists with pages, watches with
// bookmarks and streamed lists, and misbehaviour by request. It counts what is asked of it.

import { EventEmitter } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { CERTIFICATE, PRIVATE_KEY } from './loopback-certificate.ts';

export interface Seen {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingMessage['headers'];
  readonly kind: 'list' | 'probe' | 'watch' | 'stream' | 'other';
  readonly atMs: number;
  readonly connection: Socket;
}

/** True: answered. */
export type Behaviour = (request: Seen, response: ServerResponse) => boolean | void;

export interface ApiObject {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly [field: string]: unknown;
  };
  readonly [field: string]: unknown;
}

interface Watch {
  readonly path: string;
  readonly query: URLSearchParams;
  readonly response: ServerResponse;
}

interface Logged {
  readonly version: number;
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly path: string;
  readonly object: ApiObject;
}

export class FakeApiServer {
  readonly requests: Seen[] = [];
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly #watches = new Set<Watch>();
  readonly #collections = new Map<string, Map<string, ApiObject>>();
  readonly #behaviours: { kind: Seen['kind'] | 'any'; path: string; times: number; behave: Behaviour }[] = [];
  readonly #activity = new EventEmitter();
  #log: Logged[] = [];
  #oldest = 0;
  #version = 1000;
  #connections = 0;
  #body = '';
  streaming: 'offered' | 'refused' = 'offered';
  readonly #scheme: 'http' | 'https';

  private constructor(scheme: 'http' | 'https') {
    this.#scheme = scheme;
    const handle = (request: IncomingMessage, response: ServerResponse): void => {
      this.#body = '';
      request.on('data', (chunk) => (this.#body += String(chunk)));
      request.on('end', () => this.#answer(request, response));
    };
    this.#server =
      scheme === 'http'
        ? createServer(handle)
        : createTlsServer({ cert: CERTIFICATE, key: PRIVATE_KEY }, handle);
    this.#server.on('connection', (socket: Socket) => {
      this.#connections++;
      this.#sockets.add(socket);
      socket.on('close', () => {
        this.#sockets.delete(socket);
        this.#activity.emit('activity');
      });
    });
  }

  static async start(scheme: 'http' | 'https' = 'http', port = 0): Promise<FakeApiServer> {
    const server = new FakeApiServer(scheme);
    await new Promise<void>((resolve) => server.#server.listen(port, '127.0.0.1', resolve));
    return server;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get url(): string {
    return `${this.#scheme}://127.0.0.1:${this.port}`;
  }

  /** Connections that were ever opened. */
  get connections(): number {
    return this.#connections;
  }

  get openConnections(): number {
    return this.#sockets.size;
  }

  get openWatches(): number {
    return this.#watches.size;
  }

  /** Body of the last request that was read to its end. */
  get lastBody(): string {
    return this.#body;
  }

  watches(path: string): number {
    return [...this.#watches].filter((watch) => watch.path === path).length;
  }

  seen(path: string, kind?: Seen['kind']): readonly Seen[] {
    return this.requests.filter((seen) => seen.path === path && (kind === undefined || seen.kind === kind));
  }

  onActivity(listener: () => void): () => void {
    this.#activity.on('activity', listener);
    return () => this.#activity.off('activity', listener);
  }

  /** The next `times` requests of that kind meet this behaviour instead. */
  misbehave(path: string, kind: Seen['kind'] | 'any', behave: Behaviour, times = 1): void {
    this.#behaviours.push({ kind, path, times, behave });
  }

  behave(): void {
    this.#behaviours.length = 0;
  }

  put(path: string, object: ApiObject): void {
    const key = `${object.metadata.namespace ?? ''}/${object.metadata.name}`;
    const collection = this.#collections.get(path) ?? new Map<string, ApiObject>();
    this.#collections.set(path, collection);
    const type = collection.has(key) ? 'MODIFIED' : 'ADDED';
    const version = ++this.#version;
    const stored = { ...object, metadata: { ...object.metadata, resourceVersion: String(version) } };
    collection.set(key, stored);
    this.#record({ version, type, path, object: stored });
  }

  remove(path: string, name: string, namespace = ''): void {
    const object = this.#collections.get(path)?.get(`${namespace}/${name}`);
    this.#collections.get(path)?.delete(`${namespace}/${name}`);
    if (object !== undefined) {
      const version = ++this.#version;
      const metadata = { ...object.metadata, resourceVersion: String(version) };
      this.#record({ version, type: 'DELETED', path, object: { ...object, metadata } });
    }
  }

  /** As if it had happened while nobody was connected: nothing of it is in any watch. */
  forget(path: string, names: readonly string[]): void {
    for (const key of this.#collections.get(path)?.keys() ?? []) {
      if (names.includes(key.slice(key.indexOf('/') + 1))) {
        this.#collections.get(path)?.delete(key);
      }
    }
    this.#version++;
    this.compact();
  }

  /** Watches can only begin from now on; older ones get 410. */
  compact(): void {
    this.#log = [];
    this.#oldest = this.#version;
  }

  /** As after a restored etcd: everything from before is as it was, under lower versions. */
  rewind(by: number): void {
    this.#version -= by;
    this.#log = [];
    this.#oldest = 0;
  }

  bookmark(path: string): void {
    this.write(path, { type: 'BOOKMARK', object: { metadata: { resourceVersion: String(this.#version) } } });
  }

  /** One line into every open watch of the path. */
  write(path: string, event: unknown): void {
    this.writeRaw(path, `${JSON.stringify(event)}\n`);
  }

  writeRaw(path: string, text: string): void {
    for (const watch of this.#watches) {
      if (watch.path === path) {
        watch.response.write(text);
      }
    }
  }

  /** Ends every open watch of the path the polite way. */
  endWatches(path: string): void {
    this.#each(path, ({ response }) => response.end());
  }

  /** The open watches stay open and show nothing any more, as where packets were lost and are not sent again yet. */
  muteWatches(path: string): void {
    this.#each(path, (watch) => this.#watches.delete(watch));
  }

  resetWatches(path: string): void {
    this.#each(path, ({ response }) => response.socket?.resetAndDestroy());
  }

  async stop(): Promise<void> {
    this.#sockets.forEach((socket) => socket.destroy());
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #each(path: string, act: (watch: Watch) => void): void {
    [...this.#watches].filter((watch) => watch.path === path).forEach(act);
  }

  #record(logged: Logged): void {
    this.#log.push(logged);
    for (const watch of this.#watches) {
      if (watch.path === logged.path && selects(watch.query, logged.object)) {
        watch.response.write(`${JSON.stringify({ type: logged.type, object: logged.object })}\n`);
      }
    }
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    const url = new URL(request.url ?? '/', 'http://api');
    const seen: Seen = {
      method: request.method ?? '',
      path: url.pathname,
      query: url.searchParams,
      headers: request.headers,
      kind: kindOf(request.method ?? '', url.searchParams),
      atMs: performance.now(),
      connection: request.socket,
    };
    this.requests.push(seen);
    if (!this.#misbehaves(seen, response)) {
      this.#behaveWell(seen, response);
    }
    this.#activity.emit('activity');
  }

  #misbehaves(seen: Seen, response: ServerResponse): boolean {
    const found = this.#behaviours.find(
      ({ kind, path, times }) => times > 0 && path === seen.path && (kind === 'any' || kind === seen.kind),
    );
    if (found === undefined) {
      return false;
    }
    found.times--;
    return found.behave(seen, response) !== false;
  }

  #behaveWell(seen: Seen, response: ServerResponse): void {
    if (seen.kind === 'list' || seen.kind === 'probe') {
      this.#list(seen, response);
    } else if (seen.kind === 'stream' && this.streaming === 'refused') {
      status(422, 'Invalid', 'sendInitialEvents is forbidden for watch')(seen, response);
    } else if (seen.kind === 'watch' && Number(seen.query.get('resourceVersion')) < this.#oldest) {
      status(410, 'Expired', 'too old resource version')(seen, response);
    } else if (seen.kind === 'other') {
      json(response, 200, { kind: 'Status', status: 'Success' });
    } else {
      this.#watch(seen, response);
    }
  }

  #list({ path, query }: Seen, response: ServerResponse): void {
    const objects = [...(this.#collections.get(path)?.values() ?? [])].filter((one) => selects(query, one));
    const from = Number(query.get('continue') ?? '0');
    const to = from + Number(query.get('limit') ?? objects.length);
    const next = to < objects.length ? { continue: String(to) } : {};
    const metadata = { resourceVersion: String(this.#version), ...next };
    json(response, 200, { kind: 'List', apiVersion: 'v1', metadata, items: objects.slice(from, to) });
  }

  #watch({ path, query, kind }: Seen, response: ServerResponse): void {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.flushHeaders();
    const watch: Watch = { path, query, response };
    const lines = kind === 'stream' ? this.#initial(watch) : this.#since(watch);
    if (lines.length > 0) {
      response.write(lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
    }
    this.#watches.add(watch);
    response.on('close', () => {
      this.#watches.delete(watch);
      this.#activity.emit('activity');
    });
  }

  #initial({ path, query }: Watch): unknown[] {
    const objects = [...(this.#collections.get(path)?.values() ?? [])].filter((one) => selects(query, one));
    const annotations = { 'k8s.io/initial-events-end': 'true' };
    const end = { metadata: { resourceVersion: String(this.#version), annotations } };
    return [...objects.map((object) => ({ type: 'ADDED', object })), { type: 'BOOKMARK', object: end }];
  }

  #since({ path, query }: Watch): unknown[] {
    const version = Number(query.get('resourceVersion'));
    return this.#log
      .filter((logged) => logged.path === path && logged.version > version && selects(query, logged.object))
      .map(({ type, object }) => ({ type, object }));
  }
}

function kindOf(method: string, query: URLSearchParams): Seen['kind'] {
  if (method !== 'GET') {
    return 'other';
  }
  if (query.get('watch') === 'true') {
    return query.get('sendInitialEvents') === 'true' ? 'stream' : 'watch';
  }
  return query.get('limit') === '1' ? 'probe' : 'list';
}

function selects(query: URLSearchParams, object: ApiObject): boolean {
  const name = query.get('fieldSelector')?.replace('metadata.name=', '');
  return name === undefined || name === object.metadata.name;
}

function json(
  response: ServerResponse,
  code: number,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  response.writeHead(code, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify(body));
}

/** Answers with an error. */
export function status(
  code: number,
  reason: string,
  message: string,
  headers: Record<string, string> = {},
): Behaviour {
  return (_, response) => {
    json(response, code, { kind: 'Status', status: 'Failure', code, reason, message }, headers);
  };
}

export const reset: Behaviour = ({ connection }) => {
  connection.resetAndDestroy();
};

/** Takes the request and never says anything: a half-open connection as its client sees it. */
export const nothing: Behaviour = () => undefined;

/** The watch opens and stays silent for ever. */
export const silence: Behaviour = (_, response) => {
  response.writeHead(200, { 'content-type': 'application/json' });
  response.flushHeaders();
};

export const cleanClose: Behaviour = (_, response) => {
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end();
};

/** The watch opens, says this, and ends. */
export function says(text: string): Behaviour {
  return (_, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(text);
  };
}

export function answers(body: unknown): Behaviour {
  return (_, response) => json(response, 200, body);
}
