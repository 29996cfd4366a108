// Every word that a decision can say, each shown once with the smallest scene that makes it say it, and where
// it is said: of a Service, as a remark, of a node, a peer, a pool, an advertisement or a write. Words that
// belong to other packages are listed by name, so that a new word has to be put in one list or the other.

import { REASONS, secretData } from '@herald/api';
import type { Reason } from '@herald/api';
import { PersistentMap, community } from '@herald/net';
import { describe, expect, test } from 'vitest';
import { decide, emptyMemory, explain } from '../src/index.ts';
import type { World } from '../src/index.ts';
import { secret } from './peers/peer-objects.ts';
import { sceneWorld } from './routes/small-world.ts';
import type { Scene, ServiceSpec } from './routes/small-world.ts';

type Place =
  | 'service'
  | 'remark'
  | 'node'
  | 'next hop'
  | 'route'
  | 'peer'
  | 'pool'
  | 'advertisement'
  | 'write';

const NO = [{ matchLabels: { no: 'no' }, matchExpressions: [] }];
const ask = (name: string, value: string): ServiceSpec => ({
  ips: '',
  on: 'a',
  annotations: { [`heraldbgp.io/${name}`]: value },
});
const share = (key: string, spec: ServiceSpec): ServiceSpec => ({
  on: 'a',
  ...spec,
  annotations: { 'heraldbgp.io/allow-shared-ip': key, ...spec.annotations },
});
const wants = (key: string, spec: ServiceSpec = {}): ServiceSpec =>
  share(key, { ips: '', annotations: { 'heraldbgp.io/load-balancer-ips': '203.0.113.1' }, ...spec });

const web = (spec: ServiceSpec, more: Scene = {}): Scene => ({
  ...more,
  services: { web: spec, ...more.services },
});
const onBad = (of: NonNullable<Scene['nodes']>[string], settings: Scene['settings'] = {}): Scene =>
  web({ on: 'a' }, { nodes: { a: of, b: {} }, settings });
const taint = (key: string) => ({ taints: [{ key, effect: 'NoSchedule' }] });
const OLD: ServiceSpec = { on: 'a', createdAt: -1, uid: 'uid-0' };
const TINY = { wide: { ranges: '203.0.113.1' } };

