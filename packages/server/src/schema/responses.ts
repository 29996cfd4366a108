// The shapes of all answers. They document the API in the OpenAPI document, and they are what the answers
// are serialized by.

import {
  count,
  described,
  family,
  flag,
  integer,
  list,
  numbersBy,
  openShape,
  orNull,
  page,
  shape,
  text,
  time,
  withOptional,
  type Schema,
} from './shapes.ts';

const fault = shape({
  object: described(text, 'Kind and name of the object, or the file'),
  field: described(text, 'Path of the field; empty for the object as a whole'),
  reason: text,
  message: text,
});

const notReady = list(shape({ reason: text, message: text }));

const feed = shape({
  name: described(text, '"shared" or the name of a view'),
  state: text,
  since: time,
  updatesSent: count,
  prefixesSent: count,
  withdrawnSent: count,
  bytesSent: count,
  sessionsLost: count,
});

const problem = withOptional(
  shape({
    type: described(text, 'Always about:blank (RFC 9457 section 4.2.1)'),
    title: text,
    status: integer,
    detail: text,
    instance: described(text, 'Path of the request'),
  }),
  {
    faults: described(
      list(shape({ parameter: text, rule: text })),
      'For queries: which parameter, which rule',
    ),
  },
);

export const health = shape({ alive: flag, reason: text });

export const readiness = shape({ ready: flag, notReady });

export const status = shape({
  version: text,
  startedAt: time,
  ready: flag,
  notReady,
  faults: list(fault),
  replica: shape({ name: text, leading: flag, term: integer }),
  source: shape({
    kind: text,
    synced: flag,
    freshAt: time,
    ageSeconds: orNull('number', 'Since the source was known to be current'),
  }),
  keptTable: shape({
    announced: described(flag, 'The last table is announced, because there is nothing to decide from'),
    from: orNull('string', 'bgpd, which still holds it, or the file in the state directory'),
    confirmedAt: time,
    ageSeconds: orNull('number', 'Since it was what live data said'),
  }),
  loop: shape({ ticks: count, failedTicks: count }),
  objects: numbersBy('kind'),
  services: shape({
    announced: count,
    notAnnounced: described(count, 'Of type LoadBalancer and our class'),
  }),
  peers: numbersBy('state of the session'),
  tables: list(shape({ table: text, family, prefixes: count, routes: count })),
  feeds: list(feed),
});

const attributes = {
  localPref: described(count, 'Sent to internal peers only'),
  med: count,
  asPath: described(list(count), 'What is put before the path; nothing is towards internal peers'),
  communities: list(text),
  largeCommunities: list(text),
  linkBandwidthBytesPerSecond: orNull('number', 'Relative weight, or null'),
};

const path = shape({
  nextHop: text,
  pathId: described(count, 'RFC 7911 identifier on the feed'),
  ...attributes,
  peers: described(list(text), 'Names of the peers that the path goes to'),
});

export const routes = page(
  shape({
    prefix: text,
    family,
    table: described(text, '"shared" or the name of a view'),
    paths: list(path),
  }),
);

const session = shape({
  state: described(text, 'RFC 4271 state, or Unknown'),
  since: time,
  localAddress: orNull('string', 'Address that the router sees, without translation in between'),
  remoteAs: orNull('integer', 'AS number of the router'),
  authenticated: described(flag, 'TCP MD5'),
  connectionsDropped: count,
  lastError: text,
});

const peer = shape({
  name: text,
  address: text,
  port: count,
  remoteAs: described(text, 'AS number, "internal" or "external"'),
  accepted: flag,
  reason: text,
  message: text,
  shutdown: flag,
  instance: described(text, 'Where bgpd runs the session: "shared", the name of a view, or "none"'),
  plannedInstance: described(text, 'Where it should; a session that moves is reset once'),
  password: orNull('string', 'Masked; null when none is configured'),
  session,
  families: list(
    shape({
      family,
      carried: flag,
      addPath: { type: 'string', enum: ['negotiated', 'not negotiated', 'unknown'] },
    }),
  ),
  routes: shape({
    prefixes: count,
    paths: described(count, 'That the peer should have'),
    sentPaths: shape({ ipv4: count, ipv6: count }),
    nextHopSets: count,
    trimmedPaths: count,
  }),
});

export const peers = shape({ items: list(peer) });

const service = shape({
  namespace: text,
  name: text,
  addresses: list(text),
  announced: flag,
  reason: text,
  prefixes: list(text),
  nextHops: count,
  remarks: list(text),
  unmet: orNull('string', 'Why it lacks addresses that it asks for; known to the leader'),
});

export const services = page(service);

const checks = described(
  list(shape({ reason: text, passed: flag })),
  'In the order in which they are asked; the first that failed is the verdict',
);

const explainedPeer = shape({
  peer: text,
  reason: orNull('string', 'Why the peer is told nothing of the prefix'),
  advertisements: list(text),
  nextHops: list(shape({ nextHop: text, ...attributes })),
  leftOut: list(shape({ node: text, reason: text })),
});

const explanation = shape({
  checks,
  addresses: list(
    shape({ address: text, pool: orNull('string', 'Pool that it belongs to'), advertisements: list(text) }),
  ),
  nodes: list(
    shape({
      node: text,
      reason: orNull('string', 'Why the node can be no next hop'),
      checks,
      usableEndpoints: shape({ ipv4: count, ipv6: count }),
    }),
  ),
  prefixes: list(shape({ prefix: text, services: list(text), peers: list(explainedPeer) })),
});

export const explained = shape({ service, explanation });

export const config = shape({
  settings: openShape('Settings of the process'),
  sessions: openShape('Sessions that bgpd is configured with; passwords are masked'),
});

/** An answer that may be refused with these status codes, besides those of the listener. */
export function answers(ok: Schema, ...refused: readonly number[]): Record<number, Schema> {
  return { 200: ok, ...refusals(...refused) };
}

export function refusals(...codes: readonly number[]): Record<number, Schema> {
  return Object.fromEntries(codes.map((code) => [code, problemAnswer]));
}

const problemAnswer: Schema = {
  description: 'Problem details (RFC 9457)',
  content: { 'application/problem+json': { schema: problem } },
};
