// What each peer is told, prefix by prefix: route tables -> paths as the peer sees them, without the export
// tags that only bgpd reads. Peers that are told the same of a prefix stand together.

import type { Decision, PeerSession } from '@herald/decision';
import { compareAddresses, EVERY_PEER, exportTag, INTERNAL_ADMINISTRATOR } from '@herald/net';
import type { Path, Prefix, RouteTable } from '@herald/net';

const FOR_ALL = exportTag(EVERY_PEER).text;

export interface PlannedPath {
  readonly nextHop: string;
  readonly localPref: number;
  readonly med: number;
  readonly asPath: readonly number[];
  /** Standard ones, then large ones. */
  readonly communities: readonly string[];
  readonly linkBandwidthBytesPerSecond: number | null;
}

export interface PlannedRoute {
  readonly prefix: string;
  /** Peers that are told exactly this, sorted. */
  readonly peers: readonly string[];
  /** Sorted by next hop. */
  readonly paths: readonly PlannedPath[];
}

export class PeerPaths {
  readonly #decision: Decision;

  constructor(decision: Decision) {
    this.#decision = decision;
  }

  /** Peer name -> its paths, for those peers that are told anything of the prefix. */
  toPeers(prefix: string): ReadonlyMap<string, readonly PlannedPath[]> {
    const told = new Map<string, readonly PlannedPath[]>();
    for (const peer of this.#decision.sessions.peers) {
      const routes = this.#tableOf(peer)?.get(prefix);
      const paths = routes?.paths.filter((path) => receives(peer, routes.prefix, path)) ?? [];
      if (paths.length > 0) {
        told.set(peer.name, paths.toSorted(byNextHop).map(plannedPath));
      }
    }
    return told;
  }

  routes(prefix: string): PlannedRoute[] {
    return groupPeers(this.toPeers(prefix)).map(({ peers, value }) => ({ prefix, peers, paths: value }));
  }

  #tableOf({ instance }: PeerSession): RouteTable | undefined {
    const { shared, views } = this.#decision.tables;
    return instance.kind === 'shared' ? shared : views.get(instance.name);
  }
}

export interface PeersAlike<T> {
  readonly peers: readonly string[];
  readonly value: T;
}

/** Peers with equal values together, in the order of the first peer of each group. */
export function groupPeers<T>(values: ReadonlyMap<string, T>): PeersAlike<T>[] {
  const groups = new Map<string, { peers: string[]; value: T }>();
  for (const [peer, value] of values) {
    const key = JSON.stringify(value);
    const group = groups.get(key) ?? { peers: [], value };
    group.peers.push(peer);
    groups.set(key, group);
  }
  return [...groups.values()];
}

/** A view's table is its peer's own; in the shared one the tags name the peers. */
function receives(peer: PeerSession, { family }: Prefix, { attributes }: Path): boolean {
  const tag = exportTag(peer.number).text;
  const isTagged = attributes.largeCommunities.some(({ text }) => text === tag || text === FOR_ALL);
  return peer.families.includes(family) && (peer.instance.kind === 'view' || isTagged);
}

function byNextHop(a: Path, b: Path): number {
  return compareAddresses(a.nextHop, b.nextHop);
}

function plannedPath({ nextHop, attributes }: Path): PlannedPath {
  const large = attributes.largeCommunities.filter(({ global }) => global !== INTERNAL_ADMINISTRATOR);
  return {
    nextHop: nextHop.text,
    localPref: attributes.localPref,
    med: attributes.med,
    asPath: attributes.asPath,
    communities: [...attributes.communities, ...large].map(({ text }) => text),
    linkBandwidthBytesPerSecond: attributes.linkBandwidth?.bytesPerSecond ?? null,
  };
}