const SAID: (readonly [Reason, Place, Scene])[] = [
  ['NotLoadBalancer', 'service', web({ on: 'a', type: 'NodePort' })],
  ['NotLoadBalancer', 'write', web({ on: 'a', type: 'NodePort' })],
  ['NotOurClass', 'service', web({ on: 'a', loadBalancerClass: 'x' })],
  ['ServiceDeleted', 'service', web({ on: 'a', deleting: true })],
  ['NoAddress', 'service', web({ on: 'a', ips: '' })],
  [
    'AddressNotInPool',
    'service',
    web({ on: 'a', ips: '198.18.0.1', annotations: { 'heraldbgp.io/allocated-addresses': '198.18.0.1' } }),
  ],
  ['AddressNotInPool', 'service', web(ask('load-balancer-ips', '198.18.0.1'))],
  [
    'AddressNotInPool',
    'write',
    web(
      { on: 'a', ips: '198.18.0.1', annotations: { 'heraldbgp.io/allocated-addresses': '198.18.0.1' } },
      { pools: {} },
    ),
  ],
  ['NoAdvertisement', 'service', web({ on: 'a' }, { ads: {} })],
  [
    'NoAdvertisement',
    'route',
    web({ on: 'a' }, { ads: { it: { peers: ['x'] } }, peers: { tor: {}, x: {} } }),
  ],
  ['NoPeer', 'service', web({ on: 'a' }, { peers: {} })],
  ['NoUsableEndpoint', 'service', web({ on: 'a:off' })],
  ['NoNextHop', 'service', onBad({ ips: '' })],
  ['NoNextHop', 'route', onBad({ ips: '' })],
  ['AddressConflict', 'service', web({ on: 'a' }, { services: { elder: OLD } })],
  ['AddressConflict', 'write', web({ on: 'a' }, { services: { elder: OLD }, pools: TINY })],
  ['AddressNotOurs', 'service', web({ on: 'a', ips: '198.18.0.1' })],
  ['PoolExhausted', 'service', web({ on: 'a', ips: '' }, { services: { elder: OLD }, pools: TINY })],
  ['PoolExhausted', 'pool', web({ on: 'a' }, { pools: TINY })],
  ['NoPool', 'service', web({ on: 'a', ips: '' }, { pools: {} })],
  ['PoolUnknown', 'service', web(ask('address-pool', 'nowhere'))],
  [
    'PoolNotAllowed',
    'service',
    web(ask('address-pool', 'wide'), {
      pools: {
        wide: {
          ranges: '203.0.113.0/24',
          serviceAllocation: { priority: 0, namespaces: ['x'], namespaceSelectors: [], serviceSelectors: [] },
        },
      },
    }),
  ],
  [
    'PoolOverlaps',
    'service',
    web(ask('address-pool', 'young'), {
      pools: { old: { ranges: '203.0.113.0/24' }, young: { ranges: '203.0.113.0/25', createdAt: 1 } },
    }),
  ],
  [
    'PoolOverlaps',
    'pool',
    { pools: { old: { ranges: '203.0.113.0/24' }, young: { ranges: '203.0.113.0/25', createdAt: 1 } } },
  ],
  ['AddressInUse', 'service', web(wants('', {}), { services: { elder: OLD } })],
  ['RequestInvalid', 'service', web(ask('load-balancer-ips', 'nonsense'))],
  [
    'RequestConflict',
    'service',
    web({ ...ask('load-balancer-ips', '203.0.113.1'), loadBalancerIP: '203.0.113.2' }),
  ],
  ['WrongFamily', 'service', web(ask('load-balancer-ips', '2001:db8::1'))],
  [
    'NoAddressOfServiceFamily',
    'service',
    web({ on: 'a', ips: '', ipFamilies: [6] }, { pools: { v4: { ranges: '203.0.113.0/24' } } }),
  ],
  ['SharingKeyDiffers', 'service', web(wants('k'), { services: { elder: share('l', OLD) } })],
  ['SharingPortClash', 'service', web(wants('k'), { services: { elder: share('k', OLD) } })],
  [
    'SharingPolicyClash',
    'service',
    web(wants('k', { policy: 'Local', ports: [{ protocol: 'TCP', port: 443 }] }), {
      services: { elder: share('k', OLD) },
    }),
  ],
  [
    'RequestInvalid',
    'remark',
    web({ on: 'a', annotations: { 'heraldbgp.io/load-balancer-ips': 'nonsense' } }),
  ],
  ['PoolUnknown', 'remark', web({ on: 'a', annotations: { 'heraldbgp.io/address-pool': 'nowhere' } })],
  ['NodeDeleted', 'node', onBad({ deleting: true })],
  ['NodeUnknown', 'node', web({ on: 'a z' })],
  ['NodeNotReady', 'node', onBad({ ready: 'Unknown' })],
  ['NetworkUnavailable', 'node', onBad({ networkUnavailable: true })],
  [
    'ExcludedByLabel',
    'node',
    onBad({ labels: { 'node.kubernetes.io/exclude-from-external-load-balancers': '' } }),
  ],
  ['TaintedForRemoval', 'node', onBad(taint('ToBeDeletedByClusterAutoscaler'))],
  ['TaintedOutOfService', 'node', onBad(taint('node.kubernetes.io/out-of-service'))],
  ['Cordoned', 'node', onBad({ unschedulable: true }, { cordonedNodesLeave: true })],
  ['NodeNotReady', 'next hop', web({ on: 'a b' }, { nodes: { a: {}, b: { ready: 'False' } } })],
  ['NotSelected', 'next hop', web({ on: 'a' }, { ads: { it: { nodeSelectors: NO } } })],
  ['NoAddressOfFamily', 'next hop', web({ on: 'a b' }, { nodes: { a: {}, b: { ips: 'fd00::2' } } })],
  ['NoEndpointOnNode', 'next hop', web({ on: 'a' })],
  ['EndpointsTerminating', 'next hop', web({ policy: 'Local', on: 'a b:out' })],
  ['OverNextHopLimit', 'next hop', web({ on: 'a b' }, { ads: { it: { nextHops: { max: 1 } } } })],
  ['CoversInfrastructure', 'service', web({ on: 'a' }, { nodes: { a: {}, b: { ips: '203.0.113.1' } } })],
  ['CoversInfrastructure', 'route', web({ on: 'a' }, { nodes: { a: {}, b: { ips: '203.0.113.1' } } })],
  ['AdvertisementConflict', 'service', web({ on: 'a' }, { ads: { one: { med: 1 }, two: { med: 2 } } })],
  ['AdvertisementConflict', 'route', web({ on: 'a' }, { ads: { one: { med: 1 }, two: { med: 2 } } })],
  ['AdvertisementConflict', 'advertisement', web({ on: 'a' }, { ads: { one: { med: 1 }, two: { med: 2 } } })],
  ['AggregateUnsafe', 'advertisement', web({ on: 'a' }, { ads: { it: { aggregation: { length: 24 } } } })],
  [
    'MoreSpecificNeeded',
    'remark',
    {
      services: {
        web: { on: 'a b', policy: 'Local' },
        other: { on: 'b', policy: 'Local', ips: '203.0.113.2' },
      },
      ads: { it: { aggregation: { length: 24, unassigned: 'RouterDiscards' } } },
    },
  ],
  [
    'NextHopSetLimit',
    'remark',
    {
      services: { elder: { on: 'b', ips: '203.0.113.2', createdAt: -1 }, web: { on: 'a' } },
      peers: { tor: { maxNextHopSets: 1 } },
    },
  ],
  ['MaxRoutes', 'remark', web({ on: 'a b' }, { peers: { tor: { maxRoutes: 1 } } })],
  ['MaxRoutes', 'service', web({ on: 'a b' }, { peers: { tor: { maxRoutes: 0 } } })],
  ['MaxRoutes', 'route', web({ on: 'a b' }, { peers: { tor: { maxRoutes: 0 } } })],
  ['FamilyNotNegotiated', 'route', web({ on: 'a' }, { peers: { tor: { families: [6] } } })],
  ['DuplicatePeerAddress', 'peer', { peers: { a: {}, b: { address: '198.51.100.1' } } }],
  ['SecretMissing', 'peer', { peers: { tor: { passwordSecret: { name: 'x', key: 'y' } } } }],
  ['SecretInvalid', 'peer', { peers: { tor: { passwordSecret: { name: 'herald-bgp', key: 'empty' } } } }],
  ['PeerShutdown', 'peer', { peers: { tor: { shutdown: true } } }],
  ['StandingBy', 'peer', { leadership: { leading: false }, settings: { standbyMode: 'Warm' } }],
  ['ReplicaNotSelected', 'peer', { peers: { tor: { replicaSelector: NO[0] } } }],
  ['NoAddPath', 'peer', { peers: { tor: { offers: { 4: false, 6: false } } } }],
  ['ReservedCommunity', 'advertisement', { ads: { it: { communities: [community('4294967295:0:1')] } } }],
  ['LocalPrefNotSent', 'advertisement', web({ on: 'a' }, { ads: { it: { localPref: 200 } } })],
  ['SelectsNothing', 'advertisement', { ads: { it: { pools: ['nowhere'] } } }],
];

