// Which next hops routers have for which endpoints (CASES A1, A2, A5, A6): policies and families, shared
// addresses, states of endpoints and their slices, Services that stop being ours - also while nobody watches.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import {
  DUAL_STACK,
  advertisement,
  service,
  slice,
  slices,
  type EndpointFields,
  type Manifest,
} from '../support/manifests.ts';
import { RoutesLab } from '../support/routes-lab.ts';
import { both, dualStack, on, serviceAddresses, v4, v6, type Expected } from '../support/service-address.ts';

const WEB = 1;
const API = 2;
const EXTRA = 3;
const OTHER_PORT = 8080;

let lab: RoutesLab;

beforeAll(async () => {
  lab = await RoutesLab.open({ name: 'endpoints', workers: 4, serves: [WEB, API, EXTRA] });
  lab.manifests.write('default', advertisement('default', { ipAddressPools: ['public'] }));
});

afterAll(() => lab.close());

type Row = [title: string, objects: readonly Manifest[], expected: Expected, reason?: string];

/** One Service called web; where a reason is given, the API gives it too. */
async function check([, objects, expected, reason]: Row): Promise<void> {
  await lab.served(objects, expected);
  if (reason !== undefined) {
    await lab.says('web', reason);
  }
}

const local = { externalTrafficPolicy: 'Local' };
const only = (family: 'IPv4' | 'IPv6') => ({ ipFamilies: [family], ipFamilyPolicy: 'SingleStack' });

function single(family: 'IPv4' | 'IPv6', workers: readonly string[], spec = {}): Manifest[] {
  const address = serviceAddresses(WEB)[family === 'IPv4' ? 0 : 1];
  return [
    service('web', { addresses: [address], spec: { ...only(family), ...spec } }),
    slice('web', workers, family),
  ];
}

describe('A1: policies and families', () => {
  const rows: Row[] = [
    ['Cluster, IPv4', single('IPv4', on(0, 1, 1)), v4(WEB, [0, 1])],
    ['Cluster, IPv6', single('IPv6', on(0, 1, 1)), v6(WEB, [0, 1])],
    ['Cluster, dual stack', dualStack('web', WEB, on(1, 2)), both(WEB, [1, 2])],
    ['Local, IPv4', single('IPv4', on(2, 3, 3), local), v4(WEB, [2, 3])],
    ['Local, IPv6', single('IPv6', on(2, 3, 3), local), v6(WEB, [2, 3])],
    ['Local, dual stack', dualStack('web', WEB, on(0, 3), { spec: local }), both(WEB, [0, 3])],
    [
      'dual stack with different endpoints in each family',
      [
        service('web', { addresses: serviceAddresses(WEB), spec: DUAL_STACK }),
        slice('web', on(1, 2), 'IPv4'),
        slice('web', on(3), 'IPv6'),
      ],
      { ...v4(WEB, [1, 2]), ...v6(WEB, [3]) },
    ],
    [
      'dual stack with endpoints of one family only',
      [service('web', { addresses: serviceAddresses(WEB), spec: DUAL_STACK }), slice('web', on(1), 'IPv4')],
      v4(WEB, [1]),
    ],
    [
      'addresses that Herald gives itself',
      [
        service('web', {
          annotations: { 'heraldbgp.io/load-balancer-ips': serviceAddresses(WEB).join(',') },
          spec: DUAL_STACK,
        }),
        ...slices('web', on(0, 2)),
      ],
      both(WEB, [0, 2]),
    ],
  ];
  test.each(rows)('A1: %s', (...row: Row) => check(row));

  test('A1: Local scaled from one node to two and back', async () => {
    for (const nodes of [[1], [1, 2], [1]]) {
      await lab.served(dualStack('web', WEB, on(...nodes), { spec: local }), both(WEB, nodes));
    }
  });
});

