// What bgpd was told last, and whether that still stands: the same plan, open for the same peers, in a bgpd that
// was not started anew since. If so, there is nothing to compare and nothing to tell. Pure.

import type { SessionPlan } from '@herald/decision';
import type { AppliedPlan, BgpdSessions } from '@herald/frr';

import { peerIdentity } from './generation.ts';

export interface Applied {
  readonly sessions: SessionPlan;
  /** Identities of the peers that were open. */
  readonly opened: ReadonlySet<string>;
  /** Instances that bgpd ran afterwards. */
  readonly instances: ReadonlySet<string>;
}

/** The plan as it may be applied now: peers that are not open are staged. */
export function stage(sessions: SessionPlan, open: ReadonlySet<string>): AppliedPlan {
  return { ...sessions, peers: sessions.peers.map((peer) => ({ ...peer, staged: !open.has(peer.name) })) };
}

/** `open` holds names. */
export function identitiesOf(sessions: SessionPlan, open: ReadonlySet<string>): ReadonlySet<string> {
  return new Set(sessions.peers.filter(({ name }) => open.has(name)).map(peerIdentity));
}

export function stillStands(
  applied: Applied | undefined,
  sessions: SessionPlan,
  opened: ReadonlySet<string>,
  state: BgpdSessions,
): boolean {
  return (
    applied !== undefined &&
    applied.sessions === sessions &&
    applied.opened.size === opened.size &&
    applied.opened.isSubsetOf(opened) &&
    applied.instances.isSubsetOf(new Set(state.feeds.keys())) &&
    (opened.size === 0 || state.traffic.size > 0)
  );
}
