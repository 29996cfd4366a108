// Which nodes are next hops, who is told, and what goes over the wire (CASES A3, A4, A9, A12). Nodes are disturbed:
// labelled, cordoned, silenced, readdressed, deleted, drained, and put back. Tables and kernels of both routers
// hold exactly the right nodes, and requests are answered by the right pods.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { UPLINK, notYet, waitFor, type Cluster } from '@herald/lab';

import { apply } from '../support/cluster-herald.ts';
import { ClusterRoutes, hostRoutes, type NodesByPrefix } from '../support/cluster-routes.ts';
import { Workload, type WebPod } from '../support/cluster-workload.ts';
import { ready, slices } from '../support/endpoint-slices.ts';
import { SITE_RANGES, sharedHerald, siteAddresses } from '../support/own-cluster.ts';
import { ReaddressedNode, type NodeAddress } from '../support/readdressed-node.ts';
import { RemovedNode } from '../support/removed-node.ts';
import { leftOutReasons } from '../support/replica-status.ts';
import { CAN_RUN, type RouterName } from '../support/shared-cluster.ts';
import { WireLog } from '../support/wire-log.ts';

const WORKERS = ['worker-0', 'worker-1', 'worker-2'] as const;
const REMAINING = ['worker-0', 'worker-2'] as const;
const EXCLUDE = 'node.kubernetes.io/exclude-from-external-load-balancers';
const CLUSTER = siteAddresses(1);
const LOCAL = siteAddresses(2);
const OTHER = siteAddresses(3);
const SLICED = siteAddresses(4);
const NAMESPACE = 'shop';
/** Of a second pool. */
const INNER_RANGES = ['198.51.100.64/28', '2001:db8:64::/124'] as const;
const INNER = ['198.51.100.65', '2001:db8:64::1'] as const;

const served = (nodes: readonly string[]): NodesByPrefix => hostRoutes([...CLUSTER, ...LOCAL], nodes);

const tier = (value: string): object => ({ serviceSelectors: [{ matchLabels: { tier: value } }] });
const only = (addresses: readonly string[], nodes: readonly string[]): NodesByPrefix => ({
  ...hostRoutes([...CLUSTER, ...LOCAL, ...OTHER], []),
  ...hostRoutes(addresses, nodes),
});

const internal = (...addresses: readonly string[]): NodeAddress[] =>
  addresses.map((address) => ['InternalIP', address]);

