// Requests that were sent, counted by the verb that RBAC knows them by and by how they ended.

import type { ApiError } from './api-error.ts';
import type { ApiRequest } from './api-request.ts';

/** get, list, watch, create, update, patch or delete. */
export type Verb = 'get' | 'list' | 'watch' | 'create' | 'update' | 'patch' | 'delete';

export interface RequestCount {
  readonly verb: Verb;
  /** The HTTP status as text, or timeout, network, aborted, malformed. */
  readonly outcome: string;
  readonly count: number;
}

type Target = Pick<ApiRequest, 'method' | 'path'>;

const WRITES = { POST: 'create', PUT: 'update', PATCH: 'patch', DELETE: 'delete' } as const;
/** What stands before the resource: /api/v1 or /apis/GROUP/VERSION, and the namespace if it is in one. */
const IN_FRONT = /^\/(?:api\/[^/]+|apis\/[^/]+\/[^/]+)\/(?:namespaces\/[^/]+\/(?=.))?/;

export class RequestCounts {
  readonly #counts = new Map<string, RequestCount>();

  add(verb: Verb, outcome: string): void {
    const key = `${verb} ${outcome}`;
    const count = (this.#counts.get(key)?.count ?? 0) + 1;
    this.#counts.set(key, { verb, outcome, count });
  }

  list(): readonly RequestCount[] {
    return [...this.#counts.values()];
  }
}

export function verbOf({ method, path }: Target): Verb {
  if (method !== 'GET') {
    return WRITES[method];
  }
  return path.replace(IN_FRONT, '').includes('/') ? 'get' : 'list';
}

export function outcomeOfError({ status, kind }: ApiError): string {
  return status === undefined ? kind : String(status);
}
