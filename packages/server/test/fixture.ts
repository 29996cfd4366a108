// A small but whole state, with a password planted everywhere that one can be.

import type { Advertisement, Fault, HeraldReplicaStatus, Peer, Secret, Service, Settings } from '@herald/api';
import { secretData } from '@herald/api';
import { ALONE } from '@herald/decision';
import type { Decision, Explanation, PeerSession, SessionState, World } from '@herald/decision';
import {
  PersistentMap,
  address,
  exportTag,
  largeCommunity,
  pathAttributes,
  prefix,
  standardCommunity,
  type LargeCommunity,
  type Path,
  type PrefixRoutes,
  type RouteTable,
} from '@herald/net';
import {
  createServer,
  type ExchangeView,
  type KubernetesView,
  type RunningPeer,
  type Server,
  type Views,
} from '../src/index.ts';

export const PLANTED = 'hunter2-planted-secret';
export const NOW = Date.parse('2026-05-01T12:00:00Z');

const meta = (name: string) => ({ name, uid: `uid-${name}`, createdAt: 0, labels: {} });

export function service(namespace: string, name: string, addresses: readonly string[] = []): Service {
  return {
    ...meta(name),
    kind: 'Service',
    namespace,
    key: `${namespace}/${name}`,
    annotations: {},
    deleting: false,
    type: 'LoadBalancer',
    loadBalancerClass: undefined,
    externalTrafficPolicy: 'Cluster',
    healthCheckNodePort: undefined,
    ipFamilies: [4],
    ipFamilyPolicy: 'SingleStack',
    ports: [{ protocol: 'TCP', port: 80 }],
    selector: 'app=web',
    publishNotReadyAddresses: false,
    loadBalancerIP: undefined,
    ingress: addresses.map(address),
    ingressNamesHost: false,
  };
}

export function peer(name: string, overrides: Partial<Peer> = {}): Peer {
  return {
    ...meta(name),
    kind: 'BGPPeer',
    address: address('192.0.2.1'),
    port: 179,
    remoteAs: 64512,
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
    ...overrides,
  };
}

export function planned(name: string, number: number, overrides: Partial<PeerSession> = {}): PeerSession {
  return {
    name,
    number,
    address: address('192.0.2.1'),
    port: 179,
    remoteAs: 64512,
    internal: false,
    localAs: undefined,
    sourceAddress: undefined,
    holdTimeSeconds: 30,
    keepaliveTimeSeconds: 10,
    connectTimeSeconds: 5,
    ebgpMultiHop: 255,
    ttlSecurityHops: undefined,
    password: undefined,
    shutdown: false,
    families: [4],
    addPath: { 4: true, 6: true },
    instance: { kind: 'shared' },
    gracefulRestart: undefined,
    maxPaths: 16,
    ...overrides,
  };
}

export function session(overrides: Partial<SessionState> = {}): SessionState {
  return {
    state: 'Established',
    sinceMs: NOW - 60_000,
    families: [4],
    addPathReceive: { 4: true, 6: false },
    localAddress: '10.0.0.7',
    authenticated: false,
    lastError: '',
    connectionsDropped: 0,
    remoteAs: 64512,
    ...overrides,
  };
}

export function path(nextHop: string, pathId: number, tags: readonly LargeCommunity[] = []): Path {
  return {
    pathId,
    nextHop: address(nextHop),
    attributes: pathAttributes({
      asPath: [64999],
      localPref: 100,
      med: 3_999_999_990,
      communities: [standardCommunity(0xfde80064)],
      largeCommunities: [largeCommunity(65000, 1, 2), ...tags],
      linkBandwidth: undefined,
    }),
  };
}

export function table(...routes: readonly [string, ...Path[]][]): RouteTable {
  return PersistentMap.from(
    routes.map(([text, ...paths]): [string, PrefixRoutes] => [text, { prefix: prefix(text), paths }]),
  );
}

const secret: Secret = {
  ...meta('herald-bgp'),
  kind: 'Secret',
  namespace: 'herald',
  key: 'herald/herald-bgp',
  type: 'Opaque',
  data: secretData([['tor-1', PLANTED]]),
};

const advertisement = { ...meta('default'), kind: 'BGPAdvertisement' } as unknown as Advertisement;

const settings: Settings = {
  asn: 65000,
  routerId: address('10.0.0.7'),
  loadBalancerClass: undefined,
  ipam: true,
  compatibilityAnnotations: false,
  standbyMode: 'Hot',
  excludeLabelHonoured: true,
  cordonedNodesLeave: false,
  source: { kind: 'folder', path: '/etc/herald/objects' },
  election: { leaseName: 'herald', leaseDurationMs: 6000, renewDeadlineMs: 4000, retryPeriodMs: 1000 },
  stateDir: '/var/lib/herald',
  bgpd: {
    binary: 'bgpd',
    port: 1790,
    feedAddress: '127.0.0.2',
    vtyDir: '/run/herald',
    vtysh: 'vtysh',
    configDir: '/run/herald',
  },
  http: { address: '127.0.0.1', port: 8080 },
  podListener: undefined,
  probes: { mode: 'Disabled', port: 10256, intervalMs: 500, timeoutMs: 500, losses: 3, returns: 3 },
  guard: {
    deadNodesPercent: 50,
    silentNodeMs: 10_000,
    suspectListMs: 5000,
    joinDelayMs: 1000,
    staleMs: 6000,
    keptTableMs: 10_000,
  },
  exchange: { keyFile: undefined, replicas: [] },
  handOver: { patienceMs: 20_000 },
  logLevel: 'info',
};

