// Which nodes are next hops: policies, families, states of nodes and endpoints, Services that share or change.

import type { EndpointSlice, Service } from '@herald/api';
import { PersistentMap, address, prefix } from '@herald/net';
import { describe, expect, test } from 'vitest';
import { decide, emptyMemory } from '../../src/index.ts';
import type { World } from '../../src/index.ts';
import { decideScene, endpoints, node, reasons, sceneWorld, told } from './small-world.ts';
import type { NodeSpec, Scene, ServiceSpec } from './small-world.ts';

const V4 = '203.0.113.1/32';
const V6 = '2001:db8::1/128';

type Row = readonly [name: string, scene: Scene, expected: Record<string, string>, reason?: string];

/** One Service called web; where a reason is given, it is that of the Service. */
function check([, scene, expected, reason = 'Advertised']: Row): void {
  const { decision } = decideScene(scene);
  expect(told(decision)).toEqual(expected);
  expect(reasons(decision)['web']).toBe(reason);
}

const web = (spec: ServiceSpec): Scene => ({ services: { web: spec } });

const sharing = (spec: ServiceSpec, port: number): ServiceSpec => ({
  annotations: { 'heraldbgp.io/allow-shared-ip': 'together' },
  ports: [{ protocol: 'TCP', port }],
  ...spec,
});

function changeWeb(services: World['services'], by: Partial<Service>): World['services'] {
  return services.set('default/web', { ...services.get('default/web')!, ...by });
}

function changeSlice(slices: World['endpointSlices'], by: Partial<EndpointSlice>): World['endpointSlices'] {
  return slices.set('default/web-0', { ...slices.get('default/web-0')!, ...by });
}

const both = (one: ServiceSpec, two: ServiceSpec): Scene => ({
  services: { one: sharing(one, 80), two: sharing(two, 443) },
});

describe('policies and families', () => {
  const rows: Row[] = [
    ['Cluster: the nodes with endpoints', web({ on: 'a b b' }), { [V4]: 'a b' }],
    ['Local: the nodes with endpoints', web({ policy: 'Local', on: 'a b b' }), { [V4]: 'a b' }],
    ['IPv6', web({ ips: '2001:db8::1', on: 'a b' }), { [V6]: 'a b' }],
    ['dual stack', web({ ips: '203.0.113.1 2001:db8::1', on: 'a b' }), { [V4]: 'a b', [V6]: 'a b' }],
    [
      'dual stack with endpoints of one family only',
      web({ ips: '203.0.113.1 2001:db8::1', on: 'a', on6: '' }),
      { [V4]: 'a' },
    ],
    [
      'dual stack with different endpoints in each family',
      web({ ips: '203.0.113.1 2001:db8::1', on: 'a', on6: 'b' }),
      { [V4]: 'a', [V6]: 'b' },
    ],
    [
      'all nodes on request',
      { ...web({ on: 'a' }), ads: { x: { nextHops: { from: 'AllNodes' } } } },
      { [V4]: 'a b c d' },
    ],
    [
      'all nodes means nothing under Local',
      { ...web({ on: 'a', policy: 'Local' }), ads: { x: { nextHops: { from: 'AllNodes' } } } },
      { [V4]: 'a' },
    ],
    [
      'all nodes, and none has an endpoint',
      { ...web({ on: '' }), ads: { x: { nextHops: { from: 'AllNodes' } } } },
      {},
      'NoUsableEndpoint',
    ],
    [
      'all nodes, though the only endpoint sits on an excluded one',
      {
        ...web({ on: 'a' }),
        nodes: { a: { ready: 'False' }, b: {}, c: {} },
        ads: { x: { nextHops: { from: 'AllNodes' } } },
      },
      { [V4]: 'b c' },
    ],
  ];
  rows.forEach((row) => test(row[0], () => check(row)));
});

