// Why a request to the API server failed, as one typed error. The message names method, path and what the
// server or the system said; it never holds a header, a token or a body, because it ends up in logs, faults
// and status. How long the server asks us to stay away (Retry-After, RFC 9110 section 10.2.3) is kept.

import { list, record } from './json.ts';
import type { ApiRequest } from './api-request.ts';

/**
 * status: the server answered with an error. timeout: no answer in time. network: no connection, or it was
 * lost. aborted: by the caller. malformed: an answer that is not what was asked for, or too large.
 */
export type ApiErrorKind = 'status' | 'timeout' | 'network' | 'aborted' | 'malformed';

export interface ApiErrorFields {
  readonly status?: number | undefined;
  readonly reason?: string | undefined;
  readonly retryAfterMs?: number | undefined;
  readonly causes?: readonly string[] | undefined;
}

export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly kind: ApiErrorKind;
  /** HTTP status, or the code of an ERROR event of a watch. */
  readonly status: number | undefined;
  /** The `reason` of the server's Status object: "Conflict", "Expired", ... */
  readonly reason: string | undefined;
  readonly retryAfterMs: number | undefined;
  /** The reasons in the `details.causes` of the server's Status object: "NamespaceTerminating", ... */
  readonly causes: readonly string[];

  constructor(kind: ApiErrorKind, message: string, fields: ApiErrorFields = {}) {
    super(message);
    this.kind = kind;
    this.status = fields.status;
    this.reason = fields.reason;
    this.retryAfterMs = fields.retryAfterMs;
    this.causes = fields.causes ?? [];
  }
}

/** How long the server asks us to stay away; 0 where it does not, or never answered. */
export function retryAfterMs(error: unknown): number {
  return error instanceof ApiError ? (error.retryAfterMs ?? 0) : 0;
}

interface StatusObject {
  readonly message?: unknown;
  readonly reason?: unknown;
  readonly code?: unknown;
  readonly details?: { readonly retryAfterSeconds?: unknown; readonly causes?: unknown };
}

/** A server's words are for people: longer ones are cut. */
const MAX_WORDS = 500;
const SECOND_MS = 1000;

export function requestName(request: Pick<ApiRequest, 'method' | 'path'>): string {
  return `${request.method} ${request.path}`;
}

/** From an answer with an error status; `body` is a Status object or whatever a proxy wrote. */
export function statusError(
  request: ApiRequest,
  status: number,
  body: string,
  retryAfter: string | undefined,
): ApiError {
  const said = parseStatus(body);
  return new ApiError('status', `${requestName(request)}: ${status} ${wordsOf(said, body)}`.trimEnd(), {
    status,
    reason: textOf(said.reason),
    retryAfterMs: delayOf(retryAfter) ?? delayOfDetails(said),
    causes: causesOf(said),
  });
}

/** From the Status object of a watch's ERROR event. */
export function eventError(request: ApiRequest, object: unknown): ApiError {
  const said = (object ?? {}) as StatusObject;
  const status = typeof said.code === 'number' ? said.code : undefined;
  return new ApiError('status', `${requestName(request)}: ${status ?? ''} ${wordsOf(said, '')}`.trimEnd(), {
    status,
    reason: textOf(said.reason),
    retryAfterMs: delayOfDetails(said),
  });
}

/** From whatever a socket or TLS threw: only its code is repeated. */
export function networkError(request: ApiRequest, error: unknown): ApiError {
  const { code, name } = error as NodeJS.ErrnoException;
  const timedOut = code === 'UND_ERR_HEADERS_TIMEOUT' || code === 'UND_ERR_BODY_TIMEOUT';
  return new ApiError(timedOut ? 'timeout' : 'network', `${requestName(request)}: ${code ?? name}`);
}

function parseStatus(body: string): StatusObject {
  try {
    const value: unknown = JSON.parse(body);
    return typeof value === 'object' && value !== null ? value : {};
  } catch {
    return {};
  }
}

function wordsOf(said: StatusObject, body: string): string {
  const words = textOf(said.message) ?? textOf(said.reason) ?? (body.startsWith('{') ? '' : body.trim());
  return words.slice(0, MAX_WORDS);
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function causesOf(said: StatusObject): readonly string[] {
  return list(said.details?.causes).flatMap((cause) => textOf(record(cause)['reason']) ?? []);
}

function delayOfDetails(said: StatusObject): number | undefined {
  const seconds = said.details?.retryAfterSeconds;
  return typeof seconds === 'number' && seconds > 0 ? seconds * SECOND_MS : undefined;
}

/** Seconds or a date. */
function delayOf(header: string | undefined): number | undefined {
  if (header === undefined) {
    return undefined;
  }
  const seconds = Number(header);
  const delay = Number.isNaN(seconds) ? Date.parse(header) - Date.now() : seconds * SECOND_MS;
  return Number.isNaN(delay) ? undefined : Math.max(0, delay);
}
