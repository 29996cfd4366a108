// Worlds in a few words, and what peers are told in a few words.
//
// Node `a` has 10.0.0.1 and fd00::1, `b` has 10.0.0.2 and fd00::2, and so on. Endpoints are written as node
// names, one endpoint each: 'a a b'; 'a:off' is not ready, 'a:out' not ready but serving and terminating,
// 'a:stuck' not ready but serving; '-' names no node. `told` answers with node names again.

import type { Advertisement, Endpoint, EndpointSlice, Node, Peer, Pool, Service } from '@herald/api';
import { PersistentMap, address, pathAttributes, prefix, range } from '@herald/net';
import type { Family, Path, PrefixRoutes, RouteTable } from '@herald/net';
import { ALONE, decide, emptyMemory } from '../../src/index.ts';
import type {
  Decided,
  Decision,
  DecisionSettings,
  RetainedPath,
  SessionState,
  World,
} from '../../src/index.ts';

export interface ServiceSpec extends Partial<Omit<Service, 'ingress'>> {
  readonly ips?: string;
  readonly on?: string;
  /** Endpoints of IPv6 slices, where they are not those of `on`. */
  readonly on6?: string;
  readonly policy?: 'Cluster' | 'Local';
  readonly slices?: readonly Partial<EndpointSlice>[];
}

export interface NodeSpec extends Partial<Omit<Node, 'addresses' | 'podCidrs'>> {
  readonly ips?: string;
  readonly external?: string;
  readonly pods?: string;
}

export interface AdvertisementSpec extends Partial<Omit<Advertisement, 'nextHops' | 'aggregation'>> {
  readonly nextHops?: Partial<Advertisement['nextHops']>;
  readonly aggregation?: Partial<Advertisement['aggregation']>;
}

export interface PoolSpec extends Partial<Omit<Pool, 'ranges'>> {
  readonly ranges: string;
}

export interface PeerSpec extends Partial<Omit<Peer, 'address'>> {
  readonly address?: string;
  /** What the router's OPEN offers; ADD-PATH for both families unless said otherwise. */
  readonly offers?: { readonly 4: boolean; readonly 6: boolean };
}

export interface Scene {
  readonly nodes?: Readonly<Record<string, NodeSpec>>;
  readonly services?: Readonly<Record<string, ServiceSpec>>;
  readonly ads?: Readonly<Record<string, AdvertisementSpec>>;
  readonly pools?: Readonly<Record<string, PoolSpec>>;
  readonly peers?: Readonly<Record<string, PeerSpec>>;
  readonly settings?: Partial<DecisionSettings>;
  readonly leadership?: Partial<World['leadership']>;
  readonly ordinal?: number;
  readonly retained?: World['retained'];
  /** Who else is there; by default somebody else leads, unless this replica does. */
  readonly replicas?: World['replicas'];
}

const SETTINGS: DecisionSettings = {
  asn: 64_500,
  routerId: address('192.0.2.1'),
  loadBalancerClass: undefined,
  ipam: true,
  compatibilityAnnotations: false,
  standbyMode: 'Hot',
  excludeLabelHonoured: true,
  cordonedNodesLeave: false,
  joinDelayMs: 0,
  deadNodesPercent: 50,
  silentNodeMs: 10_000,
  doubtMs: 13_000,
};

const FOUR_NODES: NonNullable<Scene['nodes']> = { a: {}, b: {}, c: {}, d: {} };
const ONE_PEER: NonNullable<Scene['peers']> = { tor: {} };
const ALL_TO_ALL: NonNullable<Scene['ads']> = { default: {} };
const WIDE_POOL: NonNullable<Scene['pools']> = { wide: { ranges: '203.0.113.0/24 2001:db8::/64' } };

