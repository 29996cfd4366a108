// The shapes of what replicas say of themselves, and of who leads.

import { count, described, family, flag, list, orNull, shape, text, time } from './shapes.ts';

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

export const replicas = shape({ items: list(replica) });

export const leader = shape({
  leading: described(flag, 'Whether this replica leads'),
  term: described(count, 'The latest leadership that is known'),
  holder: orNull('string', 'The replica that leads, or null when none is known to'),
  since: time,
});
