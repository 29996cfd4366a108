// GET routes: what is announced, filtered by prefix, next hop, peer and family.

import { accepted, hostPrefix, parseAddress, parsePrefix, type Parsed } from '@herald/net';
import type { PeerSession } from '@herald/decision';
import { badParameter, notFound } from '../problem.ts';
import { renderRoutes, type RouteQuery } from '../render/render-routes.ts';
import { answers, routes } from '../schema/responses.ts';
import { family, pageQuery, query, type Schema } from '../schema/shapes.ts';
import type { Views } from '../views.ts';
import type { Context } from './context.ts';
import { json, type Endpoint } from './endpoint.ts';
import { readPage } from './page-query.ts';

interface RawQuery {
  readonly prefix?: string;
  readonly nextHop?: string;
  readonly peer?: string;
  readonly family?: 'ipv4' | 'ipv6';
  readonly limit: number;
  readonly offset: number;
}

/** Longer than any address or object name. */
const word: Schema = { type: 'string', minLength: 1, maxLength: 253 };

const filters = {
  prefix: { ...word, description: 'A prefix, or an address for its host prefix' },
  nextHop: { ...word, description: 'Only paths with this next hop' },
  peer: { ...word, description: 'Only paths that go to this BGPPeer' },
  family,
};

export function routeEndpoints({ views }: Context): Endpoint[] {
  return [
    {
      url: '/api/v1/routes',
      summary: 'Routes: prefixes with their paths',
      schema: { querystring: query({ ...filters, ...pageQuery }), response: answers(routes, 400, 404) },
      answer: (request) => {
        const current = views.current();
        return json(renderRoutes(current.decision, readQuery(current, request.query as RawQuery)));
      },
    },
  ];
}

function readQuery(views: Views, raw: RawQuery): RouteQuery {
  return {
    prefix: readParameter('prefix', raw.prefix, parsePrefixOrAddress),
    nextHop: readParameter('nextHop', raw.nextHop, parseAddress),
    peer: raw.peer === undefined ? undefined : findPeer(views, raw.peer),
    family: raw.family,
    ...readPage(raw),
  };
}

function readParameter<T>(
  name: string,
  value: string | undefined,
  parse: (value: string) => Parsed<T>,
): T | undefined {
  if (value === undefined) {
    return undefined;
  }
  const parsed = parse(value);
  if (!parsed.ok) {
    throw badParameter(name, `is refused: ${parsed.problem}`);
  }
  return parsed.value;
}

function parsePrefixOrAddress(value: string): ReturnType<typeof parsePrefix> {
  if (value.includes('/')) {
    return parsePrefix(value);
  }
  const parsed = parseAddress(value);
  return parsed.ok ? accepted(hostPrefix(parsed.value)) : parsed;
}

/** A peer that exists but has no session (refused, or not this replica's) receives nothing. */
function findPeer(views: Views, name: string): PeerSession | 'none' {
  if (!views.world.peers.has(name)) {
    throw notFound(`BGPPeer "${name}"`);
  }
  return views.decision.sessions.peers.find((peer) => peer.name === name) ?? 'none';
}