describe('endpoints', () => {
  const slices = (...of: NonNullable<ServiceSpec['slices']>): Scene => web({ slices: of });
  const rows: Row[] = [
    ['none', web({ on: '' }), {}, 'NoUsableEndpoint'],
    ['not ready counts not', web({ on: 'a b:off' }), { [V4]: 'a' }],
    ['ready counts even if it says it does not serve', web({ on: 'a:odd' }), { [V4]: 'a' }],
    [
      'serving but neither ready nor terminating never counts',
      web({ on: 'a:stuck' }),
      {},
      'NoUsableEndpoint',
    ],
    ['terminating and not serving never counts', web({ on: 'a:gone' }), {}, 'NoUsableEndpoint'],
    ['terminating counts if there is no ready one', web({ on: 'a:out b:off' }), { [V4]: 'a' }],
    [
      'Cluster: one ready one anywhere is enough to ignore terminating ones',
      web({ on: 'a:out b' }),
      { [V4]: 'b' },
    ],
    [
      'Local: a node that has only terminating ones goes where another has a ready one (ADR 7)',
      web({ policy: 'Local', on: 'a:out b b:out' }),
      { [V4]: 'b' },
    ],
    [
      'Local: terminating ones count where no node has a ready one',
      web({ policy: 'Local', on: 'a:out b:out c:off' }),
      { [V4]: 'a b' },
    ],
    [
      'Local: what is ready on a node that is out relieves nobody',
      { ...web({ policy: 'Local', on: 'a:out b' }), nodes: { a: {}, b: { ready: 'False' } } },
      { [V4]: 'a' },
    ],
    [
      'Local: nor does what is ready on a node that no advertisement selects',
      {
        ...web({ policy: 'Local', on: 'a:out b' }),
        nodes: { a: { labels: { rack: '1' } }, b: { labels: { rack: '2' } } },
        ads: { x: { nodeSelectors: [{ matchLabels: { rack: '1' }, matchExpressions: [] }] } },
      },
      { [V4]: 'a' },
    ],
    [
      'publishNotReadyAddresses: what the slice says decides, as for kube-proxy',
      web({ on: 'a:off', publishNotReadyAddresses: true }),
      {},
      'NoUsableEndpoint',
    ],
    [
      'an address that is ready in one slice and not in another is ready',
      slices({ endpoints: endpoints('a:off') }, { endpoints: endpoints('a') }),
      { [V4]: 'a' },
    ],
    [
      'several slices add up',
      slices(
        { endpoints: endpoints('a') },
        { endpoints: [{ ...endpoints('b')[0]!, address: '172.16.0.9' }] },
      ),
      { [V4]: 'a b' },
    ],
    [
      'FQDN slices are nothing',
      slices({ family: undefined, endpoints: endpoints('a') }),
      {},
      'NoUsableEndpoint',
    ],
    [
      'a slice of the other family is nothing',
      slices({ family: 6, endpoints: endpoints('a', 6) }),
      {},
      'NoUsableEndpoint',
    ],
    [
      'an IPv6 address in an IPv4 slice is nothing',
      slices({ family: 4, endpoints: endpoints('a', 6) }),
      {},
      'NoUsableEndpoint',
    ],
    [
      'a slice of nobody is nothing',
      slices({ serviceKey: '', endpoints: endpoints('a') }),
      {},
      'NoUsableEndpoint',
    ],
    [
      'a slice of another Service is nothing',
      slices({ serviceKey: 'default/x', endpoints: endpoints('a') }),
      {},
      'NoUsableEndpoint',
    ],
    ['Cluster, no node named: all nodes', web({ on: '- -', selector: '' }), { [V4]: 'a b c d' }],
    ['Local, no node named: none', web({ on: '- -', selector: '', policy: 'Local' }), {}, 'NoUsableEndpoint'],
    ['some name a node: those', web({ on: '- b' }), { [V4]: 'b' }],
    [
      'some name a node, but that cannot be used: all that can',
      { ...web({ on: '- b' }), nodes: { a: {}, b: { ready: 'False' }, c: {} } },
      { [V4]: 'a c' },
    ],
    ['an endpoint on a node that does not exist', web({ on: 'a z' }), { [V4]: 'a' }],
    ['only such endpoints', web({ on: 'z' }), {}, 'NoNextHop'],
  ];
  rows.forEach((row) => test(row[0], () => check(row)));
});

