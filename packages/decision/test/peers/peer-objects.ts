// BGPPeers, Secrets and sessions as short specs, and a replica that plans tick by tick.

import { secretData } from '@herald/api';
import type { Peer, Secret } from '@herald/api';
import { PersistentMap, address } from '@herald/net';
import { emptyPeerMemory, planPeers } from '../../src/peers/plan-peers.ts';
import type { PlannedPeers } from '../../src/peers/plan-peers.ts';
import type { SessionState, World } from '../../src/world.ts';
import { emptyWorld } from '../allocate/simulated-cluster.ts';

export type PeerSpec = Partial<Omit<Peer, 'address' | 'kind'>> & { at?: string };

export function peer(name: string, { at = '10.0.0.1', ...spec }: PeerSpec = {}): Peer {
  return {
    kind: 'BGPPeer',
    name,
    uid: `uid-${name}`,
    createdAt: 0,
    labels: {},
    address: address(at),
    port: 179,
    remoteAs: 64999,
    localAs: undefined,
    sourceAddress: undefined,
    holdTimeSeconds: 30,
    keepaliveTimeSeconds: 10,
    connectTimeSeconds: 5,
    ebgpMultiHop: 255,
    ttlSecurityHops: undefined,
    passwordSecret: undefined,
    families: [4],
    addPaths: { mode: 'Auto', maxPaths: 16 },
    maxRoutes: undefined,
    maxNextHopSets: undefined,
    rank: { mode: 'MED', base: undefined },
    gracefulRestart: { enabled: false, restartTimeSeconds: 120, longLivedStaleTimeSeconds: undefined },
    bfd: undefined,
    replicaSelector: undefined,
    nextHop: { type: 'InternalIP', annotation: undefined, cidrs: [] },
    shutdown: false,
    ...spec,
  };
}

export function secret(name: string, data: Record<string, string>, type = 'Opaque'): Secret {
  return {
    kind: 'Secret',
    namespace: 'herald',
    key: `herald/${name}`,
    name,
    uid: `uid-${name}`,
    createdAt: 0,
    labels: {},
    type,
    data: secretData(Object.entries(data)),
  };
}

export const UNKNOWN: SessionState = {
  state: 'Active',
  sinceMs: undefined,
  families: [],
  addPathReceive: undefined,
  localAddress: undefined,
  authenticated: false,
  lastError: '',
  connectionsDropped: 0,
  remoteAs: undefined,
};

/** An established session whose router receives several paths for the families in `addPath`. */
export function established(
  families: readonly (4 | 6)[],
  addPath: readonly (4 | 6)[],
  more: Partial<SessionState> = {},
): SessionState {
  return {
    ...UNKNOWN,
    state: 'Established',
    sinceMs: 1_000,
    families,
    addPathReceive: { 4: addPath.includes(4), 6: addPath.includes(6) },
    ...more,
  };
}

export class PlanningReplica {
  world: World = emptyWorld();
  memory = emptyPeerMemory();

  peers(...peers: Peer[]): this {
    this.world = { ...this.world, peers: this.world.peers.with(peers.map((item) => [item.name, item])) };
    return this;
  }

  remove(...names: string[]): this {
    this.world = { ...this.world, peers: this.world.peers.with([], names) };
    return this;
  }

  secrets(...secrets: Secret[]): this {
    this.world = { ...this.world, secrets: PersistentMap.from(secrets.map((item) => [item.key, item])) };
    return this;
  }

  session(name: string, state: SessionState | undefined): this {
    const { sessions } = this.world;
    this.world = { ...this.world, sessions: state ? sessions.set(name, state) : sessions.delete(name) };
    return this;
  }

  labels(labels: Record<string, string>): this {
    this.world = { ...this.world, replica: { ...this.world.replica, labels } };
    return this;
  }

  restart(): this {
    this.memory = emptyPeerMemory();
    return this;
  }

  plan(): PlannedPeers {
    const outcome = planPeers(this.world, this.memory);
    this.memory = outcome.memory;
    return outcome;
  }
}

/** The one peer of the plan with this name; fails the test if there is none. */
export function planned(outcome: PlannedPeers, name: string): PlannedPeers['plan']['peers'][number] {
  const found = outcome.plan.peers.find((item) => item.name === name);
  if (found === undefined) {
    throw new Error(`peer ${name} is not in the plan`);
  }
  return found;
}
