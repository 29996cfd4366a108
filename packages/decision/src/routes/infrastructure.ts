// The addresses that must never be inside an announced prefix, because a router that believed the
// announcement could no longer reach what carries the traffic: nodes, next hops, pod ranges and peers.
// Nodes and peers -> sorted prefixes, none inside another; "does this prefix touch one" is a binary search.
//
// All nodes count, usable or not: a node that is down now comes back with the same address.

import { sameProjected } from '@herald/api';
import type { Node, Peer } from '@herald/api';
import { compareAddresses, comparePrefixes, contains, covers, hostPrefix, overlaps } from '@herald/net';
import type { Address, Prefix } from '@herald/net';
import { annotatedAddresses } from './next-hop-address.ts';
import type { NodeView } from './node-view.ts';
import type { ReadInputs, RouteMemory } from './route-memory.ts';

export interface Infrastructure {
  readonly parts: readonly Prefix[];
}

export const NO_INFRASTRUCTURE: Infrastructure = { parts: [] };

/** Made anew only if a peer or something of a node that is part of it changed: most changes are others. */
export function refreshedInfrastructure(
  base: Pick<RouteMemory, 'infrastructure' | 'read' | 'view' | 'policy'>,
  read: ReadInputs,
  view: NodeView,
  changedNodes: readonly string[],
): Infrastructure {
  const { annotations } = base.policy;
  const same = (name: string): boolean =>
    sameParts(base.view.states.get(name)?.node, view.states.get(name)?.node, annotations);
  return base.read.allPeers === read.allPeers && changedNodes.every(same)
    ? base.infrastructure
    : infrastructureOf(read.nodes.values(), read.allPeers.values(), annotations);
}

function sameParts(a: Node | undefined, b: Node | undefined, annotations: readonly string[]): boolean {
  return (
    sameProjected(a?.addresses, b?.addresses) &&
    sameProjected(a?.podCidrs, b?.podCidrs) &&
    annotations.every((name) => a?.annotations[name] === b?.annotations[name])
  );
}

/** `annotations` are the node annotations from which some peer's next hops are taken. */
function infrastructureOf(
  nodes: Iterable<Node>,
  peers: Iterable<Peer>,
  annotations: readonly string[],
): Infrastructure {
  const parts: Prefix[] = [];
  for (const node of nodes) {
    node.addresses.forEach(({ address }) => parts.push(hostPrefix(address)));
    parts.push(
      ...node.podCidrs,
      ...annotations.flatMap((name) => annotatedAddresses(node, name).map(hostPrefix)),
    );
  }
  for (const peer of peers) {
    parts.push(hostPrefix(peer.address));
  }
  return { parts: outermost(parts.sort(comparePrefixes)) };
}

/** The part that begins at the prefix or before it may reach into it, and the next one may begin inside it. */
export function coversInfrastructure({ parts }: Infrastructure, prefix: Prefix): boolean {
  const position = lastStartingBy(parts, prefix.address);
  const before = parts[position];
  const after = parts[position + 1];
  return (
    (before !== undefined && overlaps(before, prefix)) ||
    (after !== undefined && contains(prefix, after.address))
  );
}

/** Of sorted prefixes those that no other one covers. */
function outermost(sorted: readonly Prefix[]): Prefix[] {
  const kept: Prefix[] = [];
  for (const part of sorted) {
    const before = kept.at(-1);
    if (before === undefined || !covers(before, part)) {
      kept.push(part);
    }
  }
  return kept;
}

/** Index of the last part that starts at the address or before it; -1 if none does. */
function lastStartingBy(parts: readonly Prefix[], address: Address): number {
  let low = 0;
  let high = parts.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const part = parts[middle];
    if (part && compareAddresses(part.address, address) <= 0) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low - 1;
}
