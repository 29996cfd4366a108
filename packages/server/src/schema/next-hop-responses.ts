// The shape of the answer about next hops.

import { count, described, flag, list, orNull, page, shape, text } from './shapes.ts';

export const nextHops = page(
  shape({
    node: orNull('string', 'null: no node is known to have the address'),
    addresses: list(text),
    eligible: described(flag, 'Whether it may be a next hop at all, whatever the Service and the peer'),
    reason: orNull('string', 'Why it may not'),
    services: described(count, 'That it serves now'),
    prefixes: count,
    peers: described(list(shape({ peer: text, paths: count })), 'Paths through it that each peer has'),
  }),
);
