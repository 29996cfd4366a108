// How an endpoint is written down: a path that answers GET, its schemas, and a function from the views and
// the request to the answer. Everything that is the same for all of them is added here: the description for
// OpenAPI with the refusals of the listeners, and 405 with `Allow` for other methods.

import type { FastifyInstance, FastifyRequest, FastifySchema, HTTPMethods } from 'fastify';
import { OPEN_PATHS } from '../pod-access.ts';
import { Problem } from '../problem.ts';
import { refusals } from '../schema/responses.ts';
import type { Schema } from '../schema/shapes.ts';

export interface Endpoint {
  readonly url: string;
  readonly summary: string;
  readonly schema: Pick<FastifySchema, 'params' | 'querystring'> & {
    readonly response: Readonly<Record<number, Schema>>;
  };
  readonly answer: (request: FastifyRequest) => Answer | Promise<Answer>;
}

export interface Answer {
  readonly status: number;
  readonly contentType: string;
  readonly body: unknown;
}

const OTHER_METHODS: HTTPMethods[] = ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

export function json(body: unknown, status = 200): Answer {
  return { status, contentType: 'application/json; charset=utf-8', body };
}

export function addEndpoint(app: FastifyInstance, endpoint: Endpoint): void {
  const { url, summary, schema } = endpoint;
  const isOpen = OPEN_PATHS.has(url);
  const security = isOpen ? { security: [] } : {};
  const response = { ...refusals(...(isOpen ? [421] : [401, 403, 421, 503])), ...schema.response };
  app.get(url, { schema: { summary, ...security, ...schema, response } }, async (request, reply) => {
    const { status, contentType, body } = await endpoint.answer(request);
    return reply.code(status).header('content-type', contentType).send(body);
  });
  app.route({
    method: OTHER_METHODS,
    url,
    schema: { hide: true },
    // Before the body is looked at: what is in it makes no difference.
    onRequest: async (_request, reply) => {
      reply.header('allow', 'GET, HEAD');
      throw new Problem(405, `${url} can only be read (GET).`);
    },
    handler: async () => undefined,
  });
}
