// Which nodes are next hops, who is told, and what goes over the wire (CASES A3, A9, A12). Nodes are disturbed:
// labelled, cordoned, silenced, deleted, drained, and put back. Tables and kernels of both routers
// hold exactly the right nodes, and requests are answered by the right pods.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { WEB_PORT, type Cluster } from '@herald/lab';

import { apply } from '../support/cluster-herald.ts';
import { ClusterRoutes, hostRoutes, type NodesByPrefix } from '../support/cluster-routes.ts';
import { Workload, type WebPod } from '../support/cluster-workload.ts';
import { SITE_RANGES, sharedHerald, siteAddresses } from '../support/own-cluster.ts';
import { CAN_RUN, type RouterName } from '../support/shared-cluster.ts';
import { RemovedNode } from '../support/removed-node.ts';
import { WireLog } from '../support/wire-log.ts';

const WORKERS = ['worker-0', 'worker-1', 'worker-2'] as const;
const REMAINING = ['worker-0', 'worker-2'] as const;
const EXCLUDE = 'node.kubernetes.io/exclude-from-external-load-balancers';
const CLUSTER = siteAddresses(1);
const LOCAL = siteAddresses(2);
const OTHER = siteAddresses(3);
const SLICED = siteAddresses(4);

const served = (nodes: readonly string[]): NodesByPrefix => hostRoutes([...CLUSTER, ...LOCAL], nodes);

const tier = (value: string): object => ({ serviceSelectors: [{ matchLabels: { tier: value } }] });
const only = (addresses: readonly string[], nodes: readonly string[]): NodesByPrefix => ({
  ...hostRoutes([...CLUSTER, ...LOCAL, ...OTHER], []),
  ...hostRoutes(addresses, nodes),
});

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

  const slice = (family: 'IPv4' | 'IPv6', on: readonly number[]): object => ({
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: {
      name: `sliced-${family.toLowerCase()}`,
      namespace: workload.namespace,
      labels: { 'kubernetes.io/service-name': 'sliced' },
    },
    addressType: family,
    ports: [{ port: WEB_PORT, protocol: 'TCP', name: '' }],
    endpoints: on.map((index) => ({
      addresses: web
        .filter((pod) => pod.node === WORKERS[index])
        .flatMap(({ addresses }) => addresses.filter((one) => one.includes(':') === (family === 'IPv6'))),
      nodeName: WORKERS[index],
      conditions: { ready: true },
    })),
  });

  async function listen(name: RouterName): Promise<readonly WireLog[]> {
    const speakers = await routes.speakers(name);
    return await Promise.all(
      speakers.map((speaker) => WireLog.start(cluster.lab, cluster.router(name), speaker)),
    );
  }

  beforeAll(async () => {
    cluster = await sharedHerald();
    workload = await Workload.open(cluster, 'shop');
    routes = new ClusterRoutes(cluster, { ranges: SITE_RANGES });
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

  describe('A3: a node leaves', () => {
    test.each(['', 'false'])('A3: the exclude label with the value "%s"', async (value) => {
      await leaves(() => node('label', 'node', 'worker-1', `${EXCLUDE}=${value}`), 'pods stay');
      await node('label', 'node', 'worker-1', `${EXCLUDE}-`);
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

    test('A12: UPDATEs name its prefixes only, and for ten seconds no session is dropped', async () => {
      await workload.expose('sliced', { app: null, addresses: SLICED });
      const before = await routes.connectionsDropped();
      const logs = (await Promise.all(routes.routers.map(listen))).flat();
      const started = performance.now();
      const untouched = Object.keys({ ...served([]), ...hostRoutes(OTHER, []) });
      await routes.untouched(untouched, async () => {
        for (let round = 0; round < SETS.length || performance.now() - started < WATCHED_MS; round++) {
          const on = SETS[round % SETS.length] ?? [];
          await apply(cluster, slice('IPv4', on), slice('IPv6', on));
          const names = on.map((index) => WORKERS[index] ?? '');
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