describe('a node leaves when it', () => {
  const rows: (readonly [string, NodeSpec])[] = [
    ['is being deleted', { deleting: true }],
    ['is not Ready', { ready: 'False' }],
    ['is Unknown', { ready: 'Unknown' }],
    ['has no network', { networkUnavailable: true }],
    [
      'is excluded by label, whatever its value',
      { labels: { 'node.kubernetes.io/exclude-from-external-load-balancers': 'false' } },
    ],
    [
      'is to be removed by the cluster autoscaler',
      { taints: [{ key: 'ToBeDeletedByClusterAutoscaler', effect: 'NoSchedule' }] },
    ],
    ['is to be removed by Karpenter', { taints: [{ key: 'karpenter.sh/disrupted', effect: 'NoSchedule' }] }],
    ['is out of service', { taints: [{ key: 'node.kubernetes.io/out-of-service', effect: 'NoExecute' }] }],
    ['has no address of the family', { ips: 'fd00::2' }],
    ['has only an address that no router can use', { ips: '169.254.1.1 127.0.0.1' }],
    ['has an external address only', { ips: '', external: '10.0.0.2' }],
  ];
  test.each(rows)('%s; the others stay', (_name, spec) => {
    const scene = { ...web({ on: 'a b c', policy: 'Local' }), nodes: { a: {}, b: spec, c: {} } } as const;
    expect(told(decideScene(scene).decision)).toEqual({ [V4]: 'a c' });
    expect(told(decideScene({ ...scene, ...web({ on: 'b' }) }).decision)).toEqual({});
  });

  const stays: [string, NodeSpec, Scene['settings']?][] = [
    ['is cordoned', { unschedulable: true }],
    ['has some other taint', { taints: [{ key: 'dedicated', effect: 'NoSchedule' }] }],
    [
      'is excluded by a label that is not honoured',
      { labels: { 'node.kubernetes.io/exclude-from-external-load-balancers': '' } },
      { excludeLabelHonoured: false },
    ],
  ];
  test.each(stays)(
    'but stays when it %s',
    (...[, spec, settings = {}]: [string, NodeSpec, Scene['settings']?]) => {
      const { decision } = decideScene({ ...web({ on: 'a b' }), nodes: { a: {}, b: spec }, settings });
      expect(told(decision)).toEqual({ [V4]: 'a b' });
    },
  );

  test('and is cordoned, on request', () => {
    const { decision } = decideScene({
      ...web({ on: 'a b' }),
      nodes: { a: {}, b: { unschedulable: true } },
      settings: { cordonedNodesLeave: true },
    });
    expect(told(decision)).toEqual({ [V4]: 'a' });
  });
});

describe('addresses of a node', () => {
  const rows: (readonly [string, NodeSpec])[] = [
    ['IPv4 first', { ips: '10.0.0.1 fd00::1' }],
    ['IPv6 first', { ips: 'fd00::1 10.0.0.1' }],
    ['of several the first of its family', { ips: 'fd00::1 10.0.0.1 fd00::9 10.0.0.9' }],
    ['external ones are for peers that ask for them', { external: '192.0.2.9' }],
    ['a link-local one first', { ips: 'fe80::1 fd00::1 169.254.0.1 10.0.0.1' }],
  ];
  test.each(rows)('%s', (_name, spec) => {
    const { decision } = decideScene({
      ...web({ ips: '203.0.113.1 2001:db8::1', on: 'a' }),
      nodes: { a: spec },
    });
    expect(told(decision)).toEqual({ [V4]: 'a', [V6]: 'a' });
  });

  test('two nodes with one address are one next hop', () => {
    const { decision } = decideScene({ ...web({ on: 'a b' }), nodes: { a: {}, b: { ips: '10.0.0.1' } } });
    expect(told(decision)).toEqual({ [V4]: 'a' });
  });

  test('each peer is given the address that it asks for', () => {
    const { decision } = decideScene({
      ...web({ on: 'a b' }),
      nodes: {
        a: {
          ips: '10.0.0.1 192.0.2.11',
          external: '198.18.0.1',
          annotations: { 'example.com/fabric': 'fd00::aa, 198.19.0.1' },
        },
        b: { annotations: { 'example.com/fabric': 'nonsense 198.19.0.2' } },
      },
      peers: {
        tor: {},
        external: { nextHop: { type: 'ExternalIP', annotation: undefined, cidrs: [] } },
        annotated: { nextHop: { type: 'Annotation', annotation: 'example.com/fabric', cidrs: [] } },
        inside: { nextHop: { type: 'InternalIP', annotation: undefined, cidrs: [prefix('192.0.2.0/24')] } },
      },
    });
    expect(told(decision, 'tor')).toEqual({ [V4]: 'a b' });
    expect(told(decision, 'external')).toEqual({ [V4]: '198.18.0.1' });
    expect(told(decision, 'annotated')).toEqual({ [V4]: '198.19.0.1 198.19.0.2' });
    expect(told(decision, 'inside')).toEqual({ [V4]: '192.0.2.11' });
  });
});

