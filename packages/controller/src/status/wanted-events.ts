// The Events that the leader wants written, one an object: the newest thing to say of it. (World and Decision, now
// and last time, Events wanted last time) -> Events; unchanged ones keep their reference.
//
// A replica that does not lead wants none, and one that begins to lead starts from what it sees: what was
// given before is not told again.

import { API_VERSION, type Meta, type Service } from '@herald/api';
import type { Allocation, Decision, World } from '@herald/decision';
import { PersistentMap } from '@herald/net';

import { keysOfBoth, refresh } from './refresh.ts';
import { given, taken, warning, type Said } from './service-event.ts';
import type { EventObject, WantedEvent } from './wanted-status.ts';

export interface Subject {
  readonly world: World;
  readonly decision: Decision;
}

export interface Events {
  /** By namespace/name. */
  readonly services: PersistentMap<WantedEvent>;
  /** By kind and name. */
  readonly own: PersistentMap<WantedEvent>;
}

interface Verdict {
  readonly accepted: boolean;
  readonly reason: string;
  readonly message: string;
}

export const NO_EVENTS: Events = { services: PersistentMap.empty(), own: PersistentMap.empty() };

/** Reasons of usable objects that are worth an Event; the others come and go or are wanted. */
const WARNED: ReadonlySet<string> = new Set([
  'PoolExhausted',
  'AdvertisementConflict',
  'AggregateUnsafe',
  'NoAddPath',
]);

export function wantedEvents(now: Subject, last: Subject | undefined, before: Events): Events {
  if (!now.world.leadership.leading) {
    return NO_EVENTS;
  }
  // Nothing is known to have been said before this replica led.
  const spoken = last?.world.leadership.leading === true ? last : undefined;
  const keys = changedServices(now, spoken);
  const writes = new Map(spoken?.decision.allocations.map((write) => [write.serviceKey, write]));
  const services = refresh(before.services, keys, (key, known) =>
    serviceEvent(now, spoken, key, writes.get(key), known),
  );
  const own = ownEvents(now);
  return {
    services,
    own: refresh(before.own, keysOfBoth(own, before.own), (key) => own.get(key)),
  };
}

function changedServices({ world, decision }: Subject, spoken: Subject | undefined): Set<string> {
  return new Set([
    ...world.services.changedKeys(spoken?.world.services ?? PersistentMap.empty()),
    ...decision.services.changedKeys(spoken?.decision.services ?? PersistentMap.empty()),
    ...decision.unmet.changedKeys(spoken?.decision.unmet ?? PersistentMap.empty()),
  ]);
}

function serviceEvent(
  { world, decision }: Subject,
  spoken: Subject | undefined,
  key: string,
  write: Allocation | undefined,
  known: WantedEvent | undefined,
): WantedEvent | undefined {
  const service = world.services.get(key);
  if (service === undefined) {
    return undefined;
  }
  const moved = spoken && addressEvent(spoken.world.services.get(key), service, write, world);
  const said = warning(decision.services.get(key), decision.unmet.get(key)) ?? moved;
  const { namespace, name, uid } = service;
  if (said !== undefined) {
    return { object: { apiVersion: 'v1', kind: 'Service', namespace, name, uid }, ...said };
  }
  // What was said of its addresses stands until there is something newer; a warning ends with its reason.
  return known?.type === 'Normal' && known.object.uid === uid ? known : undefined;
}

function addressEvent(
  before: Service | undefined,
  service: Service,
  write: Allocation | undefined,
  { pools }: World,
): Said | undefined {
  const same = before?.uid === service.uid ? before : undefined;
  return given(same, service, pools) ?? (same && taken(same, service, write));
}

function ownEvents({ world, decision }: Subject): PersistentMap<WantedEvent> {
  return PersistentMap.from([
    ...warnings('BGPPeer', world.peers, decision.peers),
    ...warnings('IPAddressPool', world.pools, decision.pools),
    ...warnings('BGPAdvertisement', world.advertisements, decision.advertisements),
  ]);
}

function warnings(
  kind: EventObject['kind'],
  objects: PersistentMap<Meta>,
  verdicts: PersistentMap<Verdict>,
): [string, WantedEvent][] {
  const warned: [string, WantedEvent][] = [];
  for (const { name, uid } of objects.values()) {
    const verdict = verdicts.get(name);
    if (verdict !== undefined && (!verdict.accepted || WARNED.has(verdict.reason))) {
      const { reason, message } = verdict;
      const object: EventObject = { apiVersion: API_VERSION, kind, namespace: '', name, uid };
      warned.push([`${kind} ${name}`, { object, type: 'Warning', reason, message }]);
    }
  }
  return warned;
}
