// The nodes that can serve one Service in one family, each with its usable endpoints and how far it has come
// in joining. Usable endpoints, nodes and what was known before -> ServingNodes.
//
// A node that had an endpoint and has another one now has not left. The first nodes of a Service wait only as
// the nodes themselves do: one that has been there for long is programmed for whatever shares the prefix.

import type { Family } from '@herald/net';
import type { UsableEndpoints } from './endpoints.ts';
import { brought, probeKey, sameJoin } from './join.ts';
import type { Join, JoinClock } from './join.ts';
import type { NodeState } from './node-state.ts';
import type { NodeView } from './node-view.ts';

export interface ServingNode {
  readonly state: NodeState;
  readonly endpoints: number;
  /** All of these are terminating. */
  readonly leaving: boolean;
  readonly join: Join;
}

export interface ServingNodes {
  /** Nodes that pass the node checks, sorted by name. */
  readonly nodes: readonly ServingNode[];
  /** Has usable endpoints that name no node, which every node can reach. */
  readonly nameless: boolean;
}

export const NOBODY: ServingNodes = { nodes: [], nameless: false };

export interface JoinRequest {
  /** The nodes of the last decision, sorted by name. */
  readonly before: readonly ServingNode[];
  readonly family: Family;
  /** The health port that says whether a node is programmed, if there is one. */
  readonly port: number | undefined;
  readonly clock: JoinClock;
}

export function servingNodes(
  { nodes, nameless }: UsableEndpoints,
  view: NodeView,
  { before, family, port, clock }: JoinRequest,
): ServingNodes {
  const serving: ServingNode[] = [];
  let next = 0;
  for (const { name, endpoints, leaving } of nodes) {
    const state = view.states.get(name);
    if (state && state.reason === undefined) {
      for (let known = before[next]; known && known.state.name < name; known = before[next]) {
        next += 1;
      }
      const known = before[next]?.state.name === name ? before[next]?.join : undefined;
      const join = known ?? (before.length === 0 ? state.join : clock.arriving);
      const probe = probeKey(name, family, leaving ? undefined : port);
      serving.push({ state, endpoints, leaving, join: brought(join, probe, clock) });
    }
  }
  return { nodes: serving, nameless: nameless > 0 };
}

export function sameServing(a: ServingNodes, b: ServingNodes): boolean {
  return (
    a === b ||
    (a.nameless === b.nameless &&
      a.nodes.length === b.nodes.length &&
      a.nodes.every((node, i) => sameNode(node, b.nodes[i])))
  );
}

function sameNode(a: ServingNode, b: ServingNode | undefined): boolean {
  return (
    a.state === b?.state && a.endpoints === b.endpoints && a.leaving === b.leaving && sameJoin(a.join, b.join)
  );
}