export function sceneWorld(scene: Scene): World {
  const services = Object.entries(scene.services ?? {});
  const peers = Object.entries(scene.peers ?? ONE_PEER);
  return {
    now: 0,
    nodes: mapOf(scene.nodes ?? FOUR_NODES, node),
    services: PersistentMap.from(services.map(([name, spec]) => [keyOf(name), service(name, spec)])),
    endpointSlices: PersistentMap.from(
      services.flatMap(([name, spec]) => slicesOf(name, spec).map((slice) => [slice.key, slice] as const)),
    ),
    namespaces: PersistentMap.empty(),
    secrets: PersistentMap.empty(),
    peers: PersistentMap.from(peers.map(([name, spec], i) => [name, peer(name, spec, i)])),
    pools: mapOf(scene.pools ?? WIDE_POOL, pool),
    advertisements: mapOf(scene.ads ?? ALL_TO_ALL, advertisement),
    settings: { ...SETTINGS, ...scene.settings },
    replica: { name: 'herald-0', labels: {}, ordinal: scene.ordinal ?? 0 },
    leadership: { leading: true, term: 1000, ...scene.leadership },
    sessions: PersistentMap.from(peers.map(([name, spec]) => [name, session(spec)])),
    programmed: PersistentMap.empty(),
    retained: scene.retained ?? new Map(),
    freshness: ALONE,
    replicas: scene.replicas ?? { leader: 'herald-9', others: new Map() },
  };
}

/** What bgpd keeps of a decision's tables when the process ends, as it can be read from it. */
export function retainedFrom({ tables }: Decision): World['retained'] {
  return new Map([['', retainedTable(tables.shared)], ...mapped(tables.views, retainedTable)]);
}

function retainedTable(table: RouteTable): ReadonlyMap<string, readonly RetainedPath[]> {
  return mapped(new Map(table), ({ paths }) =>
    paths.map(({ nextHop, attributes }) => {
      const asPath = attributes.asPath.map(() => 0);
      return { nextHop: nextHop.text, attributes: pathAttributes({ ...attributes, asPath }) };
    }),
  );
}

function mapped<From, To>(map: ReadonlyMap<string, From>, to: (value: From) => To): ReadonlyMap<string, To> {
  return new Map(Array.from(map, ([key, value]) => [key, to(value)]));
}

export function decideScene(scene: Scene): Decided {
  return decide(sceneWorld(scene), emptyMemory());
}

function mapOf<Spec, Value>(
  specs: Readonly<Record<string, Spec>>,
  make: (name: string, spec: Spec) => Value,
): PersistentMap<Value> {
  return PersistentMap.from(Object.entries(specs).map(([name, spec]) => [name, make(name, spec)]));
}

function keyOf(name: string): string {
  return name.includes('/') ? name : `default/${name}`;
}

function meta(name: string) {
  return { name, uid: `uid-${name}`, createdAt: 0, labels: {} };
}

/** a is 1, b is 2, ... z is 26, then n27, n28, ... */
function nodeNumber(name: string): number {
  return /^[a-z]$/.test(name) ? name.charCodeAt(0) - 96 : Number(name.slice(1));
}

export function nodeName(number: number): string {
  return number <= 26 ? String.fromCharCode(96 + number) : `n${number}`;
}

function words(text: string): string[] {
  return text.split(' ').filter((word) => word !== '');
}

export function node(name: string, { ips, external = '', pods = '', ...spec }: NodeSpec = {}): Node {
  const n = nodeNumber(name);
  const own = `10.0.${n >> 8}.${n & 255} fd00::${n.toString(16)}`;
  return {
    ...meta(name),
    kind: 'Node',
    deleting: false,
    ready: 'True',
    networkUnavailable: false,
    unschedulable: false,
    taints: [],
    addresses: [
      ...words(ips ?? own).map((text) => ({ type: 'InternalIP' as const, address: address(text) })),
      ...words(external).map((text) => ({ type: 'ExternalIP' as const, address: address(text) })),
    ],
    annotations: {},
    podCidrs: words(pods).map(prefix),
    zone: '',
    ...spec,
  };
}

