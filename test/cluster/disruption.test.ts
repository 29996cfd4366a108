// What planned work on a cluster costs its clients: drained nodes, a deleted node, both controllers down while a Service
// is deleted (CASES A6); rolling updates are among the failures. Requests sent and lost are told for each; none may be
// lost by what Herald controls, and a replica that goes may not change a router's kernel at all.

import { readFileSync, writeFileSync } from 'node:fs';

import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';

import { notYet, waitFor, type Cluster } from '@herald/lab';

import { NAMESPACE, apply, get, leaseHolder, rolledOut } from '../support/cluster-herald.ts';
import { ClusterRoutes, hostRoutes } from '../support/cluster-routes.ts';
import { Workload, type WebPod } from '../support/cluster-workload.ts';
import { controllerOf, kill, leader, replicas, type Replica } from '../support/herald-replicas.ts';
import { SITE_RANGES, sharedHerald, siteAddresses } from '../support/own-cluster.ts';
import { RemovedNode } from '../support/removed-node.ts';
import { CAN_RUN, type RouterName } from '../support/shared-cluster.ts';
import { SteadyClient } from '../support/steady-client.ts';

/** Requests a second: the highest that this machine can give without losing any by itself. */
const RATES = [1_000, 300, 100];
const CLUSTER = siteAddresses(1);
const LOCAL = siteAddresses(2);
const DELETED = siteAddresses(3);
const TARGETS = [...CLUSTER, ...LOCAL];
const ROLLOUT_SECONDS = 240;
const LINGER_SECONDS = 6;
/** Kubernetes delays a container that has ended before. */
const RESTARTED_MS = 300_000;

interface Placed {
  readonly metadata: { readonly name: string };
  readonly status?: { readonly ordinal?: number };
}

/** The file in which a replica keeps its place in the order of standbys. */
function placeOf(replica: Replica): string {
  return `/proc/${controllerOf(replica).pid}/root/run/herald/state/ordinal`;
}

