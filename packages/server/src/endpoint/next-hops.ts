// GET next-hops: the nodes as next hops, and what they carry.

import { renderNextHops } from '../render/render-next-hops.ts';
import { nextHops } from '../schema/next-hop-responses.ts';
import { answers } from '../schema/responses.ts';
import { described, flag, pageQuery, query } from '../schema/shapes.ts';
import type { Context } from './context.ts';
import { json, type Endpoint } from './endpoint.ts';
import { readPage } from './page-query.ts';

interface RawQuery {
  readonly eligible?: boolean;
  readonly limit: number;
  readonly offset: number;
}

const filters = { eligible: described(flag, 'Only nodes that may, or may not, be next hops') };

export function nextHopEndpoints({ views }: Context): Endpoint[] {
  return [
    {
      url: '/api/v1/next-hops',
      summary: 'Nodes as next hops: eligible or why not, and what they carry',
      schema: { querystring: query({ ...filters, ...pageQuery }), response: answers(nextHops, 400) },
      answer: ({ query: raw }) => {
        const { eligible, ...page } = raw as RawQuery;
        return json(renderNextHops(views.current(), { eligible, ...readPage(page) }));
      },
    },
  ];
}
