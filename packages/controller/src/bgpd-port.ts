// What the driver asks of bgpd, and how that is asked over its vty. The driver knows no socket, so that its order of
// events can be tested without one.

import {
  readMarkerSeen,
  readSessions,
  readTable,
  redialFeed,
  type AppliedPlan,
  type ApplyOutcome,
  type BgpdSessions,
  type HeldPath,
  type SessionOutput,
  type VtySettings,
} from '@herald/frr';
import type { Address, Family } from '@herald/net';

/** Each throws VtyError. */
export interface BgpdPort {
  sessions(): Promise<BgpdSessions>;
  /** Whether bgpd has selected the marker with this community. */
  markerSeen(instance: string, community: string): Promise<boolean>;
  paths(instance: string, family: Family): Promise<readonly HeldPath[]>;
  redial(view: string, feedAddress: Address): Promise<void>;
  /** No outcome, and nothing changed, if the plan was overtaken; asked once it is known what bgpd runs. */
  applyIf(plan: AppliedPlan, isStillTrue: () => boolean): Promise<ApplyOutcome | undefined>;
}

export function vtyPort(vty: VtySettings, output: SessionOutput): BgpdPort {
  return {
    sessions: () => readSessions(vty),
    markerSeen: (instance, community) => readMarkerSeen(vty, instance, community),
    paths: async (instance, family) => (await readTable(vty, instance, family)).paths,
    redial: (view, feedAddress) => redialFeed(vty, view, feedAddress),
    applyIf: (plan, isStillTrue) => output.applyIf(plan, isStillTrue),
  };
}