export const fault: Fault = {
  object: 'BGPPeer old',
  field: 'spec.peerAddress',
  reason: 'Invalid',
  message: 'BGPPeer old: spec.peerAddress is not an address.',
};

const byName = <T extends { readonly name: string }>(...items: readonly T[]): PersistentMap<T> =>
  PersistentMap.from(items.map((item): [string, T] => [item.name, item]));

function world(): World {
  const services = [
    service('default', 'web', ['203.0.113.1']),
    service('default', 'wait'),
    service('shop', 'web'),
  ];
  return {
    now: NOW,
    nodes: PersistentMap.empty(),
    services: PersistentMap.from(services.map((item): [string, Service] => [item.key, item])),
    endpointSlices: PersistentMap.empty(),
    namespaces: PersistentMap.empty(),
    secrets: PersistentMap.from([[secret.key, secret]]),
    peers: byName(
      peer('tor-1', { passwordSecret: { name: 'herald-bgp', key: 'tor-1' }, families: [4, 6] }),
      peer('tor-2'),
      peer('plain', { address: address('192.0.2.3') }),
      peer('refused'),
    ),
    pools: PersistentMap.empty(),
    advertisements: byName(advertisement),
    settings: {
      ...settings,
      joinDelayMs: settings.guard.joinDelayMs,
      deadNodesPercent: 50,
      silentNodeMs: 10_000,
      doubtMs: 13_000,
    },
    programmed: PersistentMap.empty(),
    replica: { name: 'herald-0', labels: {}, ordinal: 0 },
    leadership: { leading: true, term: 10 },
    sessions: PersistentMap.from([
      ['tor-1', session({ authenticated: true, connectionsDropped: 3, families: [4, 6] })],
      ['tor-2', session({ state: 'Active', sinceMs: undefined, addPathReceive: undefined, families: [] })],
      ['plain', session({ addPathReceive: { 4: false, 6: false } })],
    ]),
    retained: new Map(),
    freshness: ALONE,
    replicas: { leader: '', others: new Map() },
  };
}

function decision(): Decision {
  return {
    allocations: [],
    tables: {
      shared: table(
        ['203.0.113.10/32', path('10.0.0.12', 2, [exportTag(0)]), path('10.0.0.11', 1, [exportTag(0)])],
        ['203.0.113.9/32', path('10.0.0.11', 1, [exportTag(7)])],
        ['2001:db8::1/128', path('2001:db8:1::11', 3, [exportTag(0)])],
      ),
      views: new Map([['plain-9', table(['203.0.113.9/32', path('10.0.0.13', 4)])]]),
    },
    sessions: {
      asn: 65000,
      routerId: address('10.0.0.7'),
      peers: [
        planned('plain', 9, {
          instance: { kind: 'view', name: 'plain-9', feedAddress: address('127.1.0.9') },
          addPath: { 4: false, 6: false },
        }),
        planned('tor-1', 7, { password: PLANTED, families: [4, 6] }),
        planned('tor-2', 8),
      ],
    },
    services: PersistentMap.from([
      [
        'default/web',
        {
          announced: true,
          reason: 'Advertised',
          prefixes: ['203.0.113.9/32'],
          nextHops: 2,
          remarks: ['MaxRoutes'],
        },
      ],
      ['default/wait', { announced: false, reason: 'NoAddress', prefixes: [], nextHops: 0, remarks: [] }],
    ]),
    peers: PersistentMap.from([
      ['tor-1', { accepted: true, reason: 'Accepted', message: '', instance: 'shared' }],
      ['tor-2', { accepted: true, reason: 'Accepted', message: '', instance: 'shared' }],
      ['plain', { accepted: true, reason: 'Accepted', message: '', instance: 'view' }],
      [
        'refused',
        { accepted: false, reason: 'DuplicatePeerAddress', message: 'tor-1 has it', instance: 'none' },
      ],
    ]),
    pools: PersistentMap.from([
      [
        'public',
        {
          accepted: true,
          reason: 'Accepted',
          message: '',
          counts: { 4: { assigned: 3, available: 253 }, 6: { assigned: 0, available: 0 } },
        },
      ],
    ]),
    advertisements: PersistentMap.empty(),
    peerRoutes: PersistentMap.from([['tor-1', { prefixes: 3, paths: 4, nextHopSets: 2, trimmedPaths: 1 }]]),
    unmet: PersistentMap.from([['default/wait', 'PoolExhausted']]),
    joining: [],
    heldNodes: new Set(),
    wakeAtMs: undefined,
  };
}

