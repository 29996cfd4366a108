// The API server and etcd: away, frozen, older than before, or out of reach for some.

import { API_ADDRESSES } from '@herald/lab';

import { apply } from '../support/cluster-herald.ts';
import type { NodesByPrefix } from '../support/cluster-routes.ts';
import { siteAddresses } from '../support/own-cluster.ts';
import { APART, INVISIBLE, VANISHED, type Expectation, type FailureRow } from './failure-row.ts';
import type { FailureStage } from './failure-stage.ts';
import { whileCut } from '../support/pod-cut.ts';
import {
  restartKubelets,
  restartWatchers,
  whileEtcdIsFrozen,
  withoutApiServer,
  withoutControllerManager,
} from '../support/control-plane-trouble.ts';
import { bgpdOf, controllerOf, kill, leader, replicas } from '../support/herald-replicas.ts';

const AWAY_S = 300;
/** Two of six nodes serve; more than half is all workers and one more. */
const MOST_NODES = ['worker-0', 'worker-1', 'worker-2', 'control-2'] as const;
const [GONE] = siteAddresses(23);
/** In two halves of one prefix. */
const SPLIT = [siteAddresses(24), siteAddresses(26)].map(([ipv4]) => ipv4);
const WHOLE = `${SPLIT[0]}/30`;

const WITHDRAWN: Expectation = {
  ...APART,
  because: 'the next change is the withdrawal by the stale replica',
};

async function apiServerAway(stage: FailureStage, meanwhile: () => Promise<unknown>): Promise<void> {
  const { controlPlane } = stage.cluster;
  await withoutControllerManager(controlPlane, () => withoutApiServer(controlPlane, meanwhile));
  await stage.recovered();
}

function halves(length: number): object {
  return {
    apiVersion: 'heraldbgp.io/v1alpha1',
    kind: 'BGPAdvertisement',
    metadata: { name: 'split' },
    spec: {
      serviceSelectors: [{ matchLabels: { part: 'split' } }],
      aggregation: { length, unassigned: 'RouterDiscards' },
    },
  };
}

function splitInto(length: number, nodes: readonly string[]): NodesByPrefix {
  return Object.fromEntries(SPLIT.map((address) => [`${address}/${length}`, nodes]));
}