describe('A2: two Services that share an address', () => {
  const sharing = { 'heraldbgp.io/allow-shared-ip': 'together' };
  const onPort = (port: number) => ({
    annotations: sharing,
    spec: { ports: [{ port, protocol: 'TCP' }], selector: { app: 'same' } },
  });
  const one = (nodes: readonly string[], spec = {}) =>
    dualStack('one', WEB, nodes, { ...onPort(80), spec: { ...onPort(80).spec, ...spec } });
  const two = (nodes: readonly string[], spec = {}) =>
    dualStack('two', WEB, nodes, { ...onPort(OTHER_PORT), spec: { ...onPort(OTHER_PORT).spec, ...spec } });
  const otherTargets = serviceAddresses(WEB).map((address) => ({ address, port: OTHER_PORT }));

  beforeAll(async () => {
    for (const worker of lab.topology.workers) {
      for (const { address, port } of otherTargets) await worker.listen(address, { port });
    }
  });

  test('A2: both are reachable; deleting one keeps the other, without a request lost', async () => {
    await lab.served([...one(on(0, 1)), ...two(on(1, 2))], both(WEB, [0, 1, 2]));
    const client = lab.topology.client('frr8');
    await client.start({ targets: otherTargets, ratePerSecond: 200 });
    await lab.step(two(on(1, 2)), both(WEB, [1, 2]));
    const during = await client.stop();
    expect(during.lost).toBe(0);
    expect(during.answered).toBeGreaterThan(10);
    await lab.answered(both(WEB, [1, 2]));
  });

  test('A2: under Local only nodes that serve both', async () => {
    const objects = [...one(on(0, 1), local), ...two(on(1, 2), local)];
    await lab.served(objects, both(WEB, [1]));
    await lab.served(one(on(0, 1), local), both(WEB, [0, 1]));
  });

  test('A2: without leave to share, the second one is not announced', async () => {
    const second = dualStack('web', WEB, on(3));
    await lab.step(one(on(0, 1)), both(WEB, [0, 1]));
    await lab.served([...one(on(0, 1)), ...second], both(WEB, [0, 1]));
    await lab.says('web', 'AddressConflict');
  });
});

const READY = { ready: true };
const NIL = {};
const STARTING = { ready: false, serving: false, terminating: false };
const STUCK = { ready: false, serving: true, terminating: false };
const ODD = { ready: true, serving: false, terminating: false };
const DRAINING = { ready: false, serving: true, terminating: true };
const GONE = { ready: false, serving: false, terminating: true };

function at(index: number, conditions: EndpointFields['conditions'] = READY): EndpointFields {
  return { node: `worker-${index}`, conditions };
}

function web(endpoints: readonly EndpointFields[], spec = {}): Manifest[] {
  return dualStack('web', WEB, endpoints, { spec });
}

/** A slice beside the one of that name. */
function further(manifest: Manifest): Manifest {
  return { ...manifest, metadata: { ...manifest.metadata, name: `${manifest.metadata.name}-further` } };
}

const webService = (spec = {}) =>
  service('web', { addresses: serviceAddresses(WEB), spec: { ...DUAL_STACK, ...spec } });

describe('A5: states of endpoints', () => {
  const none = 'NoUsableEndpoint';
  const rows: Row[] = [
    ['ready=nil is ready', web([at(0), at(1, NIL)]), both(WEB, [0, 1])],
    ['not ready counts not', web([at(0), at(1, STARTING)]), both(WEB, [0])],
    ['ready counts though it does not serve', web([at(1, ODD)]), both(WEB, [1])],
    ['not ready, serving, not terminating: never', web([at(1, STUCK)]), {}, none],
    ['terminating and not serving: never', web([at(1, GONE)]), {}, none],
    ['serving and terminating, none ready: that', web([at(1, DRAINING), at(2, STARTING)]), both(WEB, [1])],
    ['Cluster: one ready anywhere and no terminating one', web([at(1, DRAINING), at(2)]), both(WEB, [2])],
    [
      'Local: terminating ones only where no node has a ready one (ADR 7)',
      web([at(1, DRAINING), at(2), at(2, DRAINING), at(3, STUCK)], local),
      both(WEB, [2]),
    ],
    [
      'Local: none is ready, so those that are serving and terminating, node by node',
      web([at(1, DRAINING), at(2, DRAINING), at(3, STUCK)], local),
      both(WEB, [1, 2]),
    ],
    [
      'publishNotReadyAddresses: as the slices say',
      web([at(1, ODD), at(2, STARTING)], { publishNotReadyAddresses: true }),
      both(WEB, [1]),
    ],
    ['an endpoint on a node that does not exist', web([at(1), at(9)]), both(WEB, [1])],
    ['only such endpoints', web([at(9)]), {}, 'NoNextHop'],
  ];
  test.each(rows)('A5: %s', (...row: Row) => check(row));

  test('A5: no endpoint left: withdrawn, no stale route; and back', async () => {
    await lab.step(web([at(0), at(1)]), both(WEB, [0, 1]));
    await lab.step(web([]), {});
    await lab.says('web', none);
    await lab.served(web([at(1)]), both(WEB, [1]));
    await lab.step([webService()], {});
  });
});

