// Parts of Herald that die, stop, are paused, replaced or moved.

import { NAMESPACE } from '../support/cluster-herald.ts';
import { INVISIBLE, VANISHED, type Expectation, type FailureRow } from './failure-row.ts';
import {
  bgpdOf,
  controllerOf,
  kill,
  leader,
  leaseLeft,
  replicas,
  standby,
} from '../support/herald-replicas.ts';

/** Who leaves on purpose is followed at once. */
const LEFT: Expectation = { ...INVISIBLE, nextChangeMs: 300 };
const STOPPED_S = 60;

export const HERALD_ROWS: readonly FailureRow[] = [
  {
    group: 'control',
    name: 'nothing fails',
    expected: INVISIBLE,
    isShort: true,
    act: async (stage) => {
      await stage.change();
      await stage.pause(5);
    },
  },
  {
    group: 'D1',
    name: 'kill -9: controller of the leader',
    expected: VANISHED,
    isShort: true,
    act: async (stage) => {
      kill(controllerOf(await leader(stage.cluster)));
      await stage.change();
      await stage.recovered();
    },
  },
  {
    group: 'D1',
    name: 'kill -9: bgpd of the leader',
    expected: VANISHED,
    isShort: true,
    act: async (stage) => {
      kill(bgpdOf(await leader(stage.cluster)));
      await stage.change();
      await stage.recovered();
    },
  },
  {
    group: 'D1',
    name: 'kill -9: controller and bgpd of the leader',
    expected: VANISHED,
    act: async (stage) => {
      const first = await leader(stage.cluster);
      kill(controllerOf(first), bgpdOf(first));
      await stage.change();
      await stage.recovered();
    },
  },
  {
    group: 'D1',
    name: 'the leader’s pod is deleted',
    expected: LEFT,
    isShort: true,
    act: async (stage) => {
      const { name } = await leader(stage.cluster);
      const left = leaseLeft(stage.api, name);
      await stage.deletePod(name);
      await stage.change(await left);
      await stage.recovered();
    },
  },
  {
    group: 'D1',
    name: 'the leader’s pod is deleted by force',
    expected: VANISHED,
    act: async (stage) => {
      const { name } = await leader(stage.cluster);
      await stage.deletePod(name, '--force', '--grace-period=0');
      await stage.change();
      await stage.recovered();
    },
  },
  {
    group: 'D1',
    name: 'kill -9: controller and bgpd of the standby',
    expected: { ...INVISIBLE, nextChangeMs: 1000 },
    act: async (stage) => {
      const second = await standby(stage.cluster);
      kill(controllerOf(second), bgpdOf(second));
      await stage.change();
      await stage.recovered();
    },
  },
  {
    group: 'D1',
    name: 'kill -9: every controller and every bgpd',
    expected: {
      lost: 'counted',
      isUnseen: false,
      because: 'without graceful restart the routes go with the sessions',
    },
    act: async (stage) => {
      kill(...(await replicas(stage.cluster)).flatMap((replica) => [controllerOf(replica), bgpdOf(replica)]));
      await stage.recovered();
    },
  },
  {
    group: 'D1',
    name: 'the leader’s node loses power',
    expected: VANISHED,
    act: async (stage) => {
      const node = stage.cluster.node((await leader(stage.cluster)).node);
      const since = Date.now();
      await node.powerOff();
      await stage.change(since);
      await node.powerOn();
      await stage.recovered();
    },
  },
  {
    group: 'D2',
    name: 'the leader and two workers lose power',
    expected: {
      lost: 'counted',
      isUnseen: false,
      nextChangeMs: VANISHED.nextChangeMs ?? 0,
      because:
        'until Kubernetes marks the workers, nobody knows; exactly half of the nodes is not most of them',
    },
    act: async (stage) => {
      const { cluster } = stage;
      const [away = '', ...stay] = stage.nodes;
      const idle = cluster.workers.find(({ name }) => !stage.nodes.includes(name));
      const first = cluster.node((await leader(cluster)).node);
      const dead = [first, cluster.node(away), idle ?? first];
      const since = Date.now();
      await Promise.all(dead.map((node) => node.powerOff()));
      await stage.change(since);
      await stage.serve(stay);
      await Promise.all(dead.map((node) => node.powerOn()));
      await stage.serve(stage.nodes);
      await stage.recovered();
    },
  },
  {
    group: 'D3',
    name: 'rolling update',
    expected: INVISIBLE,
    isShort: true,
    act: async (stage) => {
      await stage.cluster.kubectl(['rollout', 'restart', 'deployment/herald', '-n', NAMESPACE]);
      await stage.recovered();
    },
  },
  {
    group: 'D3',
    name: 'scaled 3 -> 1 -> 3',
    expected: INVISIBLE,
    act: async (stage) => {
      for (const count of [3, 1, 3]) {
        await stage.scale(count);
      }
    },
    after: (stage) => stage.scale(2),
  },
  {
    group: 'D11',
    name: `the leader’s controller is stopped for ${STOPPED_S} s`,
    expected: VANISHED,
    act: async (stage) => {
      const first = await leader(stage.cluster);
      const { pid } = controllerOf(first);
      const since = Date.now();
      process.kill(pid, 'SIGSTOP');
      await stage.change(since);
      await stage.pause(STOPPED_S - (Date.now() - since) / 1000);
      process.kill(pid, 'SIGCONT');
      await stage.recovered();
      await stage.writesNothing(first, since);
    },
  },
  {
    group: 'D12',
    name: 'the leader’s machine is paused past its Lease',
    expected: VANISHED,
    act: async (stage) => {
      const first = await leader(stage.cluster);
      const node = stage.cluster.node(first.node);
      const since = Date.now();
      await node.freeze();
      try {
        await stage.change(since);
      } finally {
        await node.thaw();
      }
      await stage.recovered();
      await stage.writesNothing(first, since);
    },
  },
];
