// Which sessions would end, and why, if one plan followed another: for `plan`, before anything happens.
// Two SessionPlans -> reasons, peers in the order of the second. Uses the comparison that apply uses, so it
// cannot disagree with what apply then does. A peer that is new, gone or shut down before has no session to
// reset and is not listed. One that is left as it runs (held-peers.ts) is listed only for what changes below it.

import type { PeerSession, SessionPlan } from '@herald/decision';
import type { AppliedPeer, AppliedPlan } from '../plan/applied-plan.ts';
import { refusePassword } from '../plan/password.ts';
import { peerNeighbor } from '../plan/peer-neighbor.ts';
import { diffNeighbor } from './diff-neighbor.ts';
import type { ResetField } from './neighbor-line.ts';
import type { NeighborStatements } from './statements.ts';

export interface ResetReason {
  readonly peer: string;
  readonly field: ResetField;
  readonly message: string;
}

const SENTENCES: Readonly<Record<ResetField, string>> = {
  address: 'the router address changes: the old session ends and another one starts',
  addPath: 'whether all paths are sent is negotiated when a session starts',
  asn: 'the local ASN changes for every peer',
  families: 'address families are negotiated when a session starts',
  gracefulRestart: 'graceful restart is negotiated when a session starts',
  holdTime: 'hold and keepalive times are negotiated when a session starts',
  instance: 'the peer moves between the shared table and a table of its own',
  localAs: 'the ASN shown to the router changes',
  multiHop: 'the TTL of the connection changes',
  password: 'the TCP MD5 key belongs to the connection',
  port: 'the router port changes',
  remoteAs: 'the ASN expected of the router changes',
  routerId: 'the router-id changes for every peer',
  shutdown: 'the peer is shut down',
  sourceAddress: 'the source address of the connection changes',
  ttlSecurity: 'the TTL of the connection changes',
};

export function planReset(before: SessionPlan, after: AppliedPlan): ResetReason[] {
  const previous = new Map(before.peers.map((peer) => [peer.name, peer]));
  const everywhere = processFields(before, after);
  return after.peers.flatMap((peer) => {
    const old = previous.get(peer.name);
    if (old === undefined || old.shutdown) {
      return [];
    }
    const all = isHeld(peer)
      ? everywhere.filter((field) => reachesHeld(field, old))
      : [...everywhere, ...peerFields(old, peer, before, after)];
    return all.map((field) => ({ peer: peer.name, field, message: SENTENCES[field] }));
  });
}

function isHeld(peer: AppliedPeer): boolean {
  return peer.unresolved === true || refusePassword(peer) !== undefined;
}

/** A view is held whole, with its router-id; nothing is held when the ASN changes. */
function reachesHeld(field: ResetField, { instance }: PeerSession): boolean {
  return field === 'asn' || instance.kind === 'shared';
}

function processFields(before: SessionPlan, after: SessionPlan): ResetField[] {
  return [
    ...(before.asn === after.asn ? [] : (['asn'] as const)),
    ...(before.routerId.text === after.routerId.text ? [] : (['routerId'] as const)),
  ];
}

function peerFields(
  old: PeerSession,
  peer: PeerSession,
  before: SessionPlan,
  after: SessionPlan,
): ResetField[] {
  if (old.address.text !== peer.address.text) {
    return ['address'];
  }
  if (placeOf(old) !== placeOf(peer)) {
    return ['instance'];
  }
  return [...diffNeighbor('', statements(old, before.asn), statements(peer, after.asn)).resets];
}

function placeOf(peer: PeerSession): string {
  return peer.instance.kind === 'view' ? peer.instance.name : '';
}

function statements(peer: PeerSession, asn: number): NeighborStatements {
  const draft = peerNeighbor(peer, asn);
  return new Map([
    ['', draft.lines],
    ['ipv4 unicast', draft.families[4]],
    ['ipv6 unicast', draft.families[6]],
  ]);
}