describe('A5: slices', () => {
  const nameless = [{ address: '10.200.1.1' }, { address: '10.200.1.2' }];
  const nameless6 = [{ address: 'fd00:200:1::1' }, { address: 'fd00:200:1::2' }];
  const selectorless = (spec = {}): Manifest[] => [
    webService({ selector: {}, ...spec }),
    slice('web', nameless, 'IPv4'),
    slice('web', nameless6, 'IPv6'),
  ];
  const rows: Row[] = [
    [
      'the same address is ready in one and not in another',
      [...web([at(1, STARTING)]), ...slices('web', [at(1)]).map(further)],
      both(WEB, [1]),
    ],
    [
      'several for one Service',
      [
        ...web([at(1)]),
        further(slice('web', [{ ...at(2), address: '10.200.1.1' }], 'IPv4')),
        further(slice('web', [{ ...at(3), address: 'fd00:200:1::1' }], 'IPv6')),
      ],
      { ...v4(WEB, [1, 2]), ...v6(WEB, [1, 3]) },
    ],
    ['FQDN is nothing', [webService(), slice('web', [at(1)], 'FQDN')], {}, 'NoUsableEndpoint'],
    [
      'IPv4 addresses in an IPv6 slice are nothing',
      [
        webService(),
        slice('web', [at(1)], 'IPv4'),
        slice('web', [{ ...at(2), address: '10.200.1.1' }], 'IPv6'),
      ],
      v4(WEB, [1]),
    ],
    ['selectorless, Cluster: all nodes', selectorless(), both(WEB, [0, 1, 2, 3])],
    ['selectorless, Local: none', selectorless(local), {}, 'NoUsableEndpoint'],
    [
      'endpoints without nodeName beside others: the nodes that are named',
      [webService(), slice('web', [...nameless, at(2)], 'IPv4'), slice('web', [...nameless6, at(3)], 'IPv6')],
      { ...v4(WEB, [2]), ...v6(WEB, [3]) },
    ],
  ];
  test.each(rows)('A5: %s', (...row: Row) => check(row));

  test('A5: a slice moved to another Service takes its nodes along', async () => {
    const api = dualStack('api', API, [{ ...at(0), address: '10.200.2.1' }]).filter(
      ({ metadata }) => metadata.name !== 'api-ipv6',
    );
    const loose = (owner: string) => ({
      ...slice(owner, [at(1), at(2)], 'IPv4'),
      metadata: {
        name: 'loose',
        namespace: 'default',
        labels: { 'kubernetes.io/service-name': owner },
      },
    });
    await lab.served([webService(), ...api, loose('web')], { ...v4(WEB, [1, 2]), ...v4(API, [0]) });
    await lab.served([webService(), ...api, loose('api')], v4(API, [0, 1, 2]));
    await lab.says('web', 'NoUsableEndpoint');
  });
});

describe('A6: Services that stop being ours', () => {
  const api = dualStack('api', API, on(0, 1));
  const before = { ...both(WEB, [1, 2]), ...both(API, [0, 1]) };
  const after = both(API, [0, 1]);
  const untouched = Object.keys(after);

  const rows: (readonly [title: string, objects: readonly Manifest[], reason: string | undefined])[] = [
    ['type changed', dualStack('web', WEB, on(1, 2), { spec: { type: 'ClusterIP' } }), 'NotLoadBalancer'],
    [
      'class changed',
      dualStack('web', WEB, on(1, 2), { spec: { loadBalancerClass: 'example.com/other' } }),
      'NotOurClass',
    ],
    [
      'being deleted',
      dualStack('web', WEB, on(1, 2)).map((manifest) => ({
        ...manifest,
        metadata: { ...manifest.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' },
      })),
      'ServiceDeleted',
    ],
    ['deleted', [], undefined],
  ];
  test.each(rows)('A6: %s: withdrawn, and back again; the other stays', async (_, objects, reason) => {
    const announced = [...dualStack('web', WEB, on(1, 2)), ...api];
    await lab.step(announced, before);
    await lab.untouched(untouched, async () => {
      await lab.step([...objects, ...api], after);
      if (reason !== undefined) {
        await lab.says('web', reason);
      }
      await lab.step(announced, before);
    });
  });

  test('A6: deleted and changed while the controller is down; the rest carries on', async () => {
    const extra = dualStack('extra', EXTRA, on(3));
    await lab.served([...dualStack('web', WEB, on(1, 2)), ...api, ...extra], {
      ...before,
      ...both(EXTRA, [3]),
    });
    await lab.untouched(untouched, async () => {
      await lab.herald.killController();
      const retyped = dualStack('extra', EXTRA, on(3), { spec: { type: 'NodePort' } });
      const restarted = lab.step([...api, ...retyped], after);
      lab.herald.startController();
      await restarted;
      await lab.says('extra', 'NotLoadBalancer');
    });
    await lab.answered(after);
  });
});

test('A12: no session was touched by any of this', async () => {
  expect(await lab.connectionsDropped()).toEqual({ frr8: 0, frr10: 0, bird: 0 });
});
