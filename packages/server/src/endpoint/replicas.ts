// GET leader and replicas: who leads, and what every replica says of itself.

import { renderExchange, renderLeader, renderReplicas } from '../render/render-replicas.ts';
import { leader, replicas } from '../schema/replica-responses.ts';
import { answers } from '../schema/responses.ts';
import { query } from '../schema/shapes.ts';
import type { Context } from './context.ts';
import { json, type Endpoint } from './endpoint.ts';

export function replicaEndpoints({ views }: Context): Endpoint[] {
  return [
    {
      url: '/api/v1/leader',
      summary: 'Who leads, since when, in which term',
      schema: { querystring: query({}), response: answers(leader, 400) },
      answer: () => json(renderLeader(views.current())),
    },
    {
      url: '/api/v1/replicas',
      summary: 'Replicas: role, table and sessions of each, and what they tell each other directly',
      schema: { querystring: query({}), response: answers(replicas, 400) },
      answer: () => {
        const current = views.current();
        return json({ items: renderReplicas(current), exchange: renderExchange(current) });
      },
    },
  ];
}
