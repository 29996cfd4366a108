/**
 * Reads what FRR's bgpd says in JSON: `show bgp neighbors json` and `show bgp <afi> unicast json detail`.
 *
 * Text already parsed in, sessions and paths out; absent fields mean what FRR means by leaving them out.
 */
import type { IpFamily } from '../namespace.ts';
import type { RouterPath, RouterSession } from './router.ts';

/** "Received" is what the neighbour said of itself: its sending makes our receiving possible. */
interface FrrAddPath {
  readonly rxAdvertised?: boolean;
  readonly rxAdvertisedAndReceived?: boolean;
  readonly txReceived?: boolean;
  readonly txAdvertisedAndReceived?: boolean;
}

interface FrrNeighbor {
  readonly remoteAs?: number;
  readonly bgpState?: string;
  readonly connectionsDropped?: number;
  readonly neighborCapabilities?: {
    readonly addPath?: { readonly ipv4Unicast?: FrrAddPath; readonly ipv6Unicast?: FrrAddPath };
  };
}

export type FrrNeighbors = Readonly<Record<string, FrrNeighbor>>;

interface FrrCommunities {
  readonly list?: readonly string[];
}

interface FrrPath {
  readonly aspath?: { readonly segments?: readonly { readonly list?: readonly number[] }[] };
  readonly metric?: number;
  readonly med?: number;
  readonly locPrf?: number;
  readonly addpathRxId?: number;
  readonly bestpath?: { readonly overall?: boolean };
  readonly community?: FrrCommunities;
  readonly largeCommunity?: FrrCommunities;
  readonly nexthops?: readonly { readonly ip?: string; readonly scope?: string }[];
  readonly peer?: { readonly peerId?: string };
}

export interface FrrTable {
  readonly routes?: Readonly<Record<string, readonly FrrPath[] | { readonly paths?: readonly FrrPath[] }>>;
}

export function frrSessions(neighbors: FrrNeighbors): RouterSession[] {
  return Object.entries(neighbors)
    .filter(([, neighbor]) => neighbor.bgpState !== undefined)
    .map(([peer, neighbor]) => ({
      peer,
      asn: neighbor.remoteAs ?? 0,
      state: neighbor.bgpState ?? '',
      isEstablished: neighbor.bgpState === 'Established',
      connectionsDropped: neighbor.connectionsDropped ?? 0,
      addPathReceive: addPathFamilies(neighbor),
    }));
}

function addPathFamilies(neighbor: FrrNeighbor): IpFamily[] {
  const said = neighbor.neighborCapabilities?.addPath;
  return [
    ...(isReceiving(said?.ipv4Unicast) ? [4 as const] : []),
    ...(isReceiving(said?.ipv6Unicast) ? [6 as const] : []),
  ];
}

function isReceiving(said: FrrAddPath = {}): boolean {
  const offered = said.rxAdvertised === true || said.rxAdvertisedAndReceived === true;
  const used = said.txReceived === true || said.txAdvertisedAndReceived === true;
  return offered && used;
}

export function frrPaths(table: FrrTable): RouterPath[] {
  return Object.entries(table.routes ?? {}).flatMap(([prefix, entry]) =>
    // 8.4 puts the prefix's own fields in front of its paths, in the same list; those have no peer.
    pathsOf(entry)
      .filter((path) => path.peer !== undefined)
      .map((path) => frrPath(prefix, path)),
  );
}

function pathsOf(entry: readonly FrrPath[] | { readonly paths?: readonly FrrPath[] }): readonly FrrPath[] {
  return 'paths' in entry ? (entry.paths ?? []) : (entry as readonly FrrPath[]);
}

function frrPath(prefix: string, path: FrrPath): RouterPath {
  return {
    prefix,
    nextHop: path.nexthops?.find((hop) => hop.scope !== 'link-local')?.ip ?? '',
    peer: path.peer?.peerId ?? '',
    asPath: asPathOf(path),
    communities: [path.community, path.largeCommunity].flatMap((communities) => communities?.list ?? []),
    pathId: path.addpathRxId,
    med: path.metric ?? path.med,
    localPref: path.locPrf,
    isBest: path.bestpath?.overall === true,
  };
}

function asPathOf(path: FrrPath): number[] {
  return path.aspath?.segments?.flatMap((segment) => segment.list ?? []) ?? [];
}
