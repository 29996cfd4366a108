// GET peers: every BGPPeer with its verdict and its session.

import { renderPeers } from '../render/render-peers.ts';
import { answers, peers } from '../schema/responses.ts';
import { query } from '../schema/shapes.ts';
import type { Context } from './context.ts';
import { json, type Endpoint } from './endpoint.ts';

export function peerEndpoints({ views }: Context): Endpoint[] {
  return [
    {
      url: '/api/v1/peers',
      summary: 'Peers: verdict, session, ADD-PATH, what goes to them',
      schema: { querystring: query({}), response: answers(peers, 400) },
      answer: () => json({ items: renderPeers(views.current()) }),
    },
  ];
}
