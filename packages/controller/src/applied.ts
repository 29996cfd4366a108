// What bgpd was told last, and whether that still stands: the same plan, open for the same peers, in a bgpd that
// was not started anew since. If so, there is nothing to compare and nothing to tell. What bgpd rejected is told
// again after a while, since what it minded may be gone. Pure.

import type { SessionPlan } from '@herald/decision';
import type { AppliedPlan, ApplyOutcome, BgpdSessions } from '@herald/frr';

import { peerIdentity } from './generation.ts';

export interface Applied {
  readonly sessions: SessionPlan;
  /** Identities of the peers that were open. */
  readonly opened: ReadonlySet<string>;
  /** Instances that bgpd ran afterwards. */
  readonly instances: ReadonlySet<string>;
  /** When it is told again although nothing changed; undefined: all of it was taken. */
  readonly againAtMs: number | undefined;
}

/** Between a command that bgpd rejected and the next attempt, in milliseconds. */
const REJECTED_MS = 10_000;

export function againAtMs(outcome: ApplyOutcome, nowMs: number): number | undefined {
  return outcome.problems.length > 0 ? nowMs + REJECTED_MS : undefined;
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
  { feeds, traffic }: BgpdSessions,
  nowMs: number,
): boolean {
  return (
    applied !== undefined &&
    applied.sessions === sessions &&
    applied.opened.size === opened.size &&
    applied.opened.isSubsetOf(opened) &&
    nowMs < (applied.againAtMs ?? Infinity) &&
    applied.instances.isSubsetOf(new Set(feeds.keys())) &&
    (opened.size === 0 || traffic.size > 0)
  );
}
