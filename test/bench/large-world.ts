// The large cluster of the figures: 10,000 Services with 10 endpoints each on 5,000 nodes, dual-stack nodes,
// one router with ADD-PATH and one without. Everything is derived from indices, so that every run has
// the same world.

import type { Advertisement, EndpointSlice, Node, Peer, Pool, Service } from '@herald/api';
import { ALONE, type SessionState, type World } from '@herald/decision';
import { address, PersistentMap, prefix, range } from '@herald/net';

export interface Size {
  readonly services: number;
  readonly nodes: number;
  readonly endpointsPerService: number;
}

export const LARGE: Size = { services: 10_000, nodes: 5_000, endpointsPerService: 10 };

const NO_SESSION_FACTS = {
  state: 'Established',
  sinceMs: 0,
  families: [4],
  localAddress: undefined,
  authenticated: false,
  lastError: '',
  connectionsDropped: 0,
  remoteAs: 64_999,
} as const satisfies Omit<SessionState, 'addPathReceive'>;

export function largeWorld(size: Size): World {
  return {
    now: 0,
    nodes: build(size.nodes, (i) => [nodeName(i), node(i)]),
    services: build(size.services, (i) => [serviceKey(i), service(i)]),
    endpointSlices: build(size.services, (i) => [sliceKey(i), endpointSlice(i, size)]),
    namespaces: PersistentMap.empty(),
    secrets: PersistentMap.empty(),
    peers: PersistentMap.from([
      ['with-add-path', peer('with-add-path', '198.51.100.1')],
      ['plain', peer('plain', '198.51.100.2')],
    ]),
    pools: PersistentMap.from([['all', pool()]]),
    advertisements: PersistentMap.from([['default', advertisement()]]),
    settings: {
      asn: 64_500,
      routerId: address('192.0.2.1'),
      loadBalancerClass: undefined,
      ipam: true,
      compatibilityAnnotations: true,
      standbyMode: 'Hot',
      excludeLabelHonoured: true,
      cordonedNodesLeave: false,
      joinDelayMs: 0,
      deadNodesPercent: 50,
      silentNodeMs: 10_000,
      doubtMs: 13_000,
    },
    replica: { name: 'herald-0', labels: {}, ordinal: 0 },
    leadership: { leading: true, term: 1000 },
    sessions: PersistentMap.from<SessionState>([
      ['with-add-path', { ...NO_SESSION_FACTS, addPathReceive: { 4: true, 6: true } }],
      ['plain', { ...NO_SESSION_FACTS, addPathReceive: { 4: false, 6: false } }],
    ]),
    programmed: PersistentMap.empty(),
    retained: new Map(),
    freshness: ALONE,
    replicas: { leader: '', others: new Map() },
  };
}

function build<V>(count: number, entry: (index: number) => readonly [string, V]): PersistentMap<V> {
  return PersistentMap.from(Array.from({ length: count }, (_, i) => entry(i)));
}

function meta(name: string) {
  return { name, uid: `uid-${name}`, createdAt: 0, labels: {} };
}

function nodeName(i: number): string {
  return `node-${i}`;
}

function node(i: number): Node {
  const [high, low] = [Math.floor(i / 250), (i % 250) + 1];
  return {
    ...meta(nodeName(i)),
    kind: 'Node',
    deleting: false,
    ready: 'True',
    networkUnavailable: false,
    unschedulable: false,
    taints: [],
    addresses: [
      { type: 'InternalIP', address: address(`10.1.${high}.${low}`) },
      { type: 'InternalIP', address: address(`fd00:1::${high.toString(16)}:${low.toString(16)}`) },
    ],
    annotations: {},
    podCidrs: [prefix(`172.${16 + (i >> 8)}.${i & 255}.0/24`)],
    zone: `zone-${i % 3}`,
  };
}

export function serviceKey(i: number): string {
  return `default/service-${i}`;
}

function service(i: number): Service {
  return {
    ...meta(`service-${i}`),
    kind: 'Service',
    namespace: 'default',
    key: serviceKey(i),
    annotations: {},
    deleting: false,
    type: 'LoadBalancer',
    loadBalancerClass: undefined,
    externalTrafficPolicy: 'Cluster',
    healthCheckNodePort: undefined,
    ipFamilies: [4],
    ipFamilyPolicy: 'SingleStack',
    ports: [{ protocol: 'TCP', port: 80 }],
    selector: `app=service-${i}`,
    publishNotReadyAddresses: false,
    loadBalancerIP: undefined,
    ingress: [address(`203.0.${Math.floor(i / 250)}.${(i % 250) + 1}`)],
    ingressNamesHost: false,
  };
}

export function sliceKey(i: number): string {
  return `default/service-${i}-abcde`;
}

export function endpointSlice(i: number, size: Size, shift = 0): EndpointSlice {
  return {
    ...meta(`service-${i}-abcde`),
    kind: 'EndpointSlice',
    namespace: 'default',
    key: sliceKey(i),
    serviceKey: serviceKey(i),
    family: 4,
    endpoints: Array.from({ length: size.endpointsPerService }, (_, k) => ({
      address: `172.16.${i & 255}.${k + 1}`,
      nodeName: nodeName((i * 7 + k * 503 + (k === 0 ? shift : 0)) % size.nodes),
      ready: true,
      serving: true,
      terminating: false,
    })),
  };
}

function peer(name: string, peerAddress: string): Peer {
  return {
    ...meta(name),
    kind: 'BGPPeer',
    address: address(peerAddress),
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
    families: [4],
    addPaths: { mode: 'Auto', maxPaths: 16 },
    maxRoutes: undefined,
    maxNextHopSets: undefined,
    rank: { mode: 'MED', base: undefined },
    gracefulRestart: { enabled: false, restartTimeSeconds: 120, longLivedStaleTimeSeconds: undefined },
    bfd: undefined,
    replicaSelector: undefined,
    nextHop: { type: 'InternalIP', annotation: undefined, cidrs: [] },
    shutdown: false,
  };
}

function pool(): Pool {
  return {
    ...meta('all'),
    kind: 'IPAddressPool',
    ranges: [range('203.0.0.0/16')],
    autoAssign: true,
    avoidBuggyIPs: false,
    serviceAllocation: undefined,
  };
}

function advertisement(): Advertisement {
  return {
    ...meta('default'),
    kind: 'BGPAdvertisement',
    pools: [],
    poolSelectors: [],
    serviceSelectors: [],
    peers: [],
    peerSelectors: [],
    nodeSelectors: [],
    aggregation: { length: undefined, lengthV6: undefined, unassigned: undefined },
    localPref: undefined,
    med: undefined,
    asPathPrepend: 0,
    communities: [],
    nextHops: { from: 'EndpointNodes', max: undefined, weight: 'Equal' },
  };
}