/** Said only after something has happened; see the stories of joining, of stale replicas and of the guard. */
const IN_TIME: readonly Reason[] = ['JoinPending', 'StaleReplica', 'HeldByGuard'];

/** Said by others: sessions by `frr` and the controller, holds by the probes, faults by `api`. */
const OF_OTHERS: readonly Reason[] = [
  'PoolRemoved',
  'NotLeading',
  'ProbeFailed',
  'SessionDown',
  'SessionCollision',
  'RouteLimitReached',
  'AsnMismatch',
  'Invalid',
  'UnknownField',
  'Unreadable',
  'DuplicateObject',
  'ApiUnreachable',
  'Forbidden',
  'SuspectList',
];

function worldOf(scene: Scene): World {
  const empty = { ...secret('herald-bgp', {}), data: secretData([['empty', '']]) };
  return { ...sceneWorld(scene), secrets: PersistentMap.from([[empty.key, empty]]) };
}

/** All words that are said in one place. */
function wordsIn(place: Place, scene: Scene): (string | undefined)[] {
  const world = worldOf(scene);
  const { decision } = decide(world, emptyMemory());
  const explanation = explain(world, emptyMemory(), 'default/web');
  const routes = explanation?.prefixes.flatMap(({ peers }) => peers) ?? [];
  const words: Readonly<Record<Place, () => (string | undefined)[]>> = {
    service: () => [decision.services.get('default/web')?.reason],
    remark: () => [...(decision.services.get('default/web')?.remarks ?? [])],
    node: () => explanation?.nodes.map(({ reason }) => reason) ?? [],
    'next hop': () => routes.flatMap(({ leftOut }) => leftOut.map(({ reason }) => reason)),
    route: () => routes.map(({ reason }) => reason),
    peer: () => Array.from(decision.peers.values(), ({ reason }) => reason),
    pool: () => Array.from(decision.pools.values(), ({ reason }) => reason),
    advertisement: () => Array.from(decision.advertisements.values(), ({ reason }) => reason),
    write: () => decision.allocations.map((each) => (each.kind === 'take' ? each.reason : undefined)),
  };
  return words[place]();
}

