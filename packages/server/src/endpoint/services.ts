// GET services and one service with its explanation.

import { notFound } from '../problem.ts';
import { renderExplanation } from '../render/render-explanation.ts';
import { renderService, renderServices } from '../render/render-services.ts';
import { answers, explained, services } from '../schema/responses.ts';
import { flag, pageQuery, query, text } from '../schema/shapes.ts';
import type { Context } from './context.ts';
import { json, type Answer, type Endpoint } from './endpoint.ts';
import { readPage } from './page-query.ts';

interface RawQuery {
  readonly namespace?: string;
  readonly announced?: boolean;
  readonly limit: number;
  readonly offset: number;
}

export function serviceEndpoints(context: Context): Endpoint[] {
  const { views } = context;
  return [
    {
      url: '/api/v1/services',
      summary: 'Services: announced, or the reason why not',
      schema: {
        querystring: query({ namespace: text, announced: flag, ...pageQuery }),
        response: answers(services, 400),
      },
      answer: ({ query: raw }) => {
        const { namespace, announced, ...page } = raw as RawQuery;
        return json(renderServices(views.current(), { namespace, announced, ...readPage(page) }));
      },
    },
    {
      url: '/api/v1/services/:namespace/:name',
      summary: 'One Service, explained: every check with its outcome',
      schema: {
        params: { type: 'object', properties: { namespace: text, name: text } },
        querystring: query({}),
        response: answers(explained, 400, 404),
      },
      answer: ({ params }) => {
        const { namespace, name } = params as { namespace: string; name: string };
        return answerExplained(context, `${namespace}/${name}`);
      },
    },
  ];
}

function answerExplained({ views }: Context, key: string): Answer {
  const current = views.current();
  const service = current.world.services.get(key);
  const explanation = views.explain(key);
  if (service === undefined || explanation === undefined) {
    throw notFound(`Service "${key}"`);
  }
  return json({
    service: renderService(current, service),
    explanation: renderExplanation(explanation, current.decision.sessions),
  });
}
