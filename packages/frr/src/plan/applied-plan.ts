// The plan as this package takes it: sessions, of which some may be unresolved or staged. An unresolved peer is
// one whose password cannot be read now; what runs of it is left as it runs, and it is never opened without.
// A staged peer is one whose table is not in bgpd yet: its filters are made, and its view with the feed, while
// the router is not spoken to; if it runs elsewhere (in the other instance), it goes on there. Types only.

import type { PeerSession, SessionPlan } from '@herald/decision';

export interface AppliedPeer extends PeerSession {
  readonly unresolved?: boolean;
  readonly staged?: boolean;
  /** What the router is told when the peer is shut down (RFC 9003). */
  readonly shutdownMessage?: string;
}

export interface AppliedPlan extends SessionPlan {
  readonly peers: readonly AppliedPeer[];
}
