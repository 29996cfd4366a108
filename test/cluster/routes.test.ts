// Routes to real pods (CASES A1, A4, A5, A6) in the shared cluster: in every router's table, from each replica, and in
// its kernel exactly the addresses of the right nodes, and requests through it answered by the right pods. Of the
// routers only the ranges of this file's pool are looked at, because others use the cluster as well.

import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';

import { apply, get, list } from '../support/cluster-herald.ts';
import { ClusterRoutes, hostRoutes } from '../support/cluster-routes.ts';
import { Workload, type ServiceOptions, type WebPod } from '../support/cluster-workload.ts';
import {
  HAND_MADE,
  nameless,
  ready,
  slice,
  sliceOfNames,
  slices,
  starting,
  terminating,
  type Conditions,
  type SliceEndpoint,
} from '../support/endpoint-slices.ts';
import { sharedHerald } from '../support/own-cluster.ts';
import { CAN_RUN, type RouterName } from '../support/shared-cluster.ts';
import { notYet, waitFor, type Cluster } from '@herald/lab';

const RANGES = ['198.51.100.128/25', '2001:db8:128::/120'] as const;
const POOL = 'routes';
const FIRST = 128;
/** Where the pods of `web` are. */
const NODES = ['worker-0', 'worker-1'] as const;

const v4 = (number: number): string[] => [`198.51.100.${FIRST + number}`];
const v6 = (number: number): string[] => [`2001:db8:128::${number.toString(16)}`];
const both = (number: number): string[] => [...v4(number), ...v6(number)];

const local = { externalTrafficPolicy: 'Local' };
/** For as long as Kubernetes lets a pod. */
const LINGER_SECONDS = 30;

interface SliceItem {
  readonly endpoints?: readonly { readonly conditions: Conditions }[];
}

const nodesOf = (of: readonly WebPod[]): string[] => of.map(({ node }) => node);

