// What the leader wants Kubernetes to show: (World, Decision, what the replicas say of themselves, what was
// wanted last) -> everything wanted now. Pure; only what changed is made anew, and the same input gives the
// same references, so that one changed Service among thousands costs one Service.

import type { HeraldReplicaStatus } from '@herald/api';
import type { Decision, World } from '@herald/decision';
import { PersistentMap } from '@herald/net';

import { advertisementStatus } from './advertisement-status.ts';
import { peerStatus, type Report } from './peer-status.ts';
import { poolStatus } from './pool-status.ts';
import { keysOfBoth, refresh } from './refresh.ts';
import { serviceCondition } from './service-condition.ts';
import { NO_EVENTS, wantedEvents, type Events, type Subject } from './wanted-events.ts';
import type { WantedStatus } from './wanted-status.ts';

export interface StatusInputs {
  readonly world: World;
  readonly decision: Decision;
  /** What this replica says of itself, newer than what the API server shows of it. */
  readonly own: HeraldReplicaStatus;
  /** By the replica's name, as the API server shows them; this replica may be among them. */
  readonly replicas: ReadonlyMap<string, HeraldReplicaStatus>;
}

export interface StatusMemory {
  readonly wanted: WantedStatus;
  readonly events: Events;
  readonly last: Subject | undefined;
}

export const NO_MEMORY: StatusMemory = {
  wanted: {
    services: PersistentMap.empty(),
    peers: PersistentMap.empty(),
    pools: PersistentMap.empty(),
    advertisements: PersistentMap.empty(),
    events: [],
  },
  events: NO_EVENTS,
  last: undefined,
};

export function wantedStatus(inputs: StatusInputs, before: StatusMemory): StatusMemory {
  const { world, decision } = inputs;
  const subject: Subject = { world, decision };
  const events = wantedEvents(subject, before.last, before.events);
  const isSame = events.services === before.events.services && events.own === before.events.own;
  const wanted: WantedStatus = {
    services: serviceConditions(decision, before),
    peers: peerStatuses(inputs, before),
    pools: poolStatuses(subject, before),
    advertisements: advertisementStatuses(subject, before),
    events: isSame ? before.wanted.events : [...events.own.values(), ...events.services.values()],
  };
  return { wanted: sameParts(wanted, before.wanted) ? before.wanted : wanted, events, last: subject };
}

function sameParts(a: WantedStatus, b: WantedStatus): boolean {
  return (
    a.services === b.services &&
    a.peers === b.peers &&
    a.pools === b.pools &&
    a.advertisements === b.advertisements &&
    a.events === b.events
  );
}

function serviceConditions({ services }: Decision, { wanted, last }: StatusMemory): WantedStatus['services'] {
  const changed = services.changedKeys(last?.decision.services ?? PersistentMap.empty());
  return refresh(wanted.services, changed, (key) => {
    const verdict = services.get(key);
    return verdict && serviceCondition(verdict);
  });
}

function poolStatuses({ world, decision }: Subject, { wanted }: StatusMemory): WantedStatus['pools'] {
  return refresh(wanted.pools, keysOfBoth(world.pools, wanted.pools), (name) => {
    const [pool, verdict] = [world.pools.get(name), decision.pools.get(name)];
    return pool && verdict && poolStatus(pool, verdict);
  });
}

function advertisementStatuses(
  { world, decision }: Subject,
  { wanted }: StatusMemory,
): WantedStatus['advertisements'] {
  const names = keysOfBoth(decision.advertisements, wanted.advertisements);
  return refresh(wanted.advertisements, names, (name) => {
    const verdict = world.advertisements.has(name) ? decision.advertisements.get(name) : undefined;
    return verdict && advertisementStatus(verdict);
  });
}

function peerStatuses(inputs: StatusInputs, { wanted }: StatusMemory): WantedStatus['peers'] {
  const { world, decision } = inputs;
  const reports = Map.groupBy(allReports(inputs), ({ state }) => state.name);
  return refresh(wanted.peers, keysOfBoth(world.peers, wanted.peers), (name) => {
    const [peer, verdict] = [world.peers.get(name), decision.peers.get(name)];
    const subject = peer && verdict && { verdict, shutdown: peer.shutdown, reports: reports.get(name) ?? [] };
    return subject && peerStatus(subject);
  });
}

/** By the names of the replicas; a replica that was heard of nothing has nothing to report. */
function allReports({ world, own, replicas }: StatusInputs): Report[] {
  const leader = world.replica.name;
  const all = new Map([...replicas, [leader, own]]);
  const sorted = [...all].sort(([a], [b]) => (a < b ? -1 : 1));
  return sorted.flatMap(([replica, { peers = [] }]) =>
    peers.map((state) => ({ replica, isLeader: replica === leader, state })),
  );
}
