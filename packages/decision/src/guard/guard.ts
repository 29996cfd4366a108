// What is not believed when too many nodes look dead at once: more likely it is the way to them that is gone. World
// and memory -> the nodes and EndpointSlices as routes are to see them, and which nodes are held.
//
//   node-health evidence   a node that is not Ready; an endpoint that is not ready and not terminating while its
//                          node is not Ready (Kubernetes marks all pods of a silent node so)
//   endpoint evidence      an endpoint that is gone, terminating, or not ready on a Ready node: never held
//
// While more than the given share of the nodes looks dead, node-health evidence takes nothing away; what it took away
// within the last minute, when the first of those nodes fell silent, comes back. A node that was dead before stays
// so, and the first decision of a process believes everything. Costs what changed; a scan only when the held change.

import type { Endpoint, EndpointSlice, Node } from '@herald/api';
import { PersistentMap } from '@herald/net';
import type { World } from '../world.ts';

export interface GuardMemory {
  readonly raw: Guarded;
  readonly guarded: Guarded;
  /** Name -> when the node was first seen not Ready, by World.now. */
  readonly dead: PersistentMap<number>;
  /** Names of nodes that stay although they look dead. */
  readonly held: ReadonlySet<string>;
  /** Endpoints that were ready until their node fell silent, as `slice address`. */
  readonly lapsed: PersistentMap<string>;
}

export interface Guarded {
  readonly nodes: PersistentMap<Node>;
  readonly endpointSlices: PersistentMap<EndpointSlice>;
}

/** One event takes Kubernetes this long to see on all nodes: they report every 10 s and are given up after 40 s. */
const ONE_EVENT_MS = 60_000;
const LONG_AGO = -Infinity;
const NOBODY: ReadonlySet<string> = new Set();

export function guard(world: World, memory: GuardMemory | undefined): GuardMemory {
  const raw: Guarded = { nodes: world.nodes, endpointSlices: world.endpointSlices };
  const isSame = memory?.raw.nodes === raw.nodes && memory.raw.endpointSlices === raw.endpointSlices;
  if (memory !== undefined && isSame) {
    return memory;
  }
  const dead = deadNodes(raw.nodes, memory, world.now);
  const held = heldNodes(dead, memory, world);
  const lapsed = lapsedEndpoints(raw, dead, memory);
  if (held.size === 0 && (memory?.held.size ?? 0) === 0) {
    return { raw, guarded: raw, dead, held, lapsed };
  }
  const changed = new Set([...held].filter((name) => !memory?.held.has(name)));
  memory?.held.forEach((name) => held.has(name) || changed.add(name));
  const guarded = {
    nodes: guardedNodes(raw.nodes, held, changed, memory),
    endpointSlices: guardedSlices(raw.endpointSlices, { held, lapsed, changed }, memory),
  };
  return { raw, guarded, dead, held, lapsed };
}

function looksDead(node: Node | undefined): boolean {
  return node !== undefined && !node.deleting && node.ready !== 'True';
}

function deadNodes(nodes: World['nodes'], memory: GuardMemory | undefined, now: number): GuardMemory['dead'] {
  const before = memory?.dead ?? PersistentMap.empty<number>();
  const changed = memory ? nodes.changedKeys(memory.raw.nodes) : [...nodes.keys()];
  const dying = changed.filter((name) => looksDead(nodes.get(name)) && !before.has(name));
  const back = changed.filter((name) => !looksDead(nodes.get(name)));
  const sinceMs = memory === undefined ? LONG_AGO : now;
  return before.with(
    dying.map((name) => [name, sinceMs] as const),
    back,
  );
}

/** The same set as before when it has the same names. */
function heldNodes(
  dead: GuardMemory['dead'],
  memory: GuardMemory | undefined,
  { nodes, settings, now }: World,
): ReadonlySet<string> {
  if (dead.size * 100 <= settings.deadNodesPercent * nodes.size) {
    return NOBODY;
  }
  const before = memory?.held ?? NOBODY;
  const isNew = (sinceMs: number): boolean => sinceMs > now - ONE_EVENT_MS;
  const held = new Set(
    [...dead].filter(([name, since]) => before.has(name) || isNew(since)).map(([name]) => name),
  );
  return held.size === before.size && held.isSubsetOf(before) ? before : held;
}

