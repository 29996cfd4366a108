// Builders of SessionPlans for the tests: a usual peer, and what is different about it.

import type { PeerSession } from '@herald/decision';
import { address } from '@herald/net';
import type { AppliedPeer, AppliedPlan, FeedPlacement } from '../src/index.ts';

export const PLACEMENT: FeedPlacement = {
  feedAddress: address('127.0.0.2'),
  bgpdAddress: address('127.0.0.1'),
  viewPort: 1791,
};

export const LOCAL_ASN = 65000;
export const ROUTER_ID = address('192.0.2.1');

export function peer(name: string, changes: Partial<PeerSession> = {}): PeerSession {
  const peerAddress = changes.address ?? address('192.0.2.2');
  return {
    name,
    number: 7,
    address: peerAddress,
    port: 179,
    remoteAs: 65001,
    internal: false,
    localAs: undefined,
    sourceAddress: undefined,
    holdTimeSeconds: 30,
    keepaliveTimeSeconds: 10,
    connectTimeSeconds: 5,
    ebgpMultiHop: undefined,
    ttlSecurityHops: undefined,
    password: undefined,
    shutdown: false,
    families: [peerAddress.family],
    addPath: { 4: true, 6: true },
    instance: { kind: 'shared' },
    gracefulRestart: undefined,
    maxPaths: 16,
    ...changes,
  };
}

export function plan(...peers: AppliedPeer[]): AppliedPlan {
  return { asn: LOCAL_ASN, routerId: ROUTER_ID, peers };
}

export function view(number: number): PeerSession['instance'] {
  return { kind: 'view', name: `plain-${number}`, feedAddress: address(`127.1.0.${number}`) };
}
