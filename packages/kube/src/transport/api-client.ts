// Requests to the API server as raw JSON over few connections: a pool for requests, another for watches so
// that they never starve requests, and a fresh connection where a second opinion is wanted. Every request
// has a time limit, every body a size limit, every failure is an ApiError.
//
// Does not retry (except once after 401, with credentials read anew), redirect, decompress or cache; knows
// nothing of kinds. HTTP/1.1: with one HTTP/2 connection a lost packet would hold up every watch at once.

import { Client, Pool, type Dispatcher } from 'undici';
import type { Access } from './access.ts';
import { ApiError, networkError, requestName, statusError } from './api-error.ts';
import { requestTarget, type ApiRequest } from './api-request.ts';
import { kubeconfigAccess, podAccess } from './cluster-access.ts';
import { connector } from './connector.ts';
import { Contact } from './contact.ts';
import { outcomeOfError, RequestCounts, verbOf, type RequestCount, type Verb } from './request-counts.ts';
import { TimeLimit } from './time-limit.ts';

export interface ClientLimits {
  readonly requestMs: number;
  readonly connectMs: number;
  /** Of an answer that is held as a whole. */
  readonly maxBodyBytes: number;
  /** Connections for requests; the status writer alone may use most of them. */
  readonly connections: number;
  /** Without an answer for so long, contact counts as lost. */
  readonly lostMs: number;
}

const LIMITS: ClientLimits = {
  requestMs: 15_000,
  connectMs: 10_000,
  maxBodyBytes: 32 * 1024 * 1024,
  connections: 16,
  lostMs: 6000,
};
/** The API server closes idle connections after 90 s. */
const IDLE_CONNECTION_MS = 60_000;
/** Of an error answer, which is for people. */
const MAX_ERROR_BYTES = 64 * 1024;
const UNAUTHORIZED = 401;

type Response = Dispatcher.ResponseData;

export class ApiClient {
  /** Of all connections together. */
  readonly contact: Contact;
  readonly #access: Access;
  readonly #limits: ClientLimits;
  readonly #origin: string;
  readonly #basePath: string;
  readonly #requests: Pool;
  readonly #watches: Pool;
  readonly #counts = new RequestCounts();