export const API_ROWS: readonly FailureRow[] = [
  {
    group: 'D1',
    name: `the API server is away for ${AWAY_S} s`,
    expected: APART,
    act: (stage) => apiServerAway(stage, () => stage.pause(AWAY_S)),
  },
  {
    group: 'D1',
    name: 'the API server is away for 20 s',
    expected: APART,
    isShort: true,
    act: (stage) => apiServerAway(stage, () => stage.pause(20)),
  },
  {
    group: 'D1',
    name: 'etcd is frozen for 60 s',
    expected: APART,
    act: async (stage) => {
      const { controlPlane } = stage.cluster;
      await withoutControllerManager(controlPlane, () =>
        whileEtcdIsFrozen(controlPlane, () => stage.pause(60)),
      );
      await stage.recovered();
    },
  },
  {
    group: 'D2',
    name: 'the leader is cut off from the API; a Service changes',
    expected: { ...VANISHED, podsStay: true },
    act: async (stage) => {
      const node = stage.cluster.node((await leader(stage.cluster)).node);
      const since = Date.now();
      await whileCut(node, Object.values(API_ADDRESSES), async () => {
        await stage.change(since);
      });
      await stage.recovered();
    },
  },
  {
    group: 'D2',
    name: 'the leader is cut off from the API; a Service is deleted',
    expected: WITHDRAWN,
    act: async (stage) => {
      await stage.workload.expose('gone', { app: 'web', addresses: [GONE] });
      await stage.routes.become({ [`${GONE}/32`]: stage.nodes });
      const node = stage.cluster.node((await leader(stage.cluster)).node);
      await whileCut(node, Object.values(API_ADDRESSES), async () => {
        const since = Date.now();
        await stage.gone(`${GONE}/32`, since, () => stage.workload.delete('service', 'gone'));
      });
      stage.routes.expect({ [`${GONE}/32`]: [] });
      await stage.recovered();
    },
  },
  {
    group: 'D2',
    name: 'the leader of three is cut off from the API; an aggregate is split',
    expected: WITHDRAWN,
    act: async (stage) => {
      const { cluster } = stage;
      const node = cluster.node((await leader(cluster)).node);
      await whileCut(node, Object.values(API_ADDRESSES), async () => {
        const since = Date.now();
        await stage.gone(WHOLE, since, () => apply(cluster, halves(31)));
      });
      stage.routes.expect({ [WHOLE]: [], ...splitInto(31, stage.nodes) });
      await stage.recovered();
    },
    before: async (stage) => {
      await stage.scale(3);
      for (const [index, address] of SPLIT.entries()) {
        const labels = { part: 'split' };
        await stage.workload.expose(`split-${index}`, { app: 'web', addresses: [address], labels });
      }
      await apply(stage.cluster, halves(30));
      await stage.routes.become({ [WHOLE]: stage.nodes, ...splitInto(32, stage.nodes) });
    },
    after: async (stage) => {
      await stage.cluster.kubectl(['delete', 'bgpadvertisement', 'split', '--ignore-not-found']);
      await stage.workload.delete('service', ...SPLIT.map((_, index) => `split-${index}`));
      await stage.routes.become({ ...splitInto(31, []), ...splitInto(32, []), [WHOLE]: [] });
      await stage.scale(2);
    },
  },
  {
    group: 'D2',
    name: 'one of three hears nobody but the routers; a Service changes; the pod of the next leader is deleted',
    expected: VANISHED,
    act: async (stage) => {
      const { cluster } = stage;
      const first = await leader(cluster);
      // What a leader has not said itself in its term, any replica that is at that term says instead of it.
      await stage.change();
      await stage.recovered();
      const others = cluster.nodes.filter(({ name }) => name !== first.node);
      const unheard = [...Object.values(API_ADDRESSES), ...others.flatMap(({ plan }) => plan.podRanges)];
      await whileCut(cluster.node(first.node), unheard, async () => {
        await stage.change();
        await stage.neverGoesBack(async () => {
          // Longer than any change before a take-over is doubted.
          await stage.pause(15);
          const next = await leader(cluster);
          await stage.deletePod(next.name);
          await stage.pause(30);
        });
      });
      await stage.recovered();
    },
    before: (stage) => stage.scale(3),
    after: (stage) => stage.scale(2),
  },
  {
    group: 'D2',
    name: 'the leader is cut off from both routers; a Service changes',
    expected: { ...INVISIBLE, because: 'its sessions and its paths last until the hold time is over' },
    act: async (stage) => {
      const node = stage.cluster.node((await leader(stage.cluster)).node);
      const since = Date.now();
      await whileCut(
        node,
        stage.routes.routers.map((name) => stage.cluster.router(name).ipv4),
        async () => {
          await stage.change(since);
        },
      );
      await stage.recovered();
    },
  },
  {
    group: 'D8',
    name: 'kubelets of most nodes are cut off from the API',
    expected: {
      lost: 'counted',
      isUnseen: true,
      because: 'nothing is withdrawn; kube-proxies refuse while they hear that no pod is ready',
    },
    act: async (stage) => {
      const nodes = MOST_NODES.map((name) => stage.cluster.node(name));
      await Promise.all(nodes.map((node) => node.cutFromApi()));
      try {
        await stage.nodesNotReady(MOST_NODES);
        await stage.pause(20);
      } finally {
        await Promise.all(nodes.map((node) => node.joinApi()));
      }
      await stage.recovered();
    },
  },
  {
    group: 'D9',
    name: 'etcd is restored from an older snapshot',
    expected: APART,
    act: async (stage) => {
      const { controlPlane } = stage.cluster;
      await controlPlane.saveEtcd();
      // One only: what follows the restore is another change then, not the state that came back.
      await stage.change();
      await stage.recovered();
      await controlPlane.restoreEtcd();
      await restartWatchers(stage.cluster);
      await stage.change();
      await stage.recovered();
    },
    after: async (stage) => {
      await restartKubelets(stage.cluster);
      await stage.recovered();
    },
  },
  {
    group: 'D10',
    name: 'the API server is away; the leader’s controller is killed',
    expected: INVISIBLE,
    isShort: true,
    act: async (stage) => {
      const first = await leader(stage.cluster);
      await apiServerAway(stage, async () => {
        kill(controllerOf(first));
        await stage.pause(20);
      });
    },
  },
  {
    group: 'D10',
    name: 'the API server is away; the leader’s controller and bgpd are killed',
    expected: INVISIBLE,
    act: async (stage) => {
      const first = await leader(stage.cluster);
      await apiServerAway(stage, async () => {
        kill(controllerOf(first), bgpdOf(first));
        await stage.pause(60);
      });
    },
  },
  {
    group: 'D10',
    name: 'the API server is away; every controller is killed',
    expected: INVISIBLE,
    act: async (stage) => {
      const all = await replicas(stage.cluster);
      await apiServerAway(stage, async () => {
        kill(...all.map(controllerOf));
        await stage.pause(60);
      });
    },
  },
];