const ROW = { name: 'row', namespace: 'routes', service: 'row' } as const;
/** Beside it, for the same Service. */
const FURTHER = { ...ROW, name: 'further' } as const;

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

  /** A Service while the test runs, `row` if it has no other name. */
  async function exposed(
    { name = 'row', ...options }: ServiceOptions & { readonly name?: string },
    nodes: readonly string[],
    check: () => Promise<void>,
  ): Promise<void> {
    await workload.expose(name, options);
    try {
      await routes.become(hostRoutes(options.addresses, nodes));
      await check();
    } finally {
      await workload.delete('service', name);
      routes.expect(hostRoutes(options.addresses, []));
    }
    await routes.hold();
  }

  const on = (name: string): readonly WebPod[] => pods.filter(({ node }) => node === name);

  /** Kubernetes says of all endpoints of the Services that they terminate, and that they serve. */
  async function endpointsTerminate(...services: readonly string[]): Promise<void> {
    const selector = `kubernetes.io/service-name in (${services.join()})`;
    await waitFor(`all endpoints of ${services.join(' and ')} terminate`, async () => {
      const found = await list<SliceItem>(cluster, 'endpointslices', '-n', 'routes', '-l', selector);
      const conditions = found.flatMap(({ endpoints }) => endpoints ?? []).map((one) => one.conditions);
      const areTold = conditions.length > 0 && conditions.every((one) => one.serving && one.terminating);
      return areTold || notYet(conditions);
    });
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

    test('A5: one that terminates gives way to a ready one at once; alone it serves to its end', async () => {
      const [byCluster, byLocal] = [both(7), both(8)];
      const addresses = [...byCluster, ...byLocal];
      const options = { nodes: NODES, ready: 'to its end', lingerSeconds: LINGER_SECONDS } as const;
      await workload.serve('ending', { replicas: 2, ...options });
      await exposed({ app: 'ending', addresses: byCluster }, NODES, () =>
        exposed({ name: 'local', app: 'ending', addresses: byLocal, spec: local }, NODES, async () => {
          const left = await workload.scale('ending', 1);
          await routes.become(hostRoutes(addresses, nodesOf(left)));
          expect(await workload.ending('ending')).toHaveLength(1);
          await workload.finish('ending');
          await routes.answered(addresses, left);
          await routes.untouched(Object.keys(hostRoutes(addresses, [])), async () => {
            await workload.scale('ending', 0);
            await endpointsTerminate('row', 'local');
            await routes.answered(addresses, left);
          });
          expect(await workload.ending('ending')).toHaveLength(1);
          await workload.finish('ending');
          await routes.become(hostRoutes(addresses, []));
          await workload.says('local', 'NoUsableEndpoint');
        }),
      );
    });
  });

  describe('A5: slices', () => {
    afterEach(() => workload.delete('endpointslice', '-l', HAND_MADE));

    test('A5: a Service without selector: the nodes that its slices name, or all', async () => {
      const addresses = both(9);
      await apply(cluster, ...slices({ ...ROW, endpoints: pods.map(ready) }));
      const everywhere = cluster.nodes.map(({ name }) => name);
      await exposed({ app: null, addresses }, NODES, async () => {
        await routes.answered(addresses, pods);
        await apply(cluster, ...slices({ ...ROW, endpoints: pods.map(nameless) }));
        await routes.become(hostRoutes(addresses, everywhere));
        await routes.answered(addresses, pods);
        await workload.kubectl('patch', 'service', 'row', '-p', JSON.stringify({ spec: local }));
        await routes.become(hostRoutes(addresses, []));
        await workload.says('row', 'NoUsableEndpoint');
      });
    });

    test('A5: several for one Service; an address that one of them says is ready is', async () => {
      const addresses = both(10);
      const [here, there] = [on('worker-0'), on('worker-1')];
      const further = (...endpoints: readonly SliceEndpoint[]): Promise<void> =>
        apply(cluster, ...slices({ ...FURTHER, endpoints }));
      await apply(cluster, ...slices({ ...ROW, endpoints: here.map(ready) }));
      await further(...there.map(ready));
      await exposed({ app: null, addresses }, NODES, async () => {
        await routes.answered(addresses, pods);
        // Which of the two kube-proxy believes is not defined; of one that terminates it is.
        await further(...here.map(starting));
        await routes.become(hostRoutes(addresses, ['worker-0']));
        await further(...here.map(terminating), ...there.map(ready));
        await routes.become(hostRoutes(addresses, NODES));
        await routes.answered(addresses, pods);
      });
    });

    // kube-proxy never forgets what a slice was for before it was moved: nobody else has that name.
    test('A5: one moved to another Service takes its nodes along', async () => {
      const [from, to] = [both(11), both(12)];
      const moved = { ...ROW, name: 'moved', endpoints: pods.map(ready) };
      await apply(cluster, ...slices({ ...moved, service: 'from' }));
      await exposed({ name: 'to', app: null, addresses: to }, [], () =>
        exposed({ name: 'from', app: null, addresses: from }, NODES, async () => {
          await apply(cluster, ...slices({ ...moved, service: 'to' }));
          await routes.become({ ...hostRoutes(from, []), ...hostRoutes(to, NODES) });
          await workload.says('from', 'NoUsableEndpoint');
          await routes.answered(to, pods);
        }),
      );
    });

    test('A5: one of names is nothing; one of a family is for the addresses of that family', async () => {
      const addresses = both(13);
      const names = { addresses: ['web.example.com'], node: 'worker-0', name: '' };
      await apply(cluster, sliceOfNames({ ...ROW, endpoints: [ready(names)] }));
      await exposed({ app: null, addresses }, [], async () => {
        await workload.says('row', 'NoUsableEndpoint');
        await routes.hold();
        const [here, there] = [on('worker-0'), on('worker-1')];
        await apply(cluster, slice('IPv4', { ...ROW, endpoints: here.map(ready) }));
        await routes.become(hostRoutes(v4(13), ['worker-0']));
        await apply(cluster, slice('IPv6', { ...ROW, endpoints: there.map(ready) }));
        await routes.become(hostRoutes(v6(13), ['worker-1']));
        await routes.answered(v4(13), here);
        await routes.answered(v6(13), there);
      });
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
