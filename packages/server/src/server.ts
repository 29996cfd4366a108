// The HTTP server: two listeners over the same endpoints. One is on loopback, without login; one may be on the pod
// network, with tokens. What is shown is read from the views when somebody asks.

import type { FastifyBaseLogger, FastifyInstance } from 'fastify';
import { createApp, listenAt } from './app.ts';
import type { Context } from './endpoint/context.ts';
import type { Endpoint } from './endpoint/endpoint.ts';
import { healthEndpoints } from './endpoint/health.ts';
import { metricsEndpoint } from './endpoint/metrics.ts';
import { nextHopEndpoints } from './endpoint/next-hops.ts';
import { openApiEndpoint } from './endpoint/open-api.ts';
import { peerEndpoints } from './endpoint/peers.ts';
import { replicaEndpoints } from './endpoint/replicas.ts';
import { routeEndpoints } from './endpoint/routes.ts';
import { serviceEndpoints } from './endpoint/services.ts';
import { statusEndpoints } from './endpoint/status.ts';
import { requireLoopback, requireLoopbackHost, type ListenAddress } from './loopback.ts';
import { createMetrics, type Metrics, type Observer } from './metrics/metrics.ts';
import { PodListener, type PodListenerOptions } from './pod-listener.ts';
import type { ViewSource } from './views.ts';

export interface ServerOptions {
  readonly version: string;
  readonly logger?: FastifyBaseLogger;
  /** Milliseconds since the epoch; the clock of the machine unless given. */
  readonly nowMs?: () => number;
}

export interface Server {
  /** What the loopback listener serves. */
  readonly app: FastifyInstance;
  /** Where durations are reported to. */
  readonly observe: Observer;
  /** Throws RangeError for an address that is not loopback; resolves with the port. */
  listen(at: ListenAddress): Promise<number>;
  /** Throws Error with a sentence for a certificate that cannot be used; resolves with the port. */
  listenOnPodNetwork(options: PodListenerOptions): Promise<number>;
  close(): Promise<void>;
}

export async function createServer(views: ViewSource, options: ServerOptions): Promise<Server> {
  const { version, logger, nowMs = Date.now } = options;
  const context: Context = { views, version, startedAtMs: nowMs(), nowMs };
  const metrics = createMetrics(context);
  const parts = { version, logger, nowMs, endpoints: allEndpoints(context, metrics) };
  const app = await createApp({ ...parts, admit: requireLoopbackHost, tls: undefined });
  let podListener: PodListener | undefined;
  return {
    app,
    observe: metrics,
    listen: (at) => listenOnLoopback(app, at),
    listenOnPodNetwork: async (podOptions) => {
      podListener = await PodListener.open(podOptions, parts);
      return podListener.port;
    },
    close: async () => {
      await Promise.all([app.close(), podListener?.close()]);
    },
  };
}

function allEndpoints(context: Context, metrics: Metrics): Endpoint[] {
  return [
    ...healthEndpoints(context),
    ...statusEndpoints(context),
    ...replicaEndpoints(context),
    ...routeEndpoints(context),
    ...nextHopEndpoints(context),
    ...peerEndpoints(context),
    ...serviceEndpoints(context),
    metricsEndpoint(metrics),
    openApiEndpoint(),
  ];
}

async function listenOnLoopback(app: FastifyInstance, at: ListenAddress): Promise<number> {
  requireLoopback(at);
  return await listenAt(app, at);
}
