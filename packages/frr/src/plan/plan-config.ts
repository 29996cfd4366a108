// SessionPlan -> FrrConfig: which instances, neighbours and filters bgpd has. Pure, sorted, whole.
//
// A peer that is unresolved, or whose password cannot be given to bgpd, is not part of the configuration but
// of `held`: what runs of it is left as it runs. So is a staged peer, whose filters and view are made all the
// same. The boot configuration is the same thing with no peer at all: no router is spoken to before the first table is complete.

import type { PeerSession, SessionPlan } from '@herald/decision';
import type { Address, Asn } from '@herald/net';
import type { AppliedPeer, AppliedPlan } from './applied-plan.ts';
import { sharedFeed, viewFeed } from './feed-neighbor.ts';
import type { FeedPlacement } from './feed-neighbor.ts';
import type { BgpInstance, FrrConfig } from './frr-config.ts';
import { instanceSettings } from './instance-settings.ts';
import { instance } from './neighbor-draft.ts';
import type { NeighborDraft } from './neighbor-draft.ts';
import { refusePassword } from './password.ts';
import type { PeerRefusal } from './password.ts';
import { peerNeighbor } from './peer-neighbor.ts';
import { COMMON_LISTS, routeMaps, tagList } from './policy.ts';

export interface PlannedConfig {
  readonly config: FrrConfig;
  /** Names of the peers that are left as they run. */
  readonly held: ReadonlySet<string>;
  readonly refused: readonly PeerRefusal[];
}

/** Priorities are logged because the log filter needs them; 1 s is the shortest delay that is not "never". */
const GLOBALS: readonly string[] = [
  'log stdout informational',
  'log record-priority',
  'log timestamp precision 3',
  'bgp route-map delay-timer 1',
];

export function planConfig(plan: AppliedPlan, placement: FeedPlacement): PlannedConfig {
  const unresolved = plan.peers.filter((peer) => peer.unresolved === true);
  const resolved = plan.peers.filter((peer) => peer.unresolved !== true);
  const refused = resolved.map(refusePassword).filter((refusal) => refusal !== undefined);
  const unusable = new Set([
    ...unresolved.map(({ name }) => name),
    ...refused.map((refusal) => refusal.peer),
  ]);
  const peers = resolved.filter((peer) => !unusable.has(peer.name)).sort(byNumber);
  const staged = peers.filter((peer) => peer.staged === true).map(({ name }) => name);
  return { config: config(plan, peers, placement), held: new Set([...unusable, ...staged]), refused };
}

export function planBoot(asn: Asn, routerId: Address, placement: FeedPlacement): FrrConfig {
  return config({ asn, routerId, peers: [] }, [], placement);
}

/** `peers` are those of the plan that bgpd can be told of. */
function config(plan: AppliedPlan, peers: readonly AppliedPeer[], placement: FeedPlacement): FrrConfig {
  const shared = peers.filter(isShared);
  return {
    globals: GLOBALS,
    lists: [...COMMON_LISTS, ...shared.map((peer) => tagList(peer.number))],
    routeMaps: routeMaps(peers, plan.asn),
    instances: [
      sharedInstance(plan, shared, placement),
      ...peers.flatMap((peer) => viewInstance(plan, peer, placement)),
    ],
  };
}

function isShared({ instance: { kind } }: PeerSession): boolean {
  return kind === 'shared';
}

/** The settings are those of all peers, so that one which is left as it runs keeps what its next session needs. */
function sharedInstance(
  plan: SessionPlan,
  peers: readonly AppliedPeer[],
  placement: FeedPlacement,
): BgpInstance {
  const settings = instanceSettings(plan.routerId, plan.peers.filter(isShared));
  return instance(`router bgp ${plan.asn}`, settings, [
    sharedFeed(plan.asn, placement),
    ...peers.flatMap((peer) => routerOf(peer, plan.asn)),
  ]);
}

function viewInstance(plan: SessionPlan, peer: AppliedPeer, placement: FeedPlacement): BgpInstance[] {
  if (peer.instance.kind !== 'view') {
    return [];
  }
  const header = `router bgp ${plan.asn} view ${peer.instance.name}`;
  const settings = instanceSettings(plan.routerId, [peer]);
  return [
    instance(header, settings, [
      viewFeed(plan.asn, peer.instance.feedAddress, placement),
      ...routerOf(peer, plan.asn),
    ]),
  ];
}

function routerOf(peer: AppliedPeer, localAsn: number): NeighborDraft[] {
  return peer.staged === true ? [] : [peerNeighbor(peer, localAsn)];
}

function byNumber(a: PeerSession, b: PeerSession): number {
  return a.number - b.number;
}
