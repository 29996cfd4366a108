// One HTTP application: endpoints, errors, security headers and the OpenAPI document. Read-only, and no other
// origin is allowed. Who is let in is the listener's business, and comes as a hook that runs before everything
// else; what an endpoint answers is decided in endpoint/ and render/.

import swagger from '@fastify/swagger';
import fastify, {
  LogController,
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
} from 'fastify';
import { addEndpoint, type Endpoint } from './endpoint/endpoint.ts';
import { openApiOptions } from './endpoint/open-api.ts';
import type { KeyPair } from './certificate.ts';
import { answerError, answerUnknownPath } from './problem.ts';

export interface AppParts {
  readonly version: string;
  readonly logger: FastifyBaseLogger | undefined;
  readonly endpoints: readonly Endpoint[];
  /** Throws a Problem for a request that is not let in. */
  readonly admit: (request: FastifyRequest) => Promise<void>;
  /** undefined: plain HTTP. */
  readonly tls: KeyPair | undefined;
  /** Adds what is no endpoint of the documented API. */
  readonly extend?: (app: FastifyInstance) => void;
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
/**
 * From the first byte of a request to its last, for a TLS handshake, and between requests. There is no limit on
 * the number of connections: whoever filled it would keep the kubelet's probes out.
 */
const PATIENCE_MS = 10_000;

export async function createApp(parts: AppParts): Promise<FastifyInstance> {
  const app = bareApp(parts);
  app.setErrorHandler(answerError);
  app.setNotFoundHandler(answerUnknownPath);
  app.addHook('onRequest', async (_request, reply) => addSecurityHeaders(reply));
  app.addHook('onRequest', parts.admit);
  await app.register(swagger, openApiOptions(parts.version));
  for (const endpoint of parts.endpoints) {
    addEndpoint(app, endpoint);
  }
  parts.extend?.(app);
  await app.ready();
  return app;
}

function bareApp({ logger, tls }: AppParts): FastifyInstance {
  const options = {
    ...(logger === undefined ? { logger: false } : { loggerInstance: logger.child({ event: 'http' }) }),
    logController: new LogController({ disableRequestLogging: true }),
    // What is refused before it reaches a route, where no hook runs.
    frameworkErrors: (
      error: Parameters<typeof answerError>[0],
      request: FastifyRequest,
      reply: FastifyReply,
    ): void => {
      addSecurityHeaders(reply);
      void answerError(error, request, reply);
    },
    bodyLimit: MAX_BODY_BYTES,
    requestTimeout: PATIENCE_MS,
    keepAliveTimeout: PATIENCE_MS,
    forceCloseConnections: true,
    // Wrong types and unknown parameters are refused, not repaired or dropped; text is read as a number.
    ajv: { customOptions: { removeAdditional: false, coerceTypes: true, allErrors: true } } as const,
  };
  return tls === undefined
    ? fastify(options)
    : fastify({ ...options, https: { ...tls, handshakeTimeout: PATIENCE_MS } });
}

function addSecurityHeaders(reply: FastifyReply): void {
  reply.headers(SECURITY_HEADERS);
}

/** Resolves with the port. */
export async function listenAt(
  app: FastifyInstance,
  at: { readonly address: string; readonly port: number },
): Promise<number> {
  await app.listen({ host: at.address, port: at.port });
  const [bound] = app.addresses();
  return typeof bound === 'object' ? bound.port : at.port;
}
