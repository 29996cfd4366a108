/**
 * Reads what `bgpctl -j` says: `show neighbor` and `show rib detail`.
 */
import type { RouterPath, RouterSession } from './router.ts';

interface OpenbgpdNeighbor {
  readonly remote_as?: string;
  readonly remote_addr?: string;
  readonly state?: string;
  readonly stats?: { readonly prefixes?: object };
}

interface OpenbgpdPath {
  readonly prefix?: string;
  readonly best?: boolean;
  readonly aspath?: string;
  readonly exit_nexthop?: string;
  readonly true_nexthop?: string;
  readonly metric?: number;
  readonly localpref?: number;
  readonly path_id?: number;
  readonly neighbor?: { readonly remote_addr?: string };
  readonly attributes?: readonly { readonly type?: string; readonly communities?: readonly string[] }[];
  readonly communities?: readonly string[];
  readonly large_communities?: readonly string[];
}

export function openbgpdSessions(json: string, log: string): RouterSession[] {
  const { neighbors = [] } = JSON.parse(json) as { readonly neighbors?: readonly OpenbgpdNeighbor[] };
  return neighbors.map((neighbor) => {
    const peer = neighbor.remote_addr ?? '';
    return {
      peer,
      asn: Number(neighbor.remote_as ?? 0),
      state: neighbor.state ?? '',
      isEstablished: neighbor.state === 'Established',
      connectionsDropped: countDrops(peer, log),
      addPathReceive: undefined,
    };
  });
}

function countDrops(peer: string, log: string): number {
  return log.split('\n').filter((line) => line.includes(peer) && line.includes('state change Established ->'))
    .length;
}

export function openbgpdPaths(json: string, family: 4 | 6): RouterPath[] {
  const { rib = [] } = JSON.parse(json) as { readonly rib?: readonly OpenbgpdPath[] };
  return rib
    .filter((path) => path.prefix?.includes(':') === (family === 6))
    .map((path) => ({
      prefix: path.prefix ?? '',
      nextHop: path.exit_nexthop ?? path.true_nexthop ?? '',
      peer: path.neighbor?.remote_addr ?? '',
      asPath: (path.aspath?.match(/\d+/g) ?? []).map(Number),
      communities: [
        ...(path.communities ?? []),
        ...(path.large_communities ?? []),
        ...attributeCommunities(path),
      ],
      pathId: path.path_id,
      med: path.metric,
      localPref: path.localpref,
      isBest: path.best === true,
    }));
}

function attributeCommunities(path: OpenbgpdPath): string[] {
  return path.attributes?.flatMap((attribute) => attribute.communities ?? []) ?? [];
}
