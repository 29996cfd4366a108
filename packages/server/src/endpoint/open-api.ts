// GET the OpenAPI document, made from the schemas of the endpoints.

import type { FastifyDynamicSwaggerOptions } from '@fastify/swagger';
import { openShape } from '../schema/shapes.ts';
import { json, type Endpoint } from './endpoint.ts';

export function openApiOptions(version: string): FastifyDynamicSwaggerOptions {
  return {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Herald',
        description: 'What one Herald replica announces, to whom, and why. Read-only.',
        version,
      },
      components: {
        securitySchemes: {
          token: { type: 'http', scheme: 'bearer', description: 'A token of the cluster (pod network only)' },
        },
      },
      // Either is enough: the loopback listener asks for nothing.
      security: [{}, { token: [] }],
    },
  };
}

export function openApiEndpoint(): Endpoint {
  return {
    url: '/api/v1/openapi.json',
    summary: 'This document',
    schema: { response: { 200: openShape('An OpenAPI document') } },
    answer: ({ server }) => json(server.swagger()),
  };
}