describe.skipIf(!CAN_RUN)('nodes and advertisements', () => {
  let cluster: Cluster<RouterName>;
  let workload: Workload;
  let routes: ClusterRoutes<RouterName>;
  let web: readonly WebPod[] = [];
  let other: readonly WebPod[] = [];

  const node = (...words: readonly string[]): Promise<string> => cluster.kubectl(words);

  const advertise = (name: string, spec: object): Promise<void> =>
    apply(cluster, {
      apiVersion: 'heraldbgp.io/v1alpha1',
      kind: 'BGPAdvertisement',
      metadata: { name },
      spec,
    });
  const withdraw = (...names: readonly string[]): Promise<string> =>
    node('delete', 'bgpadvertisement', ...names);

  async function listen(name: RouterName): Promise<readonly WireLog[]> {
    const speakers = await routes.speakers(name);
    return await Promise.all(
      speakers.map((speaker) => WireLog.start(cluster.lab, cluster.router(name), speaker)),
    );
  }

  beforeAll(async () => {
    cluster = await sharedHerald();
    workload = await Workload.open(cluster, NAMESPACE);
    routes = new ClusterRoutes(cluster, { ranges: [...SITE_RANGES, ...INNER_RANGES] });
    const local = { externalTrafficPolicy: 'Local' };
    await apply(
      cluster,
      workload.service('cluster', { app: 'web', addresses: CLUSTER, labels: { tier: 'cluster' } }),
      workload.service('local', { app: 'web', addresses: LOCAL, labels: { tier: 'local' }, spec: local }),
      workload.service('other', { app: 'other', addresses: OTHER, labels: { tier: 'other' } }),
    );
    [web, other] = await Promise.all([
      workload.serve('web', { replicas: 3 }),
      workload.serve('other', { replicas: 2, nodes: REMAINING }),
    ]);
    await routes.become({ ...served(WORKERS), ...hostRoutes(OTHER, REMAINING) });
  });
  afterAll(async () => {
    await workload.close();
    await cluster.stop();
  });

  async function back(): Promise<void> {
    web = await workload.running('web', { replicas: 3 });
    await routes.become(served(WORKERS));
    await routes.answered([...CLUSTER, ...LOCAL], web);
    await routes.answered(OTHER, other);
  }

  /** The node and its share leave; nothing is told of the others, and Local is answered by what is left. */
  async function leaves(disturb: () => Promise<unknown>, stays: 'pods stay' | 'pods go'): Promise<void> {
    await routes.untouched(Object.keys(hostRoutes(OTHER, [])), async () => {
      await disturb();
      await routes.become(served(REMAINING));
    });
    const left = web.filter((pod) => pod.node !== 'worker-1');
    await routes.answered(LOCAL, left);
    await routes.answered(CLUSTER, stays === 'pods stay' ? web : left);
  }

  const label = (change: string): Promise<string> => node('label', 'node', 'worker-1', EXCLUDE + change);
  const condition = (change: object): Promise<string> => {
    const conditions = [{ type: 'NetworkUnavailable', ...change }];
    const patch = JSON.stringify({ status: { conditions } });
    return node('patch', 'node', 'worker-1', '--subresource=status', '-p', patch);
  };

  /** Each of two replicas, of each prefix and peer. */
  async function saysNoAddress(): Promise<void> {
    const wanted = Array.from({ length: 8 }, () => 'NoAddressOfFamily').join();
    await waitFor('both replicas say why the node is left out', async () => {
      const reasons = await leftOutReasons(cluster, `${NAMESPACE}/cluster`, 'worker-1');
      return reasons.join() === wanted || notYet(reasons);
    });
  }

  describe('A3: a node leaves', () => {
    const rows: [title: string, disturb: () => Promise<unknown>, mend: () => Promise<unknown>][] = [
      ['the exclude label with the value ""', () => label('='), () => label('-')],
      ['the exclude label with the value "false"', () => label('=false'), () => label('-')],
      [
        'NetworkUnavailable',
        () => condition({ status: 'True', reason: 'NoRouteCreated' }),
        () => condition({ $patch: 'delete' }),
      ],
    ];
    test.each(rows)('A3: %s', async (_, disturb, mend) => {
      await leaves(disturb, 'pods stay');
      await mend();
      await back();
    });

    test('A3: cordoned: it stays, though another one that is labelled later has gone', async () => {
      await node('cordon', 'worker-2');
      await leaves(() => node('label', 'node', 'worker-1', `${EXCLUDE}=`), 'pods stay');
      await node('uncordon', 'worker-2');
      await node('label', 'node', 'worker-1', `${EXCLUDE}-`);
      await back();
    });

    test('A3: NotReady, because its kubelet has died: its pods are marked not ready and get no requests', async () => {
      await leaves(() => cluster.node('worker-1').kill('kubelet'), 'pods go');
      await cluster.node('worker-1').start('kubelet');
      await back();
    });

    test('A3: drained, and back', async () => {
      await leaves(
        () => node('drain', 'worker-1', '--ignore-daemonsets', '--delete-emptydir-data', '--timeout=60s'),
        'pods go',
      );
      await node('uncordon', 'worker-1');
      await back();
    });

    test('A3, A4: the Node object deleted; a new one joins', async () => {
      const removed = await RemovedNode.of(cluster, 'worker-1');
      await cluster.node('worker-1').kill('kubelet');
      await routes.untouched(Object.keys(hostRoutes(OTHER, [])), async () => {
        await node('delete', 'node', 'worker-1');
        await routes.become(served(REMAINING));
      });
      await routes.answered(
        LOCAL,
        web.filter((pod) => pod.node !== 'worker-1'),
      );
      await removed.putBack();
      await back();
    });
  });

  describe('A4: addresses of a node', () => {
    const MOVED = { ipv4: '192.0.2.201', ipv6: '2001:db8:2::201' } as const;

    test('A4: they change, come in another order, are of one family, are none', async () => {
      const { namespace, plan } = cluster.node('worker-1');
      const further = [`${MOVED.ipv4}/24`, `${MOVED.ipv6}/64`];
      for (const address of further) await namespace.addAddress(UPLINK, address);
      const readdressed = await ReaddressedNode.of(cluster, 'worker-1');
      try {
        await routes.untouched(Object.keys(hostRoutes(OTHER, [])), async () => {
          await readdressed.lists(...internal(MOVED.ipv4, MOVED.ipv6));
          routes.readdress('worker-1', MOVED);
          await routes.hold();
          await routes.answered([...CLUSTER, ...LOCAL], web);
          await readdressed.lists(...internal(plan.ipv6, plan.ipv4), ['Hostname', 'worker-1']);
          routes.readdress('worker-1', plan);
          await routes.hold();
          await readdressed.lists(...internal(plan.ipv6), ['ExternalIP', plan.ipv4]);
          await routes.become(hostRoutes([CLUSTER[0], LOCAL[0]], REMAINING));
          await readdressed.lists(['Hostname', 'worker-1'], ['ExternalIP', plan.ipv4]);
          await routes.become(served(REMAINING));
        });
        await saysNoAddress();
      } finally {
        await readdressed.putBack();
        for (const address of further) await namespace.removeAddress(UPLINK, address);
      }
      await back();
    });
  });

  describe('A9: who is told what', () => {
    beforeAll(async () => {
      await withdraw('default');
      await routes.become(only([], []));
    });
    afterAll(async () => {
      await advertise('default', {});
      await routes.become({ ...served(WORKERS), ...hostRoutes(OTHER, REMAINING) });
    });

    test('A9: by service label; a relabelled Service comes along and goes again', async () => {
      await advertise('one', tier('cluster'));
      await routes.become(only(CLUSTER, WORKERS));
      await workload.kubectl('label', 'service', 'local', 'tier=cluster', '--overwrite');
      await routes.become(hostRoutes(LOCAL, WORKERS));
      await workload.kubectl('label', 'service', 'local', 'tier=local', '--overwrite');
      await routes.become(hostRoutes(LOCAL, []));
    });

    test('A9: by peer, and by label of the peer', async () => {
      await advertise('one', { ...tier('cluster'), peers: ['frr'] });
      await routes.become(only([], []), ['bird']);
      await node('label', 'bgppeer', 'bird', 'site=east');
      await advertise('one', { ...tier('cluster'), peerSelectors: [{ matchLabels: { site: 'east' } }] });
      routes.expect(only(CLUSTER, WORKERS), ['bird']);
      await routes.become(only([], []), ['frr']);
      await routes.answered(CLUSTER, web, ['bird']);
      await node('label', 'bgppeer', 'bird', 'site-');
      await routes.become(only([], []), ['bird']);
    });

    test('A9: by node label; relabelled nodes join and leave', async () => {
      await node('label', 'node', 'worker-0', 'zone=a');
      await advertise('one', { ...tier('cluster'), nodeSelectors: [{ matchLabels: { zone: 'a' } }] });
      await routes.become(only(CLUSTER, ['worker-0']));
      await node('label', 'node', 'worker-1', 'zone=a');
      await routes.become(only(CLUSTER, ['worker-0', 'worker-1']));
      await node('label', 'node', 'worker-0', 'zone-');
      await routes.become(only(CLUSTER, ['worker-1']));
      await routes.answered(CLUSTER, web);
      await node('label', 'node', 'worker-1', 'zone-');
      await routes.become(only([], []));
    });

    test('A9: by pool, and by label of the pool; a relabelled pool comes along and goes again', async () => {
      await apply(cluster, {
        apiVersion: 'heraldbgp.io/v1alpha1',
        kind: 'IPAddressPool',
        metadata: { name: 'inner' },
        spec: { addresses: INNER_RANGES, autoAssign: false },
      });
      await workload.expose('inner', { app: 'web', addresses: INNER });
      try {
        await advertise('one', { ipAddressPools: ['inner'] });
        await routes.become(hostRoutes(INNER, WORKERS));
        await advertise('one', { ipAddressPoolSelectors: [{ matchLabels: { reach: 'far' } }] });
        await routes.become(hostRoutes(INNER, []));
        await node('label', 'ipaddresspool', 'inner', 'reach=far');
        await routes.become(hostRoutes(INNER, WORKERS));
        await routes.answered(INNER, web);
        await node('label', 'ipaddresspool', 'inner', 'reach=near', '--overwrite');
        await routes.become(hostRoutes(INNER, []));
      } finally {
        await workload.delete('service', 'inner');
        await node('delete', 'ipaddresspool', 'inner');
      }
    });

    test('A9: a selector that matches nothing any more takes away only its own routes', async () => {
      await advertise('one', tier('cluster'));
      await advertise('two', tier('other'));
      await routes.become({ ...only(CLUSTER, WORKERS), ...hostRoutes(OTHER, REMAINING) });
      await routes.untouched(Object.keys(hostRoutes(OTHER, [])), async () => {
        await advertise('one', tier('nobody'));
        await routes.become(hostRoutes(CLUSTER, []));
      });
      await withdraw('one', 'two');
      await routes.become(only([], []));
    });
  });

  describe('A12: one Service changes', () => {
    const WATCHED_MS = 10_000;
    /** What it goes through: grow, shrink, move, vanish, come back. */
    const SETS = [[0], [0, 1], [0, 1, 2], [1], [], [2]];
    const sliced = { name: 'sliced', namespace: NAMESPACE, service: 'sliced' };

    test('A12: UPDATEs name its prefixes only, and for ten seconds no session is dropped', async () => {
      await workload.expose('sliced', { app: null, addresses: SLICED });
      const before = await routes.connectionsDropped();
      const logs = (await Promise.all(routes.routers.map(listen))).flat();
      const started = performance.now();
      const untouched = Object.keys({ ...served([]), ...hostRoutes(OTHER, []) });
      await routes.untouched(untouched, async () => {
        for (let round = 0; round < SETS.length || performance.now() - started < WATCHED_MS; round++) {
          const on = SETS[round % SETS.length] ?? [];
          const names: readonly string[] = on.map((index) => WORKERS[index] ?? '');
          const endpoints = web.filter((pod) => names.includes(pod.node)).map(ready);
          await apply(cluster, ...slices({ ...sliced, endpoints }));
          await routes.become(hostRoutes(SLICED, names));
        }
      });
      await Promise.all(logs.map((log) => log.stop()));
      for (const log of logs) {
        expect(log.problems).toEqual([]);
        const named = log.updates().map((word) => /^[+-](\S+)/.exec(word)?.[1] ?? word);
        expect([...new Set(named)].sort()).toEqual(Object.keys(hostRoutes(SLICED, [])).sort());
      }
      expect(await routes.connectionsDropped()).toEqual(before);
    });
  });
});
