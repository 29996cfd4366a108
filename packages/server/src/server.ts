// The HTTP server: assembles endpoints, errors, security headers and the OpenAPI document around the views.
// It listens on loopback only, reads only, and allows no other origin. What an endpoint answers is decided
// in endpoint/ and render/.

import swagger from '@fastify/swagger';
import fastify, {
  LogController,
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
} from 'fastify';
import type { Context } from './endpoint/context.ts';
import { addEndpoint, type Endpoint } from './endpoint/endpoint.ts';
import { healthEndpoints } from './endpoint/health.ts';
import { addMetricsEndpoint } from './endpoint/metrics.ts';
import { addOpenApiEndpoint, openApiOptions } from './endpoint/open-api.ts';
import { peerEndpoints } from './endpoint/peers.ts';
import { routeEndpoints } from './endpoint/routes.ts';
import { serviceEndpoints } from './endpoint/services.ts';
import { statusEndpoints } from './endpoint/status.ts';
import { requireLoopback, requireLoopbackHost, type ListenAddress } from './loopback.ts';
import { createMetrics, type Metrics, type Observer } from './metrics/metrics.ts';
import { answerError, answerUnknownPath } from './problem.ts';
import type { ViewSource } from './views.ts';

export interface ServerOptions {
  readonly version: string;
  readonly logger?: FastifyBaseLogger;
  /** Milliseconds since the epoch; the clock of the machine unless given. */
  readonly nowMs?: () => number;
}

export interface Server {
  readonly app: FastifyInstance;
  /** Where durations are reported to. */
  readonly observe: Observer;
  /** Throws RangeError for an address that is not loopback; resolves with the port. */
  listen(at: ListenAddress): Promise<number>;
  close(): Promise<void>;
}

const SECURITY_HEADERS = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
};

/** Nothing is ever uploaded. */
const MAX_BODY_BYTES = 1024;

export async function createServer(views: ViewSource, options: ServerOptions): Promise<Server> {
  const nowMs = options.nowMs ?? Date.now;
  const context: Context = { views, version: options.version, startedAtMs: nowMs(), nowMs };
  const metrics = createMetrics(context);
  const app = createApp(options);
  await app.register(swagger, openApiOptions(options.version));
  addEndpoints(app, context, metrics);
  await app.ready();
  return {
    app,
    observe: metrics,
    listen: (at) => listen(app, at),
    close: () => app.close(),
  };
}

function createApp({ logger }: ServerOptions): FastifyInstance {
  const app = fastify({
    ...(logger === undefined ? { logger: false } : { loggerInstance: logger }),
    logController: new LogController({ disableRequestLogging: true }),
    // What is refused before it reaches a route, where no hook runs.
    frameworkErrors: (error, request, reply) => {
      addSecurityHeaders(reply);
      void answerError(error, request, reply);
    },
    bodyLimit: MAX_BODY_BYTES,
    forceCloseConnections: true,
    // Wrong types and unknown parameters are refused, not repaired or dropped; text is read as a number.
    ajv: { customOptions: { removeAdditional: false, coerceTypes: true, allErrors: true } },
  });
  app.setErrorHandler(answerError);
  app.setNotFoundHandler(answerUnknownPath);
  app.addHook('onRequest', async (_request, reply) => addSecurityHeaders(reply));
  app.addHook('onRequest', requireLoopbackHost);
  return app;
}

function addEndpoints(app: FastifyInstance, context: Context, metrics: Metrics): void {
  const endpoints: Endpoint[] = [
    ...healthEndpoints(context),
    ...statusEndpoints(context),
    ...routeEndpoints(context),
    ...peerEndpoints(context),
    ...serviceEndpoints(context),
  ];
  for (const endpoint of endpoints) {
    addEndpoint(app, endpoint);
  }
  addMetricsEndpoint(app, metrics);
  addOpenApiEndpoint(app);
}

function addSecurityHeaders(reply: FastifyReply): void {
  reply.headers(SECURITY_HEADERS);
}

async function listen(app: FastifyInstance, at: ListenAddress): Promise<number> {
  requireLoopback(at);
  await app.listen({ host: at.address, port: at.port });
  const [bound] = app.addresses();
  return typeof bound === 'object' ? bound.port : at.port;
}