function lapsedEndpoints(
  { endpointSlices, nodes }: Guarded,
  dead: GuardMemory['dead'],
  memory: GuardMemory | undefined,
): GuardMemory['lapsed'] {
  if (memory === undefined || (dead.size === 0 && memory.lapsed.size === 0)) {
    return memory?.lapsed ?? PersistentMap.empty();
  }
  const found: [string, string][] = [];
  for (const key of endpointSlices.changedKeys(memory.raw.endpointSlices)) {
    const before = readyAddresses(memory.raw.endpointSlices.get(key));
    for (const { address, nodeName = '', ...state } of endpointSlices.get(key)?.endpoints ?? []) {
      if (isSilenced(state) && looksDead(nodes.get(nodeName)) && before.has(address)) {
        found.push([lapsedKey(key, address), nodeName]);
      }
    }
  }
  const gone = [...memory.lapsed].filter(([, name]) => !dead.has(name)).map(([key]) => key);
  return memory.lapsed.with(found, gone);
}

function readyAddresses(slice: EndpointSlice | undefined): ReadonlySet<string> {
  return new Set(slice?.endpoints.filter(({ ready }) => ready).map(({ address }) => address));
}

function isSilenced({ ready, terminating }: Pick<Endpoint, 'ready' | 'terminating'>): boolean {
  return !ready && !terminating;
}

function lapsedKey(sliceKey: string, address: string): string {
  return `${sliceKey} ${address}`;
}

function guardedNodes(
  nodes: World['nodes'],
  held: ReadonlySet<string>,
  changed: ReadonlySet<string>,
  memory: GuardMemory | undefined,
): World['nodes'] {
  const before = memory?.guarded.nodes ?? PersistentMap.empty<Node>();
  const names = new Set([...(memory ? nodes.changedKeys(memory.raw.nodes) : nodes.keys()), ...changed]);
  const present = [...names].flatMap((name): [string, Node][] => {
    const node = nodes.get(name);
    return node === undefined ? [] : [[name, held.has(name) ? { ...node, ready: 'True' } : node]];
  });
  return before.with(
    present,
    [...names].filter((name) => !nodes.has(name)),
  );
}

type Holding = Pick<GuardMemory, 'held' | 'lapsed'> & { readonly changed: ReadonlySet<string> };

function guardedSlices(
  slices: World['endpointSlices'],
  holding: Holding,
  memory: GuardMemory | undefined,
): World['endpointSlices'] {
  const before = memory?.guarded.endpointSlices ?? PersistentMap.empty<EndpointSlice>();
  const changedKeys = memory ? slices.changedKeys(memory.raw.endpointSlices) : [...slices.keys()];
  const keys = new Set([
    ...changedKeys,
    ...(holding.changed.size > 0 ? slicesOn(slices, holding.changed) : []),
  ]);
  const present = [...keys].flatMap((key): [string, EndpointSlice][] => {
    const slice = slices.get(key);
    return slice === undefined ? [] : [[key, guardedSlice(slice, holding)]];
  });
  return before.with(
    present,
    [...keys].filter((key) => !slices.has(key)),
  );
}

function slicesOn(slices: World['endpointSlices'], names: ReadonlySet<string>): string[] {
  return [...slices]
    .filter(([, { endpoints }]) => endpoints.some(({ nodeName = '' }) => names.has(nodeName)))
    .map(([key]) => key);
}

function guardedSlice(slice: EndpointSlice, { held, lapsed }: Holding): EndpointSlice {
  const isHeld = (endpoint: Endpoint): boolean =>
    isSilenced(endpoint) &&
    held.has(endpoint.nodeName ?? '') &&
    lapsed.has(lapsedKey(slice.key, endpoint.address));
  if (!slice.endpoints.some(isHeld)) {
    return slice;
  }
  const endpoints = slice.endpoints.map((each) =>
    isHeld(each) ? { ...each, ready: true, serving: true } : each,
  );
  return { ...slice, endpoints };
}
