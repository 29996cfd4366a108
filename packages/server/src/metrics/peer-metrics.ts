// Metrics of peers: what their sessions are, and how much goes to each.

import type { PeerRoutes } from '@herald/decision';
import type { Registry } from 'prom-client';
import type { Context } from '../endpoint/context.ts';
import { familyName } from '../render/plain.ts';
import { countSessions } from '../render/render-status.ts';
import type { Views } from '../views.ts';
import { addCounter, addGauge, type Sample } from './scraped.ts';

interface RouteGauge {
  readonly name: string;
  readonly help: string;
  readonly field: keyof PeerRoutes;
}

const ROUTE_GAUGES: readonly RouteGauge[] = [
  { name: 'herald_peer_prefixes', help: 'Prefixes that go to a peer', field: 'prefixes' },
  { name: 'herald_peer_routes', help: 'Routes that go to a peer', field: 'paths' },
  {
    name: 'herald_peer_next_hop_sets',
    help: 'Distinct sets of next hops that go to a peer: ECMP groups that the router needs',
    field: 'nextHopSets',
  },
  {
    name: 'herald_peer_trimmed_routes',
    help: 'Routes kept back because of maxRoutes',
    field: 'trimmedPaths',
  },
];

export function addPeerMetrics(registry: Registry, { views }: Context): void {
  addSessionMetrics(registry, () => views.current());
  addGauge(registry, {
    name: 'herald_peer_sent_routes',
    help: 'Routes that bgpd has sent to a peer',
    labelNames: ['peer', 'family'],
    samples: () => sentSamples(views.current()),
  });
  for (const { name, help, field } of ROUTE_GAUGES) {
    addGauge(registry, {
      name,
      help,
      labelNames: ['peer'],
      samples: () => routeSamples(views.current(), field),
    });
  }
}

function addSessionMetrics(registry: Registry, current: () => Views): void {
  addGauge(registry, {
    name: 'herald_peers',
    help: 'Peers by the state of their session',
    labelNames: ['state'],
    samples: () =>
      Object.entries(countSessions(current())).map(([state, value]) => ({ labels: { state }, value })),
  });
  addGauge(registry, {
    name: 'herald_peer_established',
    help: '1 while the session with the peer is established',
    labelNames: ['peer'],
    samples: () => sessionSamples(current(), (state) => Number(state?.state === 'Established')),
  });
  addCounter(registry, {
    name: 'herald_peer_connections_dropped_total',
    help: 'Times that the session with the peer was lost',
    labelNames: ['peer'],
    samples: () => sessionSamples(current(), (state) => state?.connectionsDropped ?? 0),
  });
}

type State = ReturnType<Views['world']['sessions']['get']>;

function sessionSamples({ world }: Views, valueOf: (state: State) => number): Sample[] {
  return [...world.peers.keys()].map((peer) => ({
    labels: { peer },
    value: valueOf(world.sessions.get(peer)),
  }));
}

function routeSamples({ decision }: Views, field: keyof PeerRoutes): Sample[] {
  return [...decision.peerRoutes].map(([peer, routes]) => ({ labels: { peer }, value: routes[field] }));
}

function sentSamples({ running }: Views): Sample[] {
  return [...running].flatMap(([peer, { pathsSent }]) =>
    ([4, 6] as const).map((family) => ({
      labels: { peer, family: familyName(family) },
      value: pathsSent[family],
    })),
  );
}
