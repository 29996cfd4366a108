// What is not believed of nodes that look dead (silent-nodes.ts): where too many do at once, or one does only since a
// moment ago, more likely it is the way to them that is gone. World and memory -> the nodes and EndpointSlices as routes
// are to see them, and which nodes are held.
//
//   node-health evidence   a node that is not Ready; an endpoint that is not ready and not terminating while its
//                          node is not Ready (Kubernetes marks all pods of a silent node so), and still is when the
//                          node has just come back
//   endpoint evidence      an endpoint that is gone, terminating, or not ready on a Ready node: never held
//
// Of a node that is held, node-health evidence takes nothing away. While more than the given share of the nodes looks
// dead, what it took away within the last minute, when the first of those nodes fell silent, comes back; a node that was
// dead before stays so. Costs what changed; a scan only when the held change.

import type { Endpoint, EndpointSlice, Node } from '@herald/api';
import { PersistentMap } from '@herald/net';
import type { World } from '../world.ts';
import { looksDead, NOBODY, silentNodes, type SilentNodes } from './silent-nodes.ts';

export interface GuardMemory extends SilentNodes {
  readonly raw: Guarded;
  readonly guarded: Guarded;
  /** Endpoints that were ready until their node fell silent, as `slice address`, with the name of the node. */
  readonly lapsed: PersistentMap<string>;
}

export interface Guarded {
  readonly nodes: PersistentMap<Node>;
  readonly endpointSlices: PersistentMap<EndpointSlice>;
}

export function guard(world: World, memory: GuardMemory | undefined): GuardMemory {
  const raw: Guarded = { nodes: world.nodes, endpointSlices: world.endpointSlices };
  const isSame = memory?.raw.nodes === raw.nodes && memory.raw.endpointSlices === raw.endpointSlices;
  const isDue = memory?.wakeAtMs !== undefined && memory.wakeAtMs <= world.now;
  if (memory !== undefined && isSame && !isDue) {
    return memory;
  }
  const silent = silentNodes(world, memory);
  const { held } = silent;
  const [stayed, stay] = [memory ? staying(memory) : NOBODY, staying(silent)];
  const lapsed = memory ? lapsedEndpoints(raw, silent, memory) : lapsedAtStart(raw, held);
  if (stay.size === 0 && stayed.size === 0) {
    return { ...silent, raw, guarded: raw, lapsed };
  }
  const changed = stay.symmetricDifference(stayed);
  const guarded = {
    nodes: guardedNodes(raw.nodes, held, memory),
    endpointSlices: guardedSlices(raw.endpointSlices, { stay, lapsed, changed }, memory),
  };
  return { ...silent, raw, guarded, lapsed };
}

/** Names of nodes of which the endpoints stay: those that are held, and those that were until a moment ago. */
function staying({ held, returned }: SilentNodes): ReadonlySet<string> {
  return returned.size === 0 ? held : held.union(new Set(returned.keys()));
}

function lapsedEndpoints(
  { endpointSlices, nodes }: Guarded,
  { dead, returned }: Pick<SilentNodes, 'dead' | 'returned'>,
  memory: GuardMemory,
): GuardMemory['lapsed'] {
  if (dead.size === 0 && memory.lapsed.size === 0) {
    return memory.lapsed;
  }
  const found: [string, string][] = [];
  const gone = [...memory.lapsed]
    .filter(([, name]) => !dead.has(name) && !returned.has(name))
    .map(([key]) => key);
  for (const key of endpointSlices.changedKeys(memory.raw.endpointSlices)) {
    const before = readyAddresses(memory.raw.endpointSlices.get(key));
    for (const { address, nodeName = '', ...state } of endpointSlices.get(key)?.endpoints ?? []) {
      if (isSilenced(state) && looksDead(nodes.get(nodeName)) && before.has(address)) {
        found.push([lapsedKey(key, address), nodeName]);
      } else if (state.ready) {
        gone.push(lapsedKey(key, address));
      }
    }
  }
  return memory.lapsed.with(found, gone);
}

/** Nobody knows which of them were ready until then; what is announced says that some were. */
function lapsedAtStart({ endpointSlices }: Guarded, held: ReadonlySet<string>): GuardMemory['lapsed'] {
  const keys = held.size === 0 ? [] : slicesOn(endpointSlices, held);
  const found = keys.flatMap((key) => {
    const silenced = endpointSlices.get(key)?.endpoints.filter((each) => isSilenced(each)) ?? [];
    return silenced
      .filter(({ nodeName = '' }) => held.has(nodeName))
      .map(({ address, nodeName = '' }): [string, string] => [lapsedKey(key, address), nodeName]);
  });
  return PersistentMap.from(found);
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
  memory: GuardMemory | undefined,
): World['nodes'] {
  const before = memory?.guarded.nodes ?? PersistentMap.empty<Node>();
  const changed = held.symmetricDifference(memory?.held ?? NOBODY);
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

interface Holding extends Pick<GuardMemory, 'lapsed'> {
  readonly stay: ReadonlySet<string>;
  readonly changed: ReadonlySet<string>;
}

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

function guardedSlice(slice: EndpointSlice, { stay, lapsed }: Holding): EndpointSlice {
  const isHeld = (endpoint: Endpoint): boolean =>
    isSilenced(endpoint) &&
    stay.has(endpoint.nodeName ?? '') &&
    lapsed.has(lapsedKey(slice.key, endpoint.address));
  if (!slice.endpoints.some(isHeld)) {
    return slice;
  }
  const endpoints = slice.endpoints.map((each) =>
    isHeld(each) ? { ...each, ready: true, serving: true } : each,
  );
  return { ...slice, endpoints };
}
