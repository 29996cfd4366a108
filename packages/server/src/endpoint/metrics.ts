// GET metrics in the Prometheus text format.

import type { Metrics } from '../metrics/metrics.ts';
import { text } from '../schema/shapes.ts';
import type { Endpoint } from './endpoint.ts';

export function metricsEndpoint(metrics: Metrics): Endpoint {
  return {
    url: '/metrics',
    summary: 'Metrics in the Prometheus text format',
    schema: { response: { 200: { content: { 'text/plain': { schema: text } } } } },
    answer: async () => ({ status: 200, contentType: metrics.contentType, body: await metrics.render() }),
  };
}
