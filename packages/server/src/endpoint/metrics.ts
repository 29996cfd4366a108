// GET metrics in the Prometheus text format.

import type { FastifyInstance } from 'fastify';
import type { Metrics } from '../metrics/metrics.ts';
import { text } from '../schema/shapes.ts';
import { addEndpoint } from './endpoint.ts';

export function addMetricsEndpoint(app: FastifyInstance, metrics: Metrics): void {
  addEndpoint(app, {
    url: '/metrics',
    summary: 'Metrics in the Prometheus text format',
    schema: { response: { 200: { content: { 'text/plain': { schema: text } } } } },
    answer: async () => ({ status: 200, contentType: metrics.contentType, body: await metrics.render() }),
  });
}
