// The shapes of what replicas say of themselves and tell each other, and of who leads.

import { count, described, family, flag, list, orNull, shape, text, time } from './shapes.ts';

const heard = shape({
  name: text,
  heardAt: time,
  stale: described(flag, 'It has had no contact with its source for too long'),
  ageSeconds: described({ type: 'number', minimum: 0 }, 'Since its last contact, when it was heard'),
  leading: flag,
  term: count,
  leaving: described(flag, 'It has been told to end'),
  serves: described(list(text), 'Routers that have its complete table in an established session'),
});

const exchange = shape({
  stale: described(flag, 'This replica leaves routers to those that are not'),
  heard: described(list(heard), 'Other replicas that answered within the last seconds'),
  problems: described(list(shape({ subject: text, problem: text })), 'Why nothing is heard, by URL or file'),
});

const condition = shape({ type: text, status: text, since: time, reason: text, message: text });

const replicaPeer = shape({
  name: text,
  state: described(text, 'RFC 4271 state; Active for every state of being tried'),
  since: time,
  localAddress: orNull('string', "The replica's end of the session"),
  authenticated: described(flag, 'TCP MD5'),
  fenced: described(text, 'Whether the router prefers a newer leader by rank: Yes, No or Unknown'),
  families: list(
    shape({
      family,
      addPath: flag,
      gracefulRestart: flag,
      pathsDesired: count,
      pathsAdvertised: count,
    }),
  ),
  reason: orNull('string', 'Why the peer is not served as configured'),
  lastError: text,
  flaps: described(count, 'How often the session was lost'),
});

const replica = shape({
  name: text,
  role: described(text, 'Leader, Standby or Unknown'),
  term: count,
  node: text,
  version: text,
  sessions: described(text, 'Established sessions of those wanted, as in 3/3'),
  prefixes: count,
  routes: count,
  nextHopSets: count,
  lastContact: time,
  peers: list(replicaPeer),
  conditions: list(condition),
});

export const replicas = shape({ items: list(replica), exchange });

export const leader = shape({
  leading: described(flag, 'Whether this replica leads'),
  term: described(count, 'The latest leadership that is known'),
  holder: orNull('string', 'The replica that leads, or null when none is known to'),
  since: time,
});