describe('a Service is not announced when it', () => {
  const rows: [reason: string, spec: ServiceSpec, scene?: Scene][] = [
    ['NotLoadBalancer', { type: 'ClusterIP' }],
    ['NotOurClass', { loadBalancerClass: 'example.com/other' }],
    ['ServiceDeleted', { deleting: true }],
    ['NoAddress', { ips: '' }, { settings: { ipam: false } }],
    ['AddressNotOurs', { ips: '198.18.0.1' }],
    [
      'AddressNotInPool',
      { ips: '198.18.0.1', annotations: { 'heraldbgp.io/allocated-addresses': '198.18.0.1' } },
    ],
    ['NoAdvertisement', {}, { ads: {} }],
    ['NoUsableEndpoint', { on: '' }],
    ['NoNextHop', {}, { nodes: { a: { ready: 'False' } } }],
    ['NoPeer', {}, { peers: {} }],
    ['NoPeer', {}, { peers: { tor: { families: [6] } } }],
  ];
  test.each(rows)('%s', (...[reason, spec, scene = {}]: [string, ServiceSpec, Scene?]) => {
    const { decision } = decideScene({ services: { web: { on: 'a', ...spec } }, ...scene });
    expect(told(decision)).toEqual({});
    expect(decision.services.get('default/web')).toMatchObject({
      announced: false,
      reason,
      prefixes: [],
      nextHops: 0,
    });
  });

  test('with a class set, only that class is ours', () => {
    const { decision } = decideScene({
      services: {
        web: { on: 'a', loadBalancerClass: 'example.com/ours' },
        plain: { on: 'a', ips: '203.0.113.2' },
      },
      settings: { loadBalancerClass: 'example.com/ours' },
    });
    expect(reasons(decision)).toEqual({ web: 'Advertised', plain: 'NotOurClass' });
  });

  test('addresses of another IPAM are announced as they are', () => {
    const { decision } = decideScene({ ...web({ on: 'a', ips: '198.18.0.1' }), settings: { ipam: false } });
    expect(told(decision)).toEqual({ '198.18.0.1/32': 'a' });
  });
});

describe('Services that share an address', () => {
  const rows: (readonly [string, ServiceSpec, ServiceSpec, string])[] = [
    ['Cluster: any node forwards for both', { on: 'a' }, { on: 'b' }, 'a b'],
    ['Local with the same nodes', { on: 'a b', policy: 'Local' }, { on: 'a b', policy: 'Local' }, 'a b'],
    [
      'Local: only nodes that serve both',
      { on: 'a b', policy: 'Local' },
      { on: 'b c', policy: 'Local' },
      'b',
    ],
    [
      'Local: a node goes when only terminating endpoints of one of them are left there',
      { on: 'a b', policy: 'Local' },
      { on: 'a:out b', policy: 'Local' },
      'b',
    ],
    [
      'Local: each node has only terminating endpoints of one of them',
      { on: 'a:out b', policy: 'Local' },
      { on: 'a b:out', policy: 'Local' },
      'a b',
    ],
    ['one without endpoints', { on: 'a' }, { on: '' }, 'a'],
    ['one that nodes cannot serve', { on: 'a' }, { on: 'z' }, 'a'],
  ];
  test.each(rows)('%s', (_name, one, two, expected) => {
    expect(told(decideScene(both(one, two)).decision)).toEqual({ [V4]: expected });
  });

  test('Local without a common node: nobody could serve both', () => {
    const { decision } = decideScene(both({ on: 'a', policy: 'Local' }, { on: 'b', policy: 'Local' }));
    expect(told(decision)).toEqual({});
    expect(reasons(decision)).toEqual({ one: 'NoNextHop', two: 'NoNextHop' });
  });

  test('without leave to share, only one of them is announced', () => {
    const { decision } = decideScene({ services: { one: { on: 'a' }, two: { on: 'b' } } });
    expect(told(decision)).toEqual({ [V4]: 'a' });
    expect(reasons(decision)).toEqual({ one: 'Advertised', two: 'AddressConflict' });
  });

  test('deleting one keeps the other', () => {
    const world = sceneWorld(both({ on: 'a' }, { on: 'b' }));
    const { memory } = decide(world, emptyMemory());
    const after = decide({ ...world, services: world.services.delete('default/one') }, memory);
    expect(told(after.decision)).toEqual({ [V4]: 'b' });
    expect(after.decision.services.has('default/one')).toBe(false);
  });
});

