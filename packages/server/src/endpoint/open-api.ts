// GET the OpenAPI document, made from the schemas of the endpoints.

import type { FastifyDynamicSwaggerOptions } from '@fastify/swagger';
import type { FastifyInstance } from 'fastify';
import { addEndpoint, json } from './endpoint.ts';

export function openApiOptions(version: string): FastifyDynamicSwaggerOptions {
  return {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Herald',
        description: 'What one Herald replica announces, to whom, and why. Read-only.',
        version,
      },
    },
  };
}

export function addOpenApiEndpoint(app: FastifyInstance): void {
  addEndpoint(app, {
    url: '/api/v1/openapi.json',
    summary: 'This document',
    schema: {},
    answer: () => json(app.swagger()),
  });
}
