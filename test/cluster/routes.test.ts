// Routes to real pods (CASES A1, A4, A5, A6) in the shared cluster: in every router's table, from each replica, and in
// its kernel exactly the addresses of the right nodes, and requests through it answered by the right pods. Of the
// routers only the ranges of this file's pool are looked at, because others use the cluster as well.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { apply, get } from '../support/cluster-herald.ts';
import { ClusterRoutes, hostRoutes } from '../support/cluster-routes.ts';
import { Workload, type ServiceOptions, type WebPod } from '../support/cluster-workload.ts';
import { sharedHerald } from '../support/own-cluster.ts';
import { CAN_RUN, type RouterName } from '../support/shared-cluster.ts';
import { WEB_PORT, type Cluster } from '@herald/lab';

const RANGES = ['198.51.100.128/25', '2001:db8:128::/120'] as const;
const POOL = 'routes';
const FIRST = 128;
/** Where the pods of `web` are. */
const NODES = ['worker-0', 'worker-1'] as const;

const v4 = (number: number): string[] => [`198.51.100.${FIRST + number}`];
const v6 = (number: number): string[] => [`2001:db8:128::${number.toString(16)}`];
const both = (number: number): string[] => [...v4(number), ...v6(number)];

const local = { externalTrafficPolicy: 'Local' };

const nodesOf = (of: readonly WebPod[]): string[] => of.map(({ node }) => node);

const slice = (family: 'IPv4' | 'IPv6', of: readonly WebPod[], named: 'named' | 'nameless'): object => ({
  apiVersion: 'discovery.k8s.io/v1',
  kind: 'EndpointSlice',
  metadata: {
    name: `row-${family.toLowerCase()}`,
    namespace: 'routes',
    labels: { 'kubernetes.io/service-name': 'row', 'endpointslice.kubernetes.io/managed-by': 'somebody' },
  },
  addressType: family,
  ports: [{ port: WEB_PORT, protocol: 'TCP', name: '' }],
  endpoints: of.map(({ addresses, node }) => ({
    addresses: addresses.filter((one) => one.includes(':') === (family === 'IPv6')),
    conditions: { ready: true },
    ...(named === 'named' ? { nodeName: node } : {}),
  })),
});

function slicesOf(pods: readonly WebPod[], named: 'named' | 'nameless'): object[] {
  return (['IPv4', 'IPv6'] as const).map((family) => slice(family, pods, named));
}