export function service(name: string, spec: ServiceSpec): Service {
  const { ips = '203.0.113.1', on: _on, on6: _on6, policy = 'Cluster', slices: _slices, ...rest } = spec;
  const key = keyOf(name);
  return {
    ...meta(key.slice(key.indexOf('/') + 1)),
    uid: `uid-${key}`,
    kind: 'Service',
    namespace: key.slice(0, key.indexOf('/')),
    key,
    annotations: {},
    deleting: false,
    type: 'LoadBalancer',
    loadBalancerClass: undefined,
    externalTrafficPolicy: policy,
    healthCheckNodePort: undefined,
    ipFamilies: [4],
    ipFamilyPolicy: 'SingleStack',
    ports: [{ protocol: 'TCP', port: 80 }],
    selector: 'app=web',
    publishNotReadyAddresses: false,
    loadBalancerIP: undefined,
    ingress: words(ips).map(address),
    ingressNamesHost: false,
    ...rest,
  };
}

function slicesOf(name: string, spec: ServiceSpec): EndpointSlice[] {
  const families = [4, 6] as const;
  const defaults = families.map((family) => ({
    family,
    endpoints: endpoints(textFor(family, spec), family),
  }));
  return (spec.slices ?? defaults).map((slice, i) => ({
    ...meta(`${name}-${i}`),
    kind: 'EndpointSlice',
    namespace: 'default',
    key: `${keyOf(name)}-${i}`,
    serviceKey: keyOf(name),
    family: 4,
    endpoints: [],
    ...slice,
  }));
}

function textFor(family: Family, spec: ServiceSpec): string {
  return (family === 6 ? (spec.on6 ?? spec.on) : spec.on) ?? '';
}

const CONDITIONS: Readonly<Record<string, Pick<Endpoint, 'ready' | 'serving' | 'terminating'>>> = {
  on: { ready: true, serving: true, terminating: false },
  off: { ready: false, serving: false, terminating: false },
  out: { ready: false, serving: true, terminating: true },
  stuck: { ready: false, serving: true, terminating: false },
  gone: { ready: false, serving: false, terminating: true },
  odd: { ready: true, serving: false, terminating: false },
};

export function endpoints(text: string, family: Family = 4): Endpoint[] {
  return words(text).map((word, i) => {
    const [name = '', condition = 'on'] = word.split(':');
    const conditions = CONDITIONS[condition];
    const pod = name === '-' ? 255 : nodeNumber(name);
    if (!conditions) {
      throw new Error(`no endpoint condition ${condition}`);
    }
    return {
      address: family === 4 ? `172.16.${pod}.${i + 1}` : `fd01:${pod}::${i + 1}`,
      nodeName: name === '-' ? undefined : name,
      ...conditions,
    };
  });
}

export function advertisement(name: string, spec: AdvertisementSpec): Advertisement {
  const { nextHops, aggregation, ...rest } = spec;
  return {
    ...meta(name),
    kind: 'BGPAdvertisement',
    pools: [],
    poolSelectors: [],
    serviceSelectors: [],
    peers: [],
    peerSelectors: [],
    nodeSelectors: [],
    aggregation: { length: undefined, lengthV6: undefined, unassigned: undefined, ...aggregation },
    localPref: undefined,
    med: undefined,
    asPathPrepend: 0,
    communities: [],
    nextHops: { from: 'EndpointNodes', max: undefined, weight: 'Equal', ...nextHops },
    ...rest,
  };
}

function pool(name: string, { ranges, ...rest }: PoolSpec): Pool {
  return {
    ...meta(name),
    kind: 'IPAddressPool',
    ranges: words(ranges).map(range),
    autoAssign: true,
    avoidBuggyIPs: false,
    serviceAllocation: undefined,
    ...rest,
  };
}

