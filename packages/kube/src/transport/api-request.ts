// One request to the API server, as its callers state it.

export interface ApiRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Of the body; application/json unless it is a patch of some kind. */
  readonly contentType?: string;
  /** For the whole exchange, the body included; of a stream: until it is open. */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
  /** fresh: a connection of its own, so that another server may answer than did before. */
  readonly connection?: 'pooled' | 'fresh';
}

/** Path and query as they stand in the request line. */
export function requestTarget(request: Pick<ApiRequest, 'path' | 'query'>): string {
  const query = new URLSearchParams(request.query).toString();
  return query === '' ? request.path : `${request.path}?${query}`;
}
