/**
 * Reads what `gobgp -j` says: neighbours and the global table.
 *
 * Communities come as numbers and attributes by their type code (RFC 4271, 1997, 4760, 8092); session states by
 * GoBGP's own numbering.
 */
import type { IpFamily } from '../namespace.ts';
import type { RouterPath, RouterSession } from './router.ts';

interface GobgpNeighbor {
  readonly conf?: { readonly neighbor_address?: string };
  readonly state?: {
    readonly neighbor_address?: string;
    readonly peer_asn?: number;
    readonly session_state?: number;
    readonly remote_cap?: readonly GobgpCapability[];
    readonly local_cap?: readonly GobgpCapability[];
  };
}

interface GobgpCapability {
  readonly type_url?: string;
  readonly value?: string;
}

interface GobgpAttribute {
  readonly type: number;
  readonly nexthop?: string;
  readonly metric?: number;
  readonly value?: unknown;
  readonly as_paths?: readonly { readonly asns?: readonly number[] }[];
  readonly communities?: readonly number[];
}

interface GobgpPath {
  readonly nlri?: { readonly prefix?: string };
  readonly best?: boolean;
  readonly attrs?: readonly GobgpAttribute[];
  readonly 'neighbor-ip'?: string;
}

export type GobgpTable = Readonly<Record<string, readonly GobgpPath[]>>;

const STATES = ['unknown', 'idle', 'connect', 'active', 'opensent', 'openconfirm', 'established'];
const RECEIVE = 1;
const SEND = 2;

/** Ended sessions are counted in the log: the daemon's own counter also counts attempts that never stood. */
export function gobgpSessions(json: string, log: string): RouterSession[] {
  return (JSON.parse(json.trim() || '[]') as GobgpNeighbor[]).map(({ conf, state = {} }) => {
    const word = STATES[state.session_state ?? 0] ?? 'unknown';
    const peer = state.neighbor_address ?? conf?.neighbor_address ?? '';
    return {
      peer,
      asn: state.peer_asn ?? 0,
      state: word,
      isEstablished: word === 'established',
      connectionsDropped: countDrops(peer, log),
      addPathReceive: addPathFamilies(state.local_cap ?? [], state.remote_cap ?? []),
    };
  });
}

function countDrops(peer: string, log: string): number {
  const marks = ['msg="Peer Down"', `Key=${peer} `, 'State=BGP_FSM_ESTABLISHED'];
  return log.split('\n').filter((line) => marks.every((mark) => line.includes(mark))).length;
}

function addPathFamilies(local: readonly GobgpCapability[], remote: readonly GobgpCapability[]): IpFamily[] {
  const receives = addPathModes(local);
  const sends = addPathModes(remote);
  return ([4, 6] as const).filter(
    (family) => ((receives.get(family) ?? 0) & RECEIVE) !== 0 && ((sends.get(family) ?? 0) & SEND) !== 0,
  );
}

/**
 * AddPathCapability of GoBGP's protobuf: repeated tuples, each of them ten bytes: its tag and length, then a family
 * message (tag, length, tagged afi, tagged safi), then the tagged mode. All values are below 128, one byte each.
 */
const TUPLE_BYTES = 10;
const AFI_AT = 5;
const MODE_AT = 9;

function addPathModes(capabilities: readonly GobgpCapability[]): Map<IpFamily, number> {
  const modes = new Map<IpFamily, number>();
  for (const capability of capabilities) {
    if (capability.type_url?.endsWith('AddPathCapability') !== true) continue;
    const bytes = Buffer.from(capability.value ?? '', 'base64');
    for (let at = 0; at < bytes.length; at += TUPLE_BYTES)
      modes.set(bytes[at + AFI_AT] === 1 ? 4 : 6, bytes[at + MODE_AT] ?? 0);
  }
  return modes;
}

export function gobgpPaths(json: string): RouterPath[] {
  const table = JSON.parse(json.trim() || '{}') as GobgpTable;
  return Object.entries(table).flatMap(([prefix, paths]) => paths.map((path) => gobgpPath(prefix, path)));
}

function gobgpPath(prefix: string, path: GobgpPath): RouterPath {
  const attribute = (type: number): GobgpAttribute | undefined =>
    path.attrs?.find((one) => one.type === type);
  return {
    prefix,
    nextHop: attribute(3)?.nexthop ?? attribute(14)?.nexthop ?? '',
    peer: path['neighbor-ip'] ?? '',
    asPath: attribute(2)?.as_paths?.flatMap((segment) => segment.asns ?? []) ?? [],
    communities: [...standardCommunities(attribute(8)), ...largeCommunities(attribute(32)?.value)],
    // Its JSON leaves the path id out.
    pathId: undefined,
    med: attribute(4)?.metric,
    localPref: numeric(attribute(5)?.value),
    isBest: path.best === true,
  };
}

function standardCommunities(attribute: GobgpAttribute | undefined): string[] {
  return (attribute?.communities ?? []).map((community) => `${community >>> 16}:${community & 0xffff}`);
}

interface GobgpLargeCommunity {
  readonly ASN: number;
  readonly LocalData1: number;
  readonly LocalData2: number;
}

function largeCommunities(value: unknown): string[] {
  if (!Array.isArray(value)) return [];
  return (value as GobgpLargeCommunity[]).map((one) => `${one.ASN}:${one.LocalData1}:${one.LocalData2}`);
}

function numeric(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined;
}
