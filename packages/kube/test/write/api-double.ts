// The part of an API server that writers rely on, in memory: resource versions, uid preconditions, merge
// patches, status as a subresource, lists and watches by field selector, and failures on command.

import { isDeepStrictEqual } from 'node:util';
import { ApiError } from '../../src/transport/api-error.ts';
import type { ApiRequest } from '../../src/transport/api-request.ts';

export type Json = Record<string, unknown>;

interface Fault {
  readonly matches: (request: ApiRequest) => boolean;
  readonly error: ApiError;
  /** applied: the write took place, and only its answer was lost. */
  readonly applied: boolean;
  left: number;
}

type Watcher = (event: Json) => void;

const ASLEEP = (): void => undefined;

export class ApiDouble {
  readonly objects = new Map<string, Json>();
  readonly requests: ApiRequest[] = [];
  /** Set to hold answers back until it resolves. */
  gate: Promise<void> | undefined;
  underWay = 0;
  mostUnderWay = 0;
  #version = 100;
  #uids = 0;
  readonly #faults: Fault[] = [];
  readonly #watchers = new Map<Watcher, string>();

  put(path: string, object: Json): Json {
    const before = this.objects.get(path);
    const metadata = {
      uid: `uid-${before === undefined ? ++this.#uids : ''}`,
      creationTimestamp: '2026-01-02T00:00:00Z',
      ...(before?.['metadata'] as Json | undefined),
      ...(object['metadata'] as Json),
      resourceVersion: String(++this.#version),
    };
    const stored = { ...object, metadata };
    this.objects.set(path, stored);
    this.#show(path, before === undefined ? 'ADDED' : 'MODIFIED', stored);
    return stored;
  }

  remove(path: string): void {
    const object = this.objects.get(path);
    this.objects.delete(path);
    this.#version += 1;
    this.#show(path, 'DELETED', object ?? {});
  }

  fail(
    matches: string | ((request: ApiRequest) => boolean),
    error: ApiError,
    { times = 1, applied = false } = {},
  ): void {
    const test =
      typeof matches === 'string'
        ? (request: ApiRequest) => `${request.method} ${request.path}`.includes(matches)
        : matches;
    this.#faults.push({ matches: test, error, applied, left: times });
  }

  heal(): void {
    this.#faults.length = 0;
  }

  sent(method: string): ApiRequest[] {
    return this.requests.filter((request) => request.method === method);
  }

  get watching(): number {
    return this.#watchers.size;
  }

  async request(asked: ApiRequest): Promise<unknown> {
    const request = JSON.parse(JSON.stringify(asked)) as ApiRequest;
    this.requests.push(request);
    this.underWay += 1;
    this.mostUnderWay = Math.max(this.mostUnderWay, this.underWay);
    await this.gate;
    this.underWay -= 1;
    const fault = this.#faults.find(({ left, matches }) => left > 0 && matches(request));
    if (fault !== undefined) {
      fault.left -= 1;
      if (fault.applied) {
        this.#answer(request);
      }
      throw fault.error;
    }
    return structuredClone(this.#answer(request));
  }

  stream(request: ApiRequest, signal: AbortSignal): Promise<AsyncIterable<Buffer>> {
    this.requests.push({ ...request });
    const queue: Json[] = [];
    let wake = ASLEEP;
    const watcher: Watcher = (event) => {
      queue.push(event);
      wake();
    };
    this.#watchers.set(watcher, `${request.path}/${nameOf(request)}`);
    const end = (): void => {
      this.#watchers.delete(watcher);
      wake();
    };
    signal.addEventListener('abort', end, { once: true });
    const isOpen = () => this.#watchers.has(watcher);
    return Promise.resolve(
      (async function* events() {
        while (isOpen() || queue.length > 0) {
          const event = queue.shift();
          if (event === undefined) {
            await new Promise<void>((resolve) => (wake = resolve));
          } else {
            yield Buffer.from(`${JSON.stringify(event)}\n`);
          }
        }
      })(),
    );
  }

  /** As a server does when its time is up. */
  endWatches(): void {
    const watchers = [...this.#watchers.keys()];
    this.#watchers.clear();
    watchers.forEach((watcher) => watcher({ type: 'BOOKMARK', object: {} }));
  }

  #show(path: string, type: string, object: Json): void {
    for (const [watcher, watched] of this.#watchers) {
      if (watched === path) {
        watcher({ type, object });
      }
    }
  }

  #answer(request: ApiRequest): unknown {
    switch (request.method) {
      case 'GET':
        return this.#list(request);
      case 'POST':
        return this.#create(request);
      case 'PUT':
        return this.#replace(request);
      case 'PATCH':
        return this.#patch(request);
      case 'DELETE':
        throw failure(405, 'MethodNotAllowed');
    }
  }

  #list({ path, query = {} }: ApiRequest): Json {
    const name = query['fieldSelector']?.replace('metadata.name=', '');
    const within = [...this.objects].filter(
      ([at]) => belongs(at, path) && (name === undefined || at.endsWith(`/${name}`)),
    );
    const start = Number(query['continue'] ?? 0);
    const end = start + Number(query['limit'] ?? within.length);
    const next = end < within.length ? { continue: String(end) } : {};
    return {
      metadata: { resourceVersion: String(this.#version), ...next },
      items: within.slice(start, end).map(([, object]) => object),
    };
  }

  #create({ path, body }: ApiRequest): Json {
    const object = body as Json;
    const at = `${path}/${String((object['metadata'] as Json)['name'])}`;
    if (this.objects.has(at)) {
      throw failure(409, 'AlreadyExists');
    }
    return this.put(at, object);
  }

  #replace({ path, body }: ApiRequest): Json {
    this.#checkVersion(path, body as Json);
    return this.put(path, body as Json);
  }