describe.skipIf(!CAN_RUN)('routes to real pods', () => {
  let cluster: Cluster<RouterName>;
  let workload: Workload;
  let routes: ClusterRoutes<RouterName>;
  let pods: readonly WebPod[] = [];

  beforeAll(async () => {
    cluster = await sharedHerald();
    routes = new ClusterRoutes(cluster, { ranges: RANGES });
    workload = await Workload.open(cluster, 'routes');
    await apply(cluster, {
      apiVersion: 'heraldbgp.io/v1alpha1',
      kind: 'IPAddressPool',
      metadata: { name: POOL },
      spec: { addresses: RANGES, autoAssign: false },
    });
    pods = await workload.serve('web', { replicas: 2, nodes: NODES });
    await routes.hold();
  });
  afterAll(async () => {
    await workload.close();
    await cluster.kubectl(['delete', 'ipaddresspool', POOL, '--ignore-not-found']);
    await cluster.stop();
  });

  const patched = (spec: object): Promise<string> =>
    workload.kubectl('patch', 'service', 'row', '-p', JSON.stringify({ spec }));

  /** A Service on `web`, alone in the ranges while the test runs. */
  async function exposed(
    options: ServiceOptions,
    nodes: readonly string[],
    check: () => Promise<void>,
  ): Promise<void> {
    await workload.expose('row', options);
    try {
      await routes.become(hostRoutes(options.addresses, nodes));
      await check();
    } finally {
      await workload.delete('service', 'row');
      await routes.become(hostRoutes(options.addresses, []));
    }
  }

  describe('A1, A4: policies and families', () => {
    const rows: [title: string, addresses: readonly string[], spec: object][] = [
      ['Cluster, IPv4', v4(1), {}],
      ['Cluster, IPv6', v6(2), {}],
      ['Cluster, dual stack', both(3), {}],
      ['Local, IPv4', v4(4), local],
      ['Local, IPv6', v6(5), local],
      ['Local, dual stack', both(6), local],
    ];
    const names = rows.map((_, index) => `row-${index}`);
    const all = rows.flatMap(([, addresses]) => addresses);

    beforeAll(async () => {
      const services = rows.map(([, addresses, spec], index) =>
        workload.service(`row-${index}`, { app: 'web', addresses, spec: { ...spec } }),
      );
      await apply(cluster, ...services);
      await routes.become(hostRoutes(all, NODES));
    });
    afterAll(async () => {
      await workload.delete('service', ...names);
      await routes.become(hostRoutes(all, []));
    });

    test.each(rows)('A1: %s', async (_, addresses) => {
      await routes.answered(addresses, pods);
    });

    test('A4: nodes have an address of each family, and each route the one of its own', async () => {
      const { status } = await get(cluster, 'node', 'worker-0');
      const { plan } = cluster.node('worker-0');
      const { addresses } = status as { addresses: readonly { type: string; address: string }[] };
      const internal = addresses.filter(({ type }) => type === 'InternalIP').map(({ address }) => address);
      expect(internal).toEqual([plan.ipv4, plan.ipv6]);
      const paths = await cluster.router('frr').table(6);
      const own = paths.filter(({ prefix }) => prefix === `${v6(6)[0]}/128`);
      const expected = NODES.map((name) => cluster.node(name).plan.ipv6);
      expect([...new Set(own.map(({ nextHop }) => nextHop))].sort()).toEqual(expected);
    });
  });

  describe('A1: pods that come and go', () => {
    test('A1: Local scaled from one node to two and back', async () => {
      const addresses = both(7);
      const first = await workload.serve('scaled', { replicas: 1, nodes: ['worker-1', 'worker-2'] });
      await exposed({ app: 'scaled', addresses, spec: local }, nodesOf(first), async () => {
        await routes.answered(addresses, first);
        for (const replicas of [2, 1]) {
          const now = await workload.scale('scaled', replicas);
          await routes.become(hostRoutes(addresses, nodesOf(now)));
          await routes.answered(addresses, now);
        }
      });
    });
  });

  describe('A5: endpoints', () => {
    test('A5: no endpoint left: withdrawn, said, no stale route; and back', async () => {
      const addresses = both(5);
      const before = await workload.serve('leaving', { replicas: 1, nodes: ['worker-2'] });
      await exposed({ app: 'leaving', addresses }, ['worker-2'], async () => {
        await routes.answered(addresses, before);
        await workload.scale('leaving', 0);
        await routes.become(hostRoutes(addresses, []));
        await workload.says('row', 'NoUsableEndpoint');
        const after = await workload.scale('leaving', 1);
        await routes.become(hostRoutes(addresses, ['worker-2']));
        await routes.answered(addresses, after);
      });
    });

    test('A5: pods that are not ready count with publishNotReadyAddresses only', async () => {
      const addresses = both(6);
      const running = await workload.serve('unready', { replicas: 1, nodes: ['worker-0'], ready: 'never' });
      const options = { app: 'unready', addresses };
      await workload.expose('row', options);
      await workload.says('row', 'NoUsableEndpoint');
      await routes.hold();
      await exposed({ ...options, spec: { publishNotReadyAddresses: true } }, ['worker-0'], () =>
        routes.answered(addresses, running),
      );
    });

    test('A5: a Service without selector: the nodes that its slices name, or all', async () => {
      const addresses = both(7);
      await apply(cluster, ...slicesOf(pods, 'named'));
      const everywhere = cluster.nodes.map(({ name }) => name);
      await exposed({ app: null, addresses }, NODES, async () => {
        await routes.answered(addresses, pods);
        await apply(cluster, ...slicesOf(pods, 'nameless'));
        await routes.become(hostRoutes(addresses, everywhere));
        await routes.answered(addresses, pods);
        await workload.kubectl('patch', 'service', 'row', '-p', JSON.stringify({ spec: local }));
        await routes.become(hostRoutes(addresses, []));
        await workload.says('row', 'NoUsableEndpoint');
      });
      await workload.delete('endpointslice', 'row-ipv4', 'row-ipv6');
    });
  });

  describe('A6: Services that stop being ours', () => {
    const stays = both(8);
    const comes = both(9);
    const ours = { app: 'web', addresses: comes };
    beforeAll(async () => {
      await workload.expose('stays', { app: 'web', addresses: stays });
      await routes.become(hostRoutes(stays, NODES));
    });
    afterAll(async () => {
      await workload.delete('service', 'stays');
      await routes.become(hostRoutes(stays, []));
    });

    const retyped = { type: 'NodePort', loadBalancerClass: null };
    // A class cannot be changed while the type is LoadBalancer.
    const rows: [title: string, gone: () => Promise<unknown>, back: () => Promise<unknown>][] = [
      ['type changed', () => patched(retyped), () => patched({ type: 'LoadBalancer' })],
      [
        'class changed',
        async () => {
          await patched(retyped);
          await patched({ type: 'LoadBalancer', loadBalancerClass: 'example.com/other' });
        },
        async () => {
          await patched(retyped);
          await patched({ type: 'LoadBalancer' });
        },
      ],
      ['deleted', () => workload.delete('service', 'row'), () => workload.expose('row', ours)],
    ];
    test.each(rows)('A6: %s: withdrawn, and back again; the other stays', async (_, gone, back) => {
      await exposed(ours, NODES, async () => {
        await routes.untouched(Object.keys(hostRoutes(stays, NODES)), async () => {
          await gone();
          await routes.become(hostRoutes(comes, []));
          await back();
          await routes.become(hostRoutes(comes, NODES));
        });
        await routes.answered([...stays, ...comes], pods);
      });
    });
  });
});