describe.skipIf(!CAN_RUN)('planned work', () => {
  let cluster: Cluster<RouterName>;
  let workload: Workload;
  let routes: ClusterRoutes<RouterName>;
  let client: SteadyClient;
  let pods: readonly WebPod[] = [];

  beforeAll(async () => {
    cluster = await sharedHerald();
    workload = await Workload.open(cluster, 'shop');
    routes = new ClusterRoutes(cluster, { ranges: SITE_RANGES });
    await workload.serve('web', { replicas: 2, lingerSeconds: LINGER_SECONDS, ready: 'to its end' });
    const spec = { externalTrafficPolicy: 'Local' };
    await apply(
      cluster,
      workload.service('cluster', { app: 'web', addresses: CLUSTER }),
      workload.service('local', { app: 'web', addresses: LOCAL, spec }),
    );
    await settled();
    await routes.answered(TARGETS, pods);
    client = await SteadyClient.start(cluster.client('frr'), TARGETS, RATES, asMuchToDo);
  });
  // Also after a drain that was not as expected.
  afterEach(() => cluster.kubectl(['uncordon', ...cluster.nodes.map(({ name }) => name)]));
  afterAll(async () => {
    await workload.close();
    await cluster.stop();
  });

  /** Two pods are ready and the routers send to their nodes, told so by both replicas. */
  async function settled(elsewhere = ''): Promise<void> {
    pods = await workload.running('web', { replicas: 2, elsewhere });
    const nodes = pods.map(({ node }) => node);
    await routes.become(hostRoutes(TARGETS, nodes));
  }

  /** The pods of somebody else are moved while nothing of what the client asks for is touched. */
  async function asMuchToDo(): Promise<void> {
    await workload.serve('other', { replicas: 2 });
    await workload.kubectl('rollout', 'restart', 'deployment/other');
    await workload.kubectl('rollout', 'status', 'deployment/other', `--timeout=${ROLLOUT_SECONDS}s`);
    await workload.delete('deployment', 'other');
  }

  async function noneLost(what: string, act: () => Promise<unknown>): Promise<void> {
    const { sent, lost, lostByCause } = await client.during(what, act);
    expect(sent).toBeGreaterThan(0);
    expect({ lost, lostByCause }, what).toEqual({ lost: 0, lostByCause: {} });
  }

  /**
   * What Herald does with itself costs nothing, and IPv4 in FRR does not even see it. The others do for less than a
   * millisecond, whatever the speaker does (docs/adr/0005): they still go to the same nodes.
   */
  async function unseen(what: string, act: () => Promise<unknown>): Promise<void> {
    const prefixes = Object.keys(hostRoutes(TARGETS, []));
    let changes: Awaited<ReturnType<typeof routes.changes>> = [];
    await noneLost(what, async () => {
      changes = await routes.changes(prefixes, async () => {
        await act();
        await routes.hold();
      });
    });
    const told = changes.map(({ router, event }) => `${router} ${event.route.prefix} ${event.kind}`);
    process.stderr.write(`${what}: ${told.length} changes in the routers' kernels\n`);
    expect(told.filter((text) => text.startsWith('frr 203.'))).toEqual([]);
  }

  test('the leader’s control-plane node is drained', async () => {
    const before = await leader(cluster);
    await unseen('kubectl drain of the leader’s node', async () => {
      await cluster.kubectl([
        'drain',
        before.node,
        '--ignore-daemonsets',
        '--delete-emptydir-data',
        '--timeout=120s',
      ]);
      await rolledOut(cluster, ROLLOUT_SECONDS);
      await waitFor('another one leads', async () => {
        const holder = await leaseHolder(cluster);
        return (holder !== before.name && holder !== '') || notYet(holder);
      });
    });
  });

  test('a worker that serves is drained', async () => {
    const node = pods[0]?.node ?? '';
    await noneLost('kubectl drain of a worker', async () => {
      await cluster.kubectl([
        'drain',
        node,
        '--ignore-daemonsets',
        '--delete-emptydir-data',
        '--timeout=120s',
      ]);
      await settled();
    });
    expect(pods.map((pod) => pod.node)).not.toContain(node);
  });

  test('A6: a Service deleted while both controllers are down is withdrawn when they are back', async () => {
    await workload.expose('deleted', { app: 'web', addresses: DELETED });
    const nodes = pods.map((pod) => pod.node);
    await routes.become(hostRoutes(DELETED, nodes));
    await unseen('both controllers down, one Service deleted', async () => {
      const processes = (await replicas(cluster)).map(controllerOf);
      expect(processes).toHaveLength(2);
      for (const { pid } of processes) process.kill(pid, 'SIGSTOP');
      await workload.delete('service', 'deleted');
      await routes.hold();
      kill(...processes);
      await routes.become(hostRoutes(DELETED, []));
    });
    await rolledOut(cluster, ROLLOUT_SECONDS);
  });

  test('a replica that begins with the place of another one takes the next', async () => {
    const inOrder = (await replicas(cluster)).toSorted((a, b) => (a.name < b.name ? -1 : 1));
    const [first, second] = inOrder;
    if (first === undefined || second === undefined) {
      throw new Error('there are not two replicas');
    }
    const place = Number(readFileSync(placeOf(first), 'utf8'));
    await unseen('two replicas in one place', async () => {
      writeFileSync(placeOf(second), `${place}\n`);
      kill(controllerOf(second));
      await waitFor(
        'it tells another place',
        async () => {
          const { status } = await get<Placed>(cluster, 'heraldreplica', second.name, '-n', NAMESPACE);
          return status?.ordinal === place + 1 || notYet(status?.ordinal);
        },
        RESTARTED_MS,
      );
      await rolledOut(cluster, ROLLOUT_SECONDS);
    });
  });

  /**
   * The kubelet of a deleted node ends its pods at the moment at which kube-proxies learn that they are gone, and what
   * one of them sends there in between is refused, or not answered where the pod's network is gone as well. Which node
   * it came through makes no difference to that. Of the Services with policy Local, whose requests go where the routers
   * send them, none goes unanswered.
   */
  test('a node that serves is deleted', async () => {
    const gone = pods[0]?.node ?? '';
    const removed = await RemovedNode.of(cluster, gone);
    try {
      const { sent, lostByCause, lostByAddress } = await client.during('kubectl delete node', async () => {
        const stay = pods.filter(({ node }) => node !== gone).map(({ node }) => node);
        await cluster.kubectl(['delete', 'node', gone]);
        await routes.become(hostRoutes(TARGETS, stay));
        await settled(gone);
      });
      const { ECONNREFUSED: refused = 0, 'no answer in time': unanswered = 0, ...others } = lostByCause;
      expect(sent).toBeGreaterThan(0);
      expect(others).toEqual({});
      expect(refused + unanswered).toBeLessThan(sent / 1000);
      const byLocal = LOCAL.reduce((sum, address) => sum + (lostByAddress[address] ?? 0), 0);
      expect(byLocal, 'lost of policy Local').toBeLessThanOrEqual(refused);
      expect(pods.map((pod) => pod.node)).not.toContain(gone);
    } finally {
      await removed.putBack();
    }
  });
});
