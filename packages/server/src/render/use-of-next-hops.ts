// What each next hop carries: tables of a decision -> by address, the prefixes and Services that it serves and the paths
// that each peer has through it. Who receives a path follows from its attributes, which many paths share, so it is worked
// out once for each of them.

import type { Decision, PeerSession } from '@herald/decision';
import type { Family, Path, Prefix, RouteTable } from '@herald/net';
import { peersOfTable, receives } from './audience.ts';

export interface NextHopUse {
  /** Texts of prefixes, and keys of Services. */
  readonly prefixes: Set<string>;
  readonly services: Set<string>;
  /** Paths by the name of the peer. */
  readonly paths: Map<string, number>;
}

type Receivers = (prefix: Prefix, path: Path) => readonly PeerSession[];
type Attributes = Path['attributes'];

/** By the text of the address. */
export function useOfNextHops(decision: Decision): ReadonlyMap<string, NextHopUse> {
  const services = servicesByPrefix(decision);
  const uses = new Map<string, NextHopUse>();
  for (const [name, table] of [['shared', decision.tables.shared] as const, ...decision.tables.views]) {
    addTable(uses, table, receiversIn(peersOfTable(decision, name)), services);
  }
  return uses;
}

function servicesByPrefix({ services }: Decision): ReadonlyMap<string, readonly string[]> {
  const byPrefix = new Map<string, string[]>();
  for (const [key, { prefixes }] of services) {
    for (const prefix of prefixes) {
      const known = byPrefix.get(prefix);
      if (known === undefined) {
        byPrefix.set(prefix, [key]);
      } else {
        known.push(key);
      }
    }
  }
  return byPrefix;
}

function receiversIn(peers: readonly PeerSession[]): Receivers {
  const known: Record<Family, WeakMap<Attributes, readonly PeerSession[]>> = {
    4: new WeakMap(),
    6: new WeakMap(),
  };
  return (prefix, path) => {
    const ofFamily = known[prefix.family];
    const found = ofFamily.get(path.attributes) ?? peers.filter((peer) => receives(peer, prefix, path));
    ofFamily.set(path.attributes, found);
    return found;
  };
}

function addTable(
  uses: Map<string, NextHopUse>,
  table: RouteTable,
  receiversOf: Receivers,
  services: ReadonlyMap<string, readonly string[]>,
): void {
  for (const { prefix, paths } of table.values()) {
    for (const path of paths) {
      const use = useOf(uses, path.nextHop.text);
      use.prefixes.add(prefix.text);
      services.get(prefix.text)?.forEach((key) => use.services.add(key));
      receiversOf(prefix, path).forEach(({ name }) => use.paths.set(name, (use.paths.get(name) ?? 0) + 1));
    }
  }
}

function useOf(uses: Map<string, NextHopUse>, nextHop: string): NextHopUse {
  const use = uses.get(nextHop) ?? { prefixes: new Set(), services: new Set(), paths: new Map() };
  uses.set(nextHop, use);
  return use;
}
