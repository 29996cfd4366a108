// A cluster whose pods appear to the outside under their node's address, as most do (CASES A1, A3, A5, A6, A9, A12, B3):
// the routers, which listen to ranges, see both replicas under two nodes' addresses; routes are the same as ever and
// traffic flows. What cannot be had behind SNAT is said: the sessions are not authenticated.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { notYet, waitFor, type Cluster, type PodTraffic } from '@herald/lab';

import { heraldPods, list, sessionsUp, type KubernetesObject } from '../support/cluster-herald.ts';
import { ClusterRoutes, hostRoutes } from '../support/cluster-routes.ts';
import { Workload, type WebPod } from '../support/cluster-workload.ts';
import { SITE_RANGES, sharedHerald, siteAddresses } from '../support/own-cluster.ts';
import { replaced } from '../support/replica-roles.ts';
import { CAN_RUN, type RouterName } from '../support/shared-cluster.ts';

interface ReplicaItem extends KubernetesObject {
  readonly status?: {
    readonly peers?: readonly {
      readonly name: string;
      readonly state: string;
      readonly authenticated?: string;
    }[];
  };
}

const nodesOf = (pods: readonly WebPod[]): string[] => pods.map(({ node }) => node);

describe.skipIf(!CAN_RUN)('pods behind their nodes’ addresses', () => {
  let cluster: Cluster<RouterName>;
  let workload: Workload;
  let routes: ClusterRoutes<RouterName>;

  beforeAll(async () => {
    cluster = await sharedHerald();
    await traffic('masqueraded');
    workload = await Workload.open(cluster, 'shop');
    routes = new ClusterRoutes(cluster, { ranges: SITE_RANGES });
  });
  afterAll(async () => {
    await workload.close();
    await traffic('routed');
    await cluster.stop();
  });

  /** Connections that stand are not touched by it: the sessions begin anew. */
  async function traffic(kind: PodTraffic): Promise<void> {
    await cluster.setPodTraffic(kind);
    for (const { metadata } of await heraldPods(cluster)) {
      await replaced(cluster, metadata.name);
    }
    await sessionsUp(cluster);
  }

  test('B3: each replica is known by the address of its own node', async () => {
    const pods = await heraldPods(cluster);
    const nodes = pods.map(({ spec }) => (spec as { nodeName: string }).nodeName);
    const addresses = nodes.map((name) => cluster.node(name).plan.ipv4).sort();
    expect(new Set(addresses).size).toBe(2);
    for (const name of routes.routers) {
      const seen = await waitFor(`${name} has a session with each`, async () => {
        const speakers = await routes.speakers(name);
        return speakers.length === 2 ? speakers : notYet(speakers);
      });
      expect([...seen].sort(), name).toEqual(addresses);
    }
  });

  const rows: [title: string, number: number, spec: object][] = [
    ['Cluster', 1, {}],
    ['Local', 2, { externalTrafficPolicy: 'Local' }],
  ];
  test.each(rows)('A1: %s, scaled from one node to two and back', async (title, number, spec) => {
    const [name, addresses] = [title.toLowerCase(), siteAddresses(number)];
    const first = await workload.serve(name, { replicas: 1, nodes: ['worker-0', 'worker-2'] });
    await workload.expose(name, { app: name, addresses, spec: { ...spec } });
    await routes.become(hostRoutes(addresses, nodesOf(first)));
    await routes.answered(addresses, first);
    for (const replicas of [2, 1]) {
      const pods = await workload.scale(name, replicas);
      await routes.become(hostRoutes(addresses, nodesOf(pods)));
      await routes.answered(addresses, pods);
    }
  });

  const label = (change: string): Promise<string> => cluster.kubectl(['label', 'node', 'worker-2', change]);
  const retyped = (type: string): Promise<string> =>
    workload.kubectl('patch', 'service', 'local', '-p', JSON.stringify({ spec: { type } }));
  const announced = (nodeSelectors: readonly object[] | null): Promise<string> =>
    cluster.kubectl([
      'patch',
      'bgpadvertisement',
      'default',
      '--type=merge',
      '-p',
      JSON.stringify({ spec: { nodeSelectors } }),
    ]);

  describe('A3, A5, A6, A9: what changes for a Service', () => {
    const BOTH = ['worker-0', 'worker-2'];
    const EXCLUDE = 'node.kubernetes.io/exclude-from-external-load-balancers';
    const [byCluster, byLocal] = [siteAddresses(1), siteAddresses(2)];
    const all = [...byCluster, ...byLocal];
    let dropped: Awaited<ReturnType<typeof routes.connectionsDropped>> = {};
    let ofCluster: readonly WebPod[] = [];
    let ofLocal: readonly WebPod[] = [];

    beforeAll(async () => {
      dropped = await routes.connectionsDropped();
    });

    test('A5: no endpoint left: withdrawn, and back', async () => {
      await workload.scale('cluster', 0);
      await routes.become(hostRoutes(byCluster, []));
      [ofCluster, ofLocal] = await Promise.all([workload.scale('cluster', 2), workload.scale('local', 2)]);
      await routes.become(hostRoutes(all, BOTH));
      await routes.answered(byCluster, ofCluster);
    });

    test('A3: a node that is excluded leaves, and comes back', async () => {
      await label(`${EXCLUDE}=`);
      await routes.become(hostRoutes(all, ['worker-0']));
      await routes.answered(byCluster, ofCluster);
      await label(`${EXCLUDE}-`);
      await routes.become(hostRoutes(all, BOTH));
      await routes.answered(byLocal, ofLocal);
    });

    test('A6: type changed: withdrawn, and back; the other stays', async () => {
      await routes.untouched(Object.keys(hostRoutes(byCluster, [])), async () => {
        await retyped('NodePort');
        await routes.become(hostRoutes(byLocal, []));
        await retyped('LoadBalancer');
        await routes.become(hostRoutes(byLocal, BOTH));
      });
      await routes.answered(byLocal, ofLocal);
    });

    test('A9: by node label', async () => {
      await label('zone=a');
      await announced([{ matchLabels: { zone: 'a' } }]);
      await routes.become(hostRoutes(all, ['worker-2']));
      await routes.answered(
        byLocal,
        ofLocal.filter(({ node }) => node === 'worker-2'),
      );
      await announced(null);
      await routes.become(hostRoutes(all, BOTH));
      await label('zone-');
    });

    test('A12: no session was dropped by any of this', async () => {
      expect(await routes.connectionsDropped()).toEqual(dropped);
    });
  });

  test('B3: every replica says of every session that it is not authenticated', async () => {
    const said = await waitFor(
      'two replicas speak of two peers each',
      async () => {
        const replicas = await list<ReplicaItem>(cluster, 'heraldreplicas', '-n', 'herald-system');
        const peers = replicas.flatMap(({ status }) => status?.peers ?? []);
        const up = peers.filter(({ state }) => state === 'Established');
        return up.length === 4 ? up : notYet(replicas.map(({ status }) => status));
      },
      30_000,
    );
    expect(said.map(({ authenticated }) => authenticated)).toEqual(['No', 'No', 'No', 'No']);
  });
});
