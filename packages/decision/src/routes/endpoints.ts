// Which endpoints of a Service can serve, and on which nodes: EndpointSlices -> endpoints counted by node.
//
// What kube-proxy does (KEP-1669, KEP-1672), and so what a next hop will do with the packet:
//   1. ready endpoints serve (a nil condition is ready; the projection has resolved that);
//   2. only where there is none, those that are serving and terminating do - asked for each node under
//      externalTrafficPolicy Local, for the whole Service under Cluster. A node that has only such ones can serve;
//      whether it still has to is for candidates.ts to say;
//   3. nothing else serves. publishNotReadyAddresses needs no rule here: the EndpointSlice controller
//      then writes ready=true, and kube-proxy goes by that condition alone.

import type { Endpoint, EndpointSlice, Service } from '@herald/api';
import type { Family } from '@herald/net';

export interface EndpointNode {
  readonly name: string;
  readonly endpoints: number;
  /** All of these are terminating. */
  readonly leaving: boolean;
}

export interface UsableEndpoints {
  /** Sorted by name. */
  readonly nodes: readonly EndpointNode[];
  /** Usable endpoints that name no node (selectorless Services, other clusters). */
  readonly nameless: number;
}

const NO_ENDPOINTS: UsableEndpoints = { nodes: [], nameless: 0 };

type Fitness = 0 | 1 | 2;

export function usableEndpoints(
  slices: readonly EndpointSlice[],
  family: Family,
  policy: Service['externalTrafficPolicy'],
): UsableEndpoints {
  const found = distinctEndpoints(slices, family);
  if (found.size === 0) {
    return NO_ENDPOINTS;
  }
  return policy === 'Local' ? countedPerNode(found) : countedTogether(found);
}

/** The same address may be in several slices; the best that one of them says of it counts. */
function distinctEndpoints(slices: readonly EndpointSlice[], family: Family): Map<string, Endpoint> {
  const found = new Map<string, Endpoint>();
  for (const slice of slices) {
    for (const endpoint of slice.family === family ? slice.endpoints : []) {
      const known = found.get(endpoint.address);
      const isOfFamily = endpoint.address.includes(':') === (family === 6);
      if (isOfFamily && fitnessOf(endpoint) > (known ? fitnessOf(known) : 0)) {
        found.set(endpoint.address, endpoint);
      }
    }
  }
  return found;
}

function fitnessOf({ ready, serving, terminating }: Endpoint): Fitness {
  if (ready) {
    return 2;
  }
  return serving && terminating ? 1 : 0;
}

function countedTogether(found: ReadonlyMap<string, Endpoint>): UsableEndpoints {
  let best: Fitness = 0;
  for (const endpoint of found.values()) {
    const fitness = fitnessOf(endpoint);
    best = fitness > best ? fitness : best;
  }
  return counted(found.values(), () => best);
}

function countedPerNode(found: ReadonlyMap<string, Endpoint>): UsableEndpoints {
  const best = new Map<string, Fitness>();
  for (const endpoint of found.values()) {
    const { nodeName = '' } = endpoint;
    const fitness = fitnessOf(endpoint);
    const known = best.get(nodeName) ?? 0;
    best.set(nodeName, fitness > known ? fitness : known);
  }
  return counted(found.values(), (nodeName) => best.get(nodeName) ?? 0);
}

function counted(found: Iterable<Endpoint>, needed: (nodeName: string) => Fitness): UsableEndpoints {
  const counts = new Map<string, number>();
  for (const endpoint of found) {
    const { nodeName = '' } = endpoint;
    if (fitnessOf(endpoint) === needed(nodeName)) {
      counts.set(nodeName, (counts.get(nodeName) ?? 0) + 1);
    }
  }
  const nameless = counts.get('') ?? 0;
  counts.delete('');
  const nodes = Array.from(counts, ([name, endpoints]) => {
    return { name, endpoints, leaving: needed(name) < 2 };
  });
  return { nodes: nodes.sort((a, b) => (a.name < b.name ? -1 : 1)), nameless };
}