describe('changes', () => {
  const scene: Scene = { services: { web: { on: 'a' }, other: { on: 'c', ips: '203.0.113.2' } } };
  const world = sceneWorld(scene);
  const start = decide(world, emptyMemory());
  const other = { '203.0.113.2/32': 'c' };

  const rows: (readonly [string, (of: World) => Partial<World>, Record<string, string>])[] = [
    [
      'Local scaled up',
      ({ endpointSlices: of }) => ({ endpointSlices: changeSlice(of, { endpoints: endpoints('a b') }) }),
      { [V4]: 'a b', ...other },
    ],
    [
      'the last endpoint goes',
      ({ endpointSlices: of }) => ({ endpointSlices: of.delete('default/web-0') }),
      other,
    ],
    [
      'a slice is moved to another Service',
      ({ endpointSlices: of }) => ({ endpointSlices: changeSlice(of, { serviceKey: 'default/other' }) }),
      { '203.0.113.2/32': 'a c' },
    ],
    ['the node goes', ({ nodes }) => ({ nodes: nodes.delete('a') }), other],
    ['the node of nobody goes', ({ nodes }) => ({ nodes: nodes.delete('d') }), { [V4]: 'a', ...other }],
    [
      'the node gets another address',
      ({ nodes }) => ({ nodes: nodes.set('a', node('a', { ips: '10.0.0.9' })) }),
      { [V4]: 'i', ...other },
    ],
    [
      'the node is not Ready',
      ({ nodes }) => ({ nodes: nodes.set('a', node('a', { ready: 'False' })) }),
      other,
    ],
    [
      'the Service is of another type',
      ({ services }) => ({ services: changeWeb(services, { type: 'NodePort' }) }),
      other,
    ],
    [
      'the Service is of another class',
      ({ services }) => ({ services: changeWeb(services, { loadBalancerClass: 'x/y' }) }),
      other,
    ],
    [
      'the Service is being deleted',
      ({ services }) => ({ services: changeWeb(services, { deleting: true }) }),
      other,
    ],
    [
      'the Service gets another address',
      ({ services }) => ({ services: changeWeb(services, { ingress: [address('203.0.113.7')] }) }),
      { '203.0.113.7/32': 'a', ...other },
    ],
    ['the last advertisement goes', () => ({ advertisements: PersistentMap.empty() }), {}],
    ['the pool goes', () => ({ pools: PersistentMap.empty() }), {}],
  ];
  test.each(rows)('%s', (_name, changed, expected) => {
    const after = { ...world, ...changed(world) };
    expect(told(decide(after, start.memory).decision)).toEqual(expected);
    const back = decide(world, decide(after, start.memory).memory);
    expect(told(back.decision)).toEqual(told(start.decision));
  });

  test('a node that comes takes part at once where endpoints wait for it', () => {
    const before = { ...world, nodes: world.nodes.delete('a') };
    const { memory } = decide(before, emptyMemory());
    expect(told(decide(world, memory).decision)).toEqual({ [V4]: 'a', ...other });
  });

  test('a change to one Service leaves the entries of the others the same objects', () => {
    const after = decide(
      { ...world, endpointSlices: changeSlice(world.endpointSlices, { endpoints: endpoints('b') }) },
      start.memory,
    );
    const [was, is] = [start.decision.tables.shared, after.decision.tables.shared];
    expect(is.changedKeys(was)).toEqual([V4]);
    expect(is.get('203.0.113.2/32')).toBe(was.get('203.0.113.2/32'));
    expect(after.decision.services.get('default/other')).toBe(start.decision.services.get('default/other'));
  });

  const moot: (readonly [string, (of: World) => Partial<World>])[] = [
    ['time', () => ({ now: 1_000_000 })],
    ['a take-over', () => ({ leadership: { leading: false, term: 2000 } })],
    ['a label of a node', ({ nodes }) => ({ nodes: nodes.set('a', node('a', { labels: { x: 'y' } })) })],
    [
      'an annotation of a node',
      ({ nodes }) => ({ nodes: nodes.set('a', node('a', { annotations: { x: 'y' } })) }),
    ],
    ['an object that is equal', ({ services }) => ({ services: changeWeb(services, {}) })],
    [
      'an endpoint that cannot serve',
      ({ endpointSlices: of }) => ({ endpointSlices: changeSlice(of, { endpoints: endpoints('a b:off') }) }),
    ],
  ];
  test.each(moot)('%s changes nothing', (_name, changed) => {
    const { decision } = decide({ ...world, ...changed(world) }, start.memory);
    expect(decision.tables).toBe(start.decision.tables);
    expect(decision.services).toBe(start.decision.services);
    expect(decision.peerRoutes).toBe(start.decision.peerRoutes);
    expect(decision.advertisements).toBe(start.decision.advertisements);
  });
});
