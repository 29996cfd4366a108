// The plan as this package takes it: sessions, of which some may be unresolved. An unresolved peer is one whose
// password cannot be read now; what runs of it is left as it runs, and it is never opened without. Types only.

import type { PeerSession, SessionPlan } from '@herald/decision';

export interface AppliedPeer extends PeerSession {
  readonly unresolved?: boolean;
}

export interface AppliedPlan extends SessionPlan {
  readonly peers: readonly AppliedPeer[];
}