  constructor(access: Access, limits: Partial<ClientLimits> = {}) {
    this.#access = access;
    this.#limits = { ...LIMITS, ...limits };
    this.contact = new Contact(this.#limits.lostMs);
    const { origin, pathname } = new URL(access.server);
    this.#origin = origin;
    this.#basePath = pathname === '/' ? '' : pathname;
    this.#requests = new Pool(origin, { ...this.#options(), connections: this.#limits.connections });
    this.#watches = new Pool(origin, this.#options());
  }

  static async fromSettings(
    settings: { readonly kubeconfig: string | undefined },
    limits: Partial<ClientLimits> = {},
  ): Promise<ApiClient> {
    const { kubeconfig } = settings;
    return new ApiClient(kubeconfig === undefined ? podAccess() : await kubeconfigAccess(kubeconfig), limits);
  }

  /** Since the start of the process. */
  get requestCounts(): readonly RequestCount[] {
    return this.#counts.list();
  }

  /** The parsed answer; undefined for an empty one. */
  async request(request: ApiRequest): Promise<unknown> {
    const pieces: Buffer[] = [];
    let size = 0;
    await this.download(request, (chunk) => {
      size += chunk.length;
      if (size > this.#limits.maxBodyBytes) {
        throw new ApiError('malformed', `${requestName(request)}: the answer is too large`);
      }
      pieces.push(chunk);
    });
    return parseAnswer(request, Buffer.concat(pieces).toString('utf8'));
  }

  /** Hands the answer's body over as it arrives, for answers that nobody should hold as a whole. */
  async download(request: ApiRequest, sink: (chunk: Buffer) => void): Promise<void> {
    const limit = new TimeLimit(request.timeoutMs ?? this.#limits.requestMs, request.signal);
    const fresh =
      request.connection === 'fresh' ? new Client(this.#origin, { ...this.#options() }) : undefined;
    try {
      const { body, statusCode } = await this.#open(request, fresh ?? this.#requests, limit);
      for await (const chunk of body) {
        sink(chunk as Buffer);
      }
      this.contact.answered();
      this.#counts.add(verbOf(request), String(statusCode));
    } catch (error) {
      throw this.#counted(verbOf(request), typedError(request, error, limit));
    } finally {
      limit.clear();
      await fresh?.destroy();
    }
  }

  /** Opens a watch. It stays open until the server ends it, the reader stops reading, or `signal` aborts. */
  async stream(request: ApiRequest, signal: AbortSignal): Promise<AsyncIterable<Buffer>> {
    const limit = new TimeLimit(request.timeoutMs ?? this.#limits.requestMs, signal);
    try {
      const { body, statusCode } = await this.#open(request, this.#watches, limit);
      limit.stopClock();
      this.#counts.add('watch', String(statusCode));
      return this.#chunks(request, body, limit);
    } catch (error) {
      limit.clear();
      throw this.#counted('watch', typedError(request, error, limit));
    }
  }

  /** Ends everything that is under way. */
  async close(): Promise<void> {
    await Promise.all([this.#requests.destroy(), this.#watches.destroy()]);
  }

  #counted(verb: Verb, error: ApiError): ApiError {
    this.#counts.add(verb, outcomeOfError(error));
    return error;
  }

  async *#chunks(request: ApiRequest, body: Response['body'], limit: TimeLimit): AsyncIterable<Buffer> {
    try {
      for await (const chunk of body) {
        this.contact.answered();
        yield chunk as Buffer;
      }
    } catch (error) {
      throw typedError(request, error, limit);
    } finally {
      limit.clear();
    }
  }

  async #open(request: ApiRequest, over: Dispatcher, limit: TimeLimit): Promise<Response> {
    let response = await this.#send(request, over, limit);
    if (response.statusCode === UNAUTHORIZED) {
      await response.body.dump();
      this.#access.renew();
      response = await this.#send(request, over, limit);
    }
    if (response.statusCode < 200 || response.statusCode > 299) {
      throw await failureOf(request, response);
    }
    this.contact.answered();
    return response;
  }

  async #send(request: ApiRequest, over: Dispatcher, limit: TimeLimit): Promise<Response> {
    const { method, body, contentType = 'application/json' } = request;
    const headers = {
      accept: 'application/json',
      'user-agent': 'herald',
      ...(await this.#access.headers()),
      ...(body !== undefined && { 'content-type': contentType }),
    };
    return over.request({
      origin: this.#origin,
      path: this.#basePath + requestTarget(request),
      method,
      headers,
      ...(body !== undefined && { body: JSON.stringify(body) }),
      signal: limit.signal,
    });
  }

  #options(): Pool.Options {
    return {
      connections: null,
      connect: connector(this.#access, this.#limits.connectMs),
      keepAliveTimeout: IDLE_CONNECTION_MS,
      keepAliveMaxTimeout: IDLE_CONNECTION_MS,
      // Ours cover the whole exchange.
      headersTimeout: 0,
      bodyTimeout: 0,
    };
  }
}

async function failureOf(request: ApiRequest, response: Response): Promise<ApiError> {
  const retryAfter = response.headers['retry-after'];
  let text = '';
  for await (const chunk of response.body) {
    text += String(chunk);
    if (text.length > MAX_ERROR_BYTES) {
      break;
    }
  }
  return statusError(
    request,
    response.statusCode,
    text,
    Array.isArray(retryAfter) ? retryAfter[0] : retryAfter,
  );
}

function typedError(request: ApiRequest, error: unknown, limit: TimeLimit): ApiError {
  if (error instanceof ApiError) {
    return error;
  }
  if (limit.outcome !== undefined) {
    const words = limit.outcome === 'timeout' ? 'no answer in time' : 'given up';
    return new ApiError(limit.outcome, `${requestName(request)}: ${words}`);
  }
  return networkError(request, error);
}

function parseAnswer(request: ApiRequest, text: string): unknown {
  try {
    return text === '' ? undefined : JSON.parse(text);
  } catch {
    throw new ApiError('malformed', `${requestName(request)}: the answer is not JSON`);
  }
}
