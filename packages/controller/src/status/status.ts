// What the leader wants Kubernetes to show: (World, Decision, what the replicas say of themselves, what was
// wanted last) -> everything wanted now. Pure; only what changed is made anew, and the same input gives the
// same references, so that one changed Service among thousands costs one Service.

import type { Fault, HeraldReplicaStatus } from '@herald/api';
import type { Decision, World } from '@herald/decision';
import { PersistentMap } from '@herald/net';

import { advertisementStatus } from './advertisement-status.ts';
import { faultsOf, withFault } from './faulty-objects.ts';
import { peerStatus, type Report } from './peer-status.ts';
import { poolStatus } from './pool-status.ts';
import { keysOfBoth, refresh } from './refresh.ts';
import { serviceCondition } from './service-condition.ts';
import { NO_EVENTS, wantedEvents, type Events, type Subject } from './wanted-events.ts';
import type { WantedStatus } from './wanted-status.ts';

export interface StatusInputs {
  readonly world: World;
  readonly decision: Decision;
  /** What the source finds wrong with objects. */
  readonly faults: readonly Fault[];
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
    pools: poolStatuses(inputs, before),
    advertisements: advertisementStatuses(inputs, before),
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

function serviceConditions(decision: Decision, { wanted, last }: StatusMemory): WantedStatus['services'] {
  const { services, unmet } = decision;
  const changed = new Set([
    ...services.changedKeys(last?.decision.services ?? PersistentMap.empty()),
    ...unmet.changedKeys(last?.decision.unmet ?? PersistentMap.empty()),
  ]);
  return refresh(wanted.services, changed, (key) => {
    const verdict = services.get(key);
    return verdict && serviceCondition(verdict, unmet.get(key));
  });
}

function poolStatuses(
  { world, decision, faults }: StatusInputs,
  { wanted }: StatusMemory,
): WantedStatus['pools'] {
  const wrong = faultsOf('IPAddressPool', faults);
  const names = new Set([...keysOfBoth(world.pools, wanted.pools), ...wrong.keys()]);
  return refresh(wanted.pools, names, (name) => {
    const [pool, verdict] = [world.pools.get(name), decision.pools.get(name)];
    return withFault(pool && verdict && poolStatus(pool, verdict), wrong.get(name));
  });
}

function advertisementStatuses(
  { world, decision, faults }: StatusInputs,
  { wanted }: StatusMemory,
): WantedStatus['advertisements'] {
  const wrong = faultsOf('BGPAdvertisement', faults);
  const names = new Set([...keysOfBoth(decision.advertisements, wanted.advertisements), ...wrong.keys()]);
  return refresh(wanted.advertisements, names, (name) => {
    const verdict = world.advertisements.has(name) ? decision.advertisements.get(name) : undefined;
    return withFault(verdict && advertisementStatus(verdict), wrong.get(name));
  });
}

function peerStatuses(inputs: StatusInputs, { wanted }: StatusMemory): WantedStatus['peers'] {
  const { world, decision, faults } = inputs;
  const wrong = faultsOf('BGPPeer', faults);
  const names = new Set([...keysOfBoth(world.peers, wanted.peers), ...wrong.keys()]);
  const reports = Map.groupBy(allReports(inputs), ({ state }) => state.name);
  return refresh(wanted.peers, names, (name) => {
    const [peer, verdict] = [world.peers.get(name), decision.peers.get(name)];
    const subject = peer && verdict && { verdict, shutdown: peer.shutdown, reports: reports.get(name) ?? [] };
    return withFault(subject && peerStatus(subject), wrong.get(name));
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
