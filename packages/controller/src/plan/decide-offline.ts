// Objects -> what Herald would decide once everything has settled: the addresses that are given are shown in
// the Services, as the API would show them, time passes for nodes that have to wait before they join, and it
// decides again until no write is wanted and nobody waits. Pure.
//
// A plan speaks for all replicas together and knows no session: no replica selector keeps a peer out, and
// routers are taken to accept what they are offered. A plan that follows another is about the same objects
// (same-objects.ts) and keeps their addresses, and the memory of what was given, just as a running replica does.

import type { Settings } from '@herald/api';
import { ALONE, decide, emptyMemory } from '@herald/decision';
import type { Allocation, Decision, Memory, World } from '@herald/decision';
import type { ObjectSet } from '@herald/kube';
import { PersistentMap } from '@herald/net';

import { NOBODY_ELSE } from '../company.ts';
import { decisionSettings, worldOf } from '../observe.ts';
import { NOTHING_RETAINED } from '../retained.ts';
import { sameObjects } from './same-objects.ts';

/** Two are usual; a conflict, or a pool taken away from under Services, takes a few more. */
const MAX_ROUNDS = 16;

export interface Offline {
  readonly world: World;
  readonly decision: Decision;
  readonly memory: Memory;
  /** False when writes were still wanted, or somebody still waited, after the last round. */
  readonly settled: boolean;
}

export function decideOffline(objects: ObjectSet, settings: Settings, before?: Offline): Offline {
  const world = before
    ? planWorld(following(objects, before.world), settings, before.world.now)
    : planWorld(objects, settings, 0);
  return settle(world, before?.memory ?? emptyMemory());
}

function planWorld(objects: ObjectSet, settings: Settings, nowMs: number): World {
  return worldOf({
    objects: { ...objects, peers: withoutSelectors(objects.peers) },
    settings: decisionSettings(settings),
    replica: { name: 'plan', labels: {}, ordinal: 0 },
    // Term 0 shows MED and LOCAL_PREF as the base that a term is counted from.
    leadership: { leading: true, term: 0 },
    replicas: NOBODY_ELSE,
    sessions: PersistentMap.empty(),
    programmed: PersistentMap.empty(),
    retained: NOTHING_RETAINED,
    freshness: ALONE,
    nowMs,
  });
}

function withoutSelectors(peers: ObjectSet['peers']): ObjectSet['peers'] {
  return PersistentMap.from(
    [...peers].map(([name, peer]) => [name, { ...peer, replicaSelector: undefined }]),
  );
}

function following(objects: ObjectSet, before: World): ObjectSet {
  return keepAddresses(sameObjects(objects, before), before);
}

/** What a Service had stays its own, unless its manifest says something itself. */
function keepAddresses(objects: ObjectSet, before: World): ObjectSet {
  const kept = [...objects.services].flatMap(([key, service]) => {
    const known = before.services.get(key);
    const keeps = known !== undefined && service.ingress.length === 0;
    return keeps ? [[key, { ...service, ingress: known.ingress }] as const] : [];
  });
  return { ...objects, services: objects.services.with(kept) };
}

function settle(first: World, memory: Memory): Offline {
  let world = first;
  let decided = decide(world, memory);
  for (let round = 1; round < MAX_ROUNDS && !isSettled(decided.decision); round++) {
    world = afterwards(world, decided.decision);
    decided = decide(world, decided.memory);
  }
  return { world, ...decided, settled: isSettled(decided.decision) };
}

function isSettled({ allocations, wakeAtMs }: Decision): boolean {
  return allocations.length === 0 && wakeAtMs === undefined;
}

/** Its writes are done, and it is as late as it wanted to be asked again: nodes that had to wait have waited. */
function afterwards(world: World, { allocations, wakeAtMs }: Decision): World {
  const now = Math.max(world.now, wakeAtMs ?? world.now);
  return { ...world, now, services: written(world.services, allocations) };
}

function written(services: World['services'], writes: readonly Allocation[]): World['services'] {
  return services.with(
    writes.flatMap(({ serviceKey, uid, addresses }) => {
      const service = services.get(serviceKey);
      return service?.uid === uid ? [[serviceKey, { ...service, ingress: addresses }] as const] : [];
    }),
  );
}
