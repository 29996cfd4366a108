// Routers, links and workers. The client asks through FRR: what happens to the other router is not its concern.

import { UPLINK, openRouter } from '@herald/lab';

import { APART, type Expectation, type FailureRow } from './failure-row.ts';
import type { FailureStage } from './failure-stage.ts';
import { whileCut } from '../support/pod-cut.ts';
import { leader } from '../support/herald-replicas.ts';

const FLAPS = 20;

const UNNOTICED: Expectation = {
  lost: 'counted',
  isUnseen: false,
  because: 'until Kubernetes marks the node, nobody knows; probes that would are not part of this version',
};

async function loseAndRegain(
  stage: FailureStage,
  away: readonly string[],
  stay: readonly string[],
): Promise<void> {
  const nodes = away.map((name) => stage.cluster.node(name));
  await Promise.all(nodes.map((node) => node.powerOff()));
  await stage.serve(stay);
  await Promise.all(nodes.map((node) => node.powerOn()));
  await stage.serve(stage.nodes);
  await stage.recovered();
}

export const NETWORK_ROWS: readonly FailureRow[] = [
  {
    group: 'D4',
    name: 'the other router’s link flaps 20 times',
    expected: APART,
    act: async (stage) => {
      const { namespace } = stage.cluster.router('bird');
      for (let flap = 0; flap < FLAPS; flap++) {
        await namespace.linkDown(UPLINK);
        await namespace.linkUp(UPLINK);
        await stage.pause(0.5);
      }
      await stage.recovered();
    },
  },
  {
    group: 'D4',
    name: 'the other router is killed and started again',
    expected: APART,
    act: async (stage) => {
      const bird = stage.cluster.router('bird');
      await bird.kill();
      await stage.pause(5);
      await bird.start(openRouter(bird));
      await stage.recovered();
    },
  },
  {
    group: 'D6',
    name: 'kube-proxy of a worker that serves is dead for 20 s',
    expected: APART,
    act: async (stage) => {
      const node = stage.cluster.node(stage.nodes[0] ?? '');
      await node.kill('kube-proxy');
      await stage.pause(20);
      await node.start('kube-proxy');
      await stage.recovered();
    },
  },
  {
    group: 'D6',
    name: 'the leader reaches no worker',
    expected: APART,
    isShort: true,
    act: async (stage) => {
      const node = stage.cluster.node((await leader(stage.cluster)).node);
      await whileCut(
        node,
        stage.cluster.workers.flatMap(({ plan }) => [plan.ipv4, plan.ipv6]),
        async () => {
          await stage.pause(15);
        },
      );
      await stage.recovered();
    },
  },
  {
    group: 'D6',
    name: 'a worker’s kubelet is cut off from the API: its node goes',
    expected: { lost: 0, isUnseen: false, because: 'the pods of that node serve on, and leave as not ready' },
    act: async (stage) => {
      const [away = '', ...stay] = stage.nodes;
      const node = stage.cluster.node(away);
      await node.cutFromApi();
      try {
        await stage.nodesNotReady([away]);
        await stage.serve(stay);
      } finally {
        await node.joinApi();
      }
      await stage.serve(stage.nodes);
      await stage.recovered();
    },
  },
  {
    group: 'D6',
    name: 'the link of a worker that serves is down',
    expected: UNNOTICED,
    act: async (stage) => {
      const [away = '', ...stay] = stage.nodes;
      const node = stage.cluster.node(away);
      await node.linkDown();
      await stage.serve(stay);
      await node.linkUp();
      await stage.serve(stage.nodes);
      await stage.recovered();
    },
  },
  {
    group: 'D6',
    name: 'a worker that serves loses power',
    expected: UNNOTICED,
    act: async (stage) => {
      const [away = '', ...stay] = stage.nodes;
      await loseAndRegain(stage, [away], stay);
    },
  },
  {
    group: 'D6',
    name: 'two workers, all that serve, lose power',
    expected: { ...UNNOTICED, because: `${UNNOTICED.because}; two of six nodes are not most of them` },
    act: (stage) => loseAndRegain(stage, stage.nodes, []),
  },
];