  #patch({ path, body, contentType }: ApiRequest): Json {
    const at = path.replace(/\/status$/, '');
    const object = this.#checkVersion(at, body as Json);
    const merged = merge(object, body, contentType?.includes('strategic') ?? false) as Json;
    const same = isDeepStrictEqual({ ...merged, metadata: object['metadata'] }, object);
    return same && isDeepStrictEqual(merged['metadata'], object['metadata']) ? object : this.put(at, merged);
  }

  #checkVersion(path: string, body: Json): Json {
    const object = this.objects.get(path);
    if (object === undefined) {
      throw failure(404, 'NotFound');
    }
    const wanted = (body['metadata'] ?? {}) as Json;
    const there = object['metadata'] as Json;
    for (const field of ['uid', 'resourceVersion']) {
      if (wanted[field] !== undefined && wanted[field] !== there[field]) {
        throw failure(409, 'Conflict');
      }
    }
    return object;
  }
}

export function failure(status: number, reason: string, message: string = reason): ApiError {
  return new ApiError('status', message, { status, reason });
}

export const LOST = new ApiError('timeout', 'no answer in time');
export const DOWN = new ApiError('network', 'ECONNREFUSED');

function nameOf({ query = {} }: ApiRequest): string {
  return (query['fieldSelector'] ?? '').replace('metadata.name=', '');
}

/** /api/v1/services lists what stands below /api/v1/namespaces/X/services/. */
function belongs(at: string, collection: string): boolean {
  const parent = at.slice(0, at.lastIndexOf('/'));
  return parent === collection || parent.replace(/\/namespaces\/[^/]+/, '') === collection;
}

/** RFC 7396; with `strategic`, conditions are merged by their type. */
function merge(target: unknown, patch: unknown, strategic: boolean): unknown {
  if (typeof patch !== 'object' || patch === null || Array.isArray(patch)) {
    return patch;
  }
  const result: Json = { ...(target as Json | undefined) };
  for (const [field, value] of Object.entries(patch as Json)) {
    if (value === null) {
      delete result[field];
    } else if (strategic && field === 'conditions') {
      result[field] = mergeByType((result[field] ?? []) as Json[], value as Json[]);
    } else {
      result[field] = merge(result[field], value, strategic);
    }
  }
  return result;
}

function mergeByType(there: readonly Json[], patches: readonly Json[]): Json[] {
  const types = new Set(patches.map(({ type }) => type));
  const kept = there.filter(({ type }) => !types.has(type));
  const merged = patches
    .filter((patch) => patch['$patch'] !== 'delete')
    .map((patch) => ({ ...there.find(({ type }) => type === patch['type']), ...patch }));
  return [...kept, ...merged];
}
