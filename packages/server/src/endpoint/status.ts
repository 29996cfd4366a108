// GET status and config: the replica as a whole.

import { renderConfig } from '../render/render-config.ts';
import { renderStatus } from '../render/render-status.ts';
import { answers, config, status } from '../schema/responses.ts';
import { query } from '../schema/shapes.ts';
import type { Context } from './context.ts';
import { json, type Endpoint } from './endpoint.ts';

export function statusEndpoints({ views, version, startedAtMs, nowMs }: Context): Endpoint[] {
  return [
    {
      url: '/api/v1/status',
      summary: 'What is wrong, who leads, how fresh the input is, how much there is',
      schema: { querystring: query({}), response: answers(status, 400) },
      answer: () => json(renderStatus(views.current(), { version, startedAtMs, nowMs: nowMs() })),
    },
    {
      url: '/api/v1/config',
      summary: 'Settings and configured sessions, secrets masked',
      schema: { querystring: query({}), response: answers(config, 400) },
      answer: () => json(renderConfig(views.current())),
    },
  ];
}