const explanation: Explanation = {
  service: 'default/web',
  verdict: {
    announced: true,
    reason: 'Advertised',
    prefixes: ['203.0.113.9/32'],
    nextHops: 2,
    remarks: ['MaxRoutes'],
  },
  checks: [
    { reason: 'NotLoadBalancer', passed: true },
    { reason: 'NoAddress', passed: true },
  ],
  addresses: [
    { address: address('203.0.113.9'), pool: 'public', advertisements: ['default'] },
    { address: address('203.0.113.200'), pool: undefined, advertisements: [] },
  ],
  nodes: [
    {
      node: 'n1',
      reason: 'NodeNotReady',
      checks: [{ reason: 'NodeNotReady', passed: false }],
      usableEndpoints: { 4: 2, 6: 0 },
    },
    { node: 'n2', reason: undefined, checks: [], usableEndpoints: { 4: 1, 6: 0 } },
  ],
  prefixes: [
    {
      prefix: '203.0.113.9/32',
      services: ['default/web'],
      peers: [
        {
          peer: 'tor-1',
          reason: undefined,
          advertisements: ['default'],
          nextHops: [{ nextHop: '10.0.0.11', attributes: path('10.0.0.11', 1, [exportTag(0)]).attributes }],
          leftOut: [{ node: 'n1', reason: 'NodeNotReady' }],
        },
        { peer: 'tor-2', reason: 'NoNextHop', advertisements: [], nextHops: [], leftOut: [] },
      ],
    },
  ],
};

function running(instance: string, four: number, six = 0): RunningPeer {
  return { instance, pathsSent: { 4: four, 6: six }, gracefulRestartNegotiated: false };
}

const replicas: Readonly<Record<string, HeraldReplicaStatus>> = {
  'herald-1': { role: 'Standby' },
  'herald-0': {
    role: 'Leader',
    term: 10,
    node: 'cp-1',
    version: '1.2.3',
    sessions: '1/2',
    prefixes: 3,
    routes: 4,
    nextHopSets: 2,
    lastContact: '2026-05-01T11:59:57Z',
    peers: [
      {
        name: 'tor-1',
        address: '192.0.2.1',
        state: 'Established',
        since: '2026-05-01T11:59:00Z',
        localAddress: '10.0.0.7',
        authenticated: 'MD5',
        fenced: 'Unknown',
        families: [
          { family: 'IPv4', addPath: true, gracefulRestart: false, pathsDesired: 3, pathsAdvertised: 2 },
          { family: 'IPv6', addPath: false, gracefulRestart: false },
        ],
        reason: 'NoAddPath',
        lastError: 'Hold Timer Expired',
        flaps: 3,
      },
      { name: 'tor-2', state: 'Active' },
    ],
    conditions: [
      {
        type: 'Ready',
        status: 'True',
        lastTransitionTime: '2026-05-01T11:00:00Z',
        reason: 'Ready',
        message: 'It is.',
      },
    ],
  },
};

const exchange: ExchangeView = {
  stale: false,
  heard: [
    {
      heardAtMs: NOW - 500,
      report: {
        replica: 'herald-1',
        instance: 'of-that-process',
        stale: true,
        ageMs: 7500,
        leading: false,
        term: 10,
        leaving: false,
        serves: ['192.0.2.1'],
      },
    },
  ],
  problems: new Map([['https://10.244.3.7:8443', 'no answer']]),
};

export const kubernetes: KubernetesView = {
  requests: [
    { verb: 'list', outcome: '200', count: 9 },
    { verb: 'patch', outcome: '409', count: 2 },
  ],
  watches: [
    { resource: 'services', freshAtMs: NOW - 1500 },
    { resource: 'nodes', freshAtMs: 0 },
  ],
  leaseRenewedAtMs: NOW - 500,
  writes: [{ kind: 'addresses', outcome: 'written', count: 7 }],
};

export function views(overrides: Partial<Views> = {}): Views {
  return {
    world: world(),
    decision: decision(),
    settings,
    loop: { ticks: 42, failedTicks: 1, pendingSinceMs: undefined },
    source: { kind: 'folder', synced: true, freshAtMs: NOW - 2500 },
    notReady: [],
    faults: [fault],
    feeds: [
      {
        name: 'shared',
        state: 'established',
        sinceMs: NOW - 1000,
        counters: { updatesSent: 5, prefixesSent: 9, withdrawnSent: 1, bytesSent: 700, sessionsLost: 2 },
      },
    ],
    leader: { holder: 'herald-0', sinceMs: NOW - 120_000 },
    replicas: new Map(Object.entries(replicas)),
    exchange,
    running: new Map([
      ['tor-1', running('shared', 3, 1)],
      ['plain', running('shared', 1)],
      ['old', running('shared', 1)],
    ]),
    keptTable: undefined,
    kubernetes: undefined,
    ...overrides,
  };
}

/** A server over the fixture at the fixture's time. */
export async function serve(overrides: Partial<Views> = {}): Promise<Server> {
  const current = views(overrides);
  return createServer(
    { current: () => current, explain: (key) => (current.world.services.has(key) ? explanation : undefined) },
    { version: '1.2.3', nowMs: () => NOW },
  );
}