export function peer(name: string, spec: PeerSpec, position: number): Peer {
  const { address: text = `198.51.100.${position + 1}`, offers: _offers, ...rest } = spec;
  return {
    ...meta(name),
    kind: 'BGPPeer',
    address: address(text),
    port: 179,
    remoteAs: 64_999,
    localAs: undefined,
    sourceAddress: undefined,
    holdTimeSeconds: 30,
    keepaliveTimeSeconds: 10,
    connectTimeSeconds: 5,
    ebgpMultiHop: 255,
    ttlSecurityHops: undefined,
    passwordSecret: undefined,
    families: [4, 6],
    addPaths: { mode: 'Auto', maxPaths: 16 },
    maxRoutes: undefined,
    maxNextHopSets: undefined,
    rank: { mode: 'MED', base: undefined },
    gracefulRestart: { enabled: false, restartTimeSeconds: 120, longLivedStaleTimeSeconds: undefined },
    bfd: undefined,
    replicaSelector: undefined,
    nextHop: { type: 'InternalIP', annotation: undefined, cidrs: [] },
    shutdown: false,
    ...rest,
  };
}

function session({ offers = { 4: true, 6: true } }: PeerSpec): SessionState {
  return {
    state: 'Established',
    sinceMs: 0,
    families: [4, 6],
    addPathReceive: offers,
    localAddress: undefined,
    authenticated: false,
    lastError: '',
    connectionsDropped: 0,
    remoteAs: 64_999,
  };
}

/** What bgpd sends to a peer: from its view, or from the shared table what carries its tag or that of all. */
export function routesTo(decision: Decision, peerName: string): PrefixRoutes[] {
  const planned = decision.sessions.peers.find(({ name }) => name === peerName);
  if (!planned) {
    return [];
  }
  const { instance, number } = planned;
  const table = instance.kind === 'view' ? decision.tables.views.get(instance.name) : decision.tables.shared;
  return [...(table ?? PersistentMap.empty<PrefixRoutes>()).values()]
    .map(({ prefix: of, paths }) => ({
      prefix: of,
      paths: instance.kind === 'view' ? paths : paths.filter((path) => isFor(path, number)),
    }))
    .filter(({ prefix: of, paths }) => paths.length > 0 && planned.families.includes(of.family));
}

function isFor({ attributes }: Path, number: number): boolean {
  return tagsOf(attributes.largeCommunities).some((tag) => tag === 0 || tag === number);
}

export function tagsOf(communities: Path['attributes']['largeCommunities']): number[] {
  return communities.filter(({ global }) => global === 4294967295).map(({ local2 }) => local2);
}

/** Prefix -> names of the nodes whose addresses are its next hops, in order. */
export function told(decision: Decision, peerName = 'tor'): Record<string, string> {
  return Object.fromEntries(
    routesTo(decision, peerName)
      .map(({ prefix: of, paths }) => [of.text, paths.map(nodeBehind).sort().join(' ')] as const)
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );
}

function nodeBehind({ nextHop }: Path): string {
  if (nextHop.family === 6) {
    return /^fd00::[0-9a-f]+$/.test(nextHop.text)
      ? nodeName(parseInt(nextHop.text.slice(6), 16))
      : nextHop.text;
  }
  const [first, second, high = 0, low = 0] = nextHop.text.split('.').map(Number);
  return first === 10 && second === 0 ? nodeName(high * 256 + low) : nextHop.text;
}

/** Attributes of the routes to a peer as text: `prefix node` -> what is asked for. */
export function pathsTo(decision: Decision, peerName = 'tor'): Record<string, Path> {
  return Object.fromEntries(
    routesTo(decision, peerName).flatMap(({ prefix: of, paths }) =>
      paths.map((path) => [`${of.text} ${nodeBehind(path)}`, path] as const),
    ),
  );
}

export function reasons(decision: Decision): Record<string, string> {
  return Object.fromEntries(
    Array.from(decision.services, ([key, { reason }]) => [key.replace('default/', ''), reason] as const),
  );
}
