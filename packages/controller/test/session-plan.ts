// Builders of session plans: a usual peer, and what is different about it.

import type { PeerSession, SessionPlan, SessionState } from '@herald/decision';
import { address, PersistentMap } from '@herald/net';

export function peer(name: string, changes: Partial<PeerSession> = {}): PeerSession {
  return {
    name,
    number: 7,
    address: address('192.0.2.2'),
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
    families: [4],
    addPath: { 4: true, 6: true },
    instance: { kind: 'shared' },
    gracefulRestart: undefined,
    maxPaths: 16,
    ...changes,
  };
}

export function inView(name: string, view: string, changes: Partial<PeerSession> = {}): PeerSession {
  return peer(name, {
    instance: { kind: 'view', name: view, feedAddress: address('127.1.0.1') },
    ...changes,
  });
}

export function plan(...peers: PeerSession[]): SessionPlan {
  return { asn: 64512, routerId: address('192.0.2.10'), peers };
}

export function session(state: SessionState['state'], changes: Partial<SessionState> = {}): SessionState {
  return {
    state,
    sinceMs: undefined,
    families: [4],
    addPathReceive: undefined,
    localAddress: undefined,
    authenticated: false,
    lastError: '',
    connectionsDropped: 0,
    remoteAs: undefined,
    ...changes,
  };
}

export function sessions(states: Readonly<Record<string, SessionState>>): PersistentMap<SessionState> {
  return PersistentMap.from(Object.entries(states));
}
