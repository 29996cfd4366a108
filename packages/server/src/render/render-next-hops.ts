// The nodes as next hops, sorted by name: their addresses, whether they may be next hops at all, and what they carry
// now. A next hop that is no address in a node's status (an annotation, a node that is gone) is shown under its address.

import type { Node } from '@herald/api';
import { nodeReason } from '@herald/decision';
import type { Views } from '../views.ts';
import { pageOf, type Page, type PageQuery } from './page.ts';
import { useOfNextHops, type NextHopUse } from './use-of-next-hops.ts';

export interface NextHopQuery extends PageQuery {
  readonly eligible: boolean | undefined;
}

export interface NextHopView {
  /** null: no node is known to have the address. */
  readonly node: string | null;
  readonly addresses: readonly string[];
  readonly eligible: boolean;
  /** Why it is not. */
  readonly reason: string | null;
  readonly services: number;
  readonly prefixes: number;
  readonly peers: readonly PeerCount[];
}

interface PeerCount {
  readonly peer: string;
  readonly paths: number;
}

interface Found {
  readonly node: Node | undefined;
  readonly addresses: readonly string[];
  readonly reason: string | null;
}

export function renderNextHops(views: Views, query: NextHopQuery): Page<NextHopView> {
  const uses = useOfNextHops(views.decision);
  const found = [...nodesOf(views), ...strangers(views, uses)].filter(
    ({ reason }) =>
      query.eligible === undefined || (reason === null || reason === 'HeldByGuard') === query.eligible,
  );
  return pageOf(found, query, (hop) => renderNextHop(hop, uses));
}

function nodesOf({ world, decision }: Views): Found[] {
  return [...world.nodes.values()]
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .map((node) => ({
      node,
      addresses: [...new Set(node.addresses.map(({ address }) => address.text))],
      reason: decision.heldNodes.has(node.name) ? 'HeldByGuard' : (nodeReason(node, world.settings) ?? null),
    }));
}

function strangers({ world }: Views, uses: ReadonlyMap<string, NextHopUse>): Found[] {
  const known = new Set(
    [...world.nodes.values()].flatMap(({ addresses }) => addresses.map(({ address }) => address.text)),
  );
  return [...uses.keys()]
    .filter((address) => !known.has(address))
    .sort()
    .map((address) => ({ node: undefined, addresses: [address], reason: 'NodeUnknown' }));
}

function renderNextHop(
  { node, addresses, reason }: Found,
  uses: ReadonlyMap<string, NextHopUse>,
): NextHopView {
  const own = addresses.map((address) => uses.get(address)).filter((use) => use !== undefined);
  return {
    node: node?.name ?? null,
    addresses,
    eligible: reason === null,
    reason,
    services: new Set(own.flatMap(({ services }) => [...services])).size,
    prefixes: new Set(own.flatMap(({ prefixes }) => [...prefixes])).size,
    peers: countPeers(own),
  };
}

function countPeers(uses: readonly NextHopUse[]): PeerCount[] {
  const counts = new Map<string, number>();
  for (const [peer, paths] of uses.flatMap(({ paths: byPeer }) => [...byPeer])) {
    counts.set(peer, (counts.get(peer) ?? 0) + paths);
  }
  return Array.from(counts, ([peer, paths]) => ({ peer, paths })).sort((a, b) => (a.peer < b.peer ? -1 : 1));
}