describe('a word is said', () => {
  test.each(SAID)('%s of a %s', (reason, place, scene) => {
    expect(wordsIn(place, scene)).toContain(reason);
  });

  test.each(SAID)('%s of a %s: not when all is well', (reason, place) => {
    expect(wordsIn(place, web({ on: 'a b c d' }))).not.toContain(reason);
  });

  test.each(SAID.filter(([, place]) => place === 'service'))(
    '%s of a %s: and nothing is announced',
    (_reason, _place, scene) => {
      const { decision } = decide(worldOf(scene), emptyMemory());
      expect(decision.services.get('default/web')).toMatchObject({
        announced: false,
        prefixes: [],
        remarks: [],
      });
    },
  );

  test.each(SAID.filter(([, place]) => place === 'remark'))(
    '%s of a %s: and yet it is announced',
    (_reason, _place, scene) => {
      const { decision } = decide(worldOf(scene), emptyMemory());
      expect(decision.services.get('default/web')).toMatchObject({ announced: true, reason: 'Advertised' });
    },
  );
});

test('what a Service lacks is said whether it is announced or not', () => {
  const { decision } = decide(
    worldOf({
      services: {
        web: { on: 'a', annotations: { 'heraldbgp.io/address-pool': 'nowhere' } },
        bare: ask('address-pool', 'nowhere'),
        fine: { on: 'a', ips: '203.0.113.9' },
      },
    }),
    emptyMemory(),
  );
  expect(Object.fromEntries(decision.unmet)).toEqual({
    'default/bare': 'PoolUnknown',
    'default/web': 'PoolUnknown',
  });
});

describe('the list of words', () => {
  const said = new Set(SAID.map(([reason]) => reason));

  test('has none that is neither said here nor by others', () => {
    const known = new Set<string>([...said, ...IN_TIME, ...OF_OTHERS]);
    expect(Object.keys(REASONS).filter((word) => !known.has(word))).toEqual([]);
  });

  test('has none that is said here and left to others', () => {
    expect(OF_OTHERS.filter((word) => said.has(word))).toEqual([]);
  });
});
