// Who could serve what when the last decision was taken, and who still waits to join: an input of the next
// one like ranks, because how long somebody has waited cannot be seen in a World. Also what the rest of the
// process is told of it: whom to probe, and when to decide again though nothing has changed.

import type { Service } from '@herald/api';
import { PersistentMap } from '@herald/net';
import type { Address, Family } from '@herald/net';
import type { Joining } from '../decision.ts';
import { withServiceItems } from '../incremental/service-list.ts';
import type { PerFamily, World } from '../world.ts';
import { FROM_THE_START, isOver, joinUntil, probeKey } from './join.ts';
import type { Join, JoinClock } from './join.ts';
import type { NodeState } from './node-state.ts';
import type { ServingNodes } from './serving-nodes.ts';

export interface WaitingNode extends Pick<Joining, 'serviceKey' | 'node' | 'probe' | 'untilMs'> {
  readonly sinceMs: number;
  /** undefined for a node that has no address to ask. */
  readonly told: Joining | undefined;
}

export interface JoinMemory {
  /** By Service key. */
  readonly services: PersistentMap<PerFamily<ServingNodes>>;
  /** By name: the nodes that could be next hops. */
  readonly nodes: PersistentMap<Join>;
  /** Of these, the ones that wait. */
  readonly arriving: PersistentMap<Join>;
  /** Sorted by Service, then by family and name. A list, because all of it is looked at in every decision. */
  readonly waiting: readonly WaitingNode[];
  readonly joining: readonly Joining[];
}

export const NO_JOINS: JoinMemory = {
  services: PersistentMap.empty(),
  nodes: PersistentMap.empty(),
  arriving: PersistentMap.empty(),
  waiting: [],
  joining: [],
};

/** The first decision of a process holds nobody: it does not know who has been announced. */
export function joinClock({ now, settings, programmed }: World, memory: JoinMemory | undefined): JoinClock {
  return {
    nowMs: now,
    delayMs: settings.joinDelayMs,
    programmed,
    arriving: memory ? { sinceMs: now, settled: false } : FROM_THE_START,
  };
}

/** Keys of the Services of which somebody's wait is over, or has another end than was thought. */
export function dueServices({ waiting }: JoinMemory, clock: JoinClock): string[] {
  const due: string[] = [];
  for (const each of waiting) {
    if (isDue(each, clock)) {
      due.push(each.serviceKey);
    }
  }
  return due;
}

function isDue({ probe, sinceMs, untilMs }: WaitingNode, clock: JoinClock): boolean {
  return (
    isOver(sinceMs, untilMs, clock) || (probe !== undefined && joinUntil(sinceMs, probe, clock) !== untilMs)
  );
}

/** Names of the nodes whose own wait is over. */
export function dueNodes({ arriving }: JoinMemory, clock: JoinClock): string[] {
  return [...arriving]
    .filter(([, { sinceMs }]) => isOver(sinceMs, joinUntil(sinceMs, undefined, clock), clock))
    .map(([name]) => name);
}

/** The port that tells whether a node is programmed for the Service. */
export function probePort({ externalTrafficPolicy, healthCheckNodePort }: Service): number | undefined {
  return externalTrafficPolicy === 'Local' ? healthCheckNodePort : undefined;
}

export function waitingNodes(
  service: Service,
  serving: PerFamily<ServingNodes>,
  clock: JoinClock,
): readonly WaitingNode[] {
  const healthPort = probePort(service);
  return ([4, 6] as const).flatMap((family) =>
    serving[family].nodes
      .filter(({ join }) => !join.settled)
      .map(({ state, leaving, join: { sinceMs } }) => {
        const { name: node } = state;
        const port = leaving ? undefined : healthPort;
        const probe = probeKey(node, family, port);
        const untilMs = joinUntil(sinceMs, probe, clock);
        const wait = { serviceKey: service.key, node, probe, untilMs };
        const address = probeAddress(state, family);
        return { ...wait, sinceMs, told: address && { ...wait, address, port } };
      }),
  );
}

/** One of the family says it exactly, another one better than nothing. */
function probeAddress({ node: { addresses } }: NodeState, family: Family): Address | undefined {
  const internal = addresses.filter(({ type }) => type === 'InternalIP');
  const [first] = internal.length > 0 ? internal : addresses;
  return (internal.find(({ address }) => address.family === family) ?? first)?.address;
}

/** The list with what was found of some Services. */
export function waitingWith(
  { waiting, joining }: JoinMemory,
  found: ReadonlyMap<string, readonly WaitingNode[]>,
): Pick<JoinMemory, 'waiting' | 'joining'> {
  const known = waiting.some(({ serviceKey }) => found.has(serviceKey));
  if (!known && [...found.values()].every((nodes) => nodes.length === 0)) {
    return { waiting, joining };
  }
  const next = withServiceItems(waiting, found);
  return { waiting: next, joining: next.flatMap(({ told }) => told ?? []) };
}

/** When somebody's wait ends by itself, the earliest. */
export function wakeAt({ waiting, arriving }: JoinMemory, { settings }: World): number | undefined {
  let earliest = Infinity;
  for (const { untilMs } of waiting) {
    earliest = Math.min(earliest, untilMs ?? Infinity);
  }
  for (const { sinceMs } of arriving.values()) {
    earliest = Math.min(earliest, sinceMs + settings.joinDelayMs);
  }
  return earliest === Infinity ? undefined : earliest;
}
