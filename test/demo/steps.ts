// The walk of the demo, as data: what is changed, in the words of the manifests, and what both routers must
// have afterwards. A step that may lose requests says so; none of these may, because in each of them only
// Herald and what it reads changes, or a worker goes that no longer has endpoints.

import type { Worker } from '@herald/lab';

import { DUAL_STACK, advertisement, node, peer, service, slices } from '../support/manifests.ts';
import type { Routes } from './expectation.ts';
import { peerSpec, type Scene } from './scene.ts';

export interface Weights {
  /** Addresses of the Service that they belong to, and its prefixes. */
  readonly addresses: readonly string[];
  readonly byWorker: Readonly<Record<string, number>>;
}

export interface Step {
  readonly title: string;
  /** What an operator would have done. */
  readonly change: string;
  readonly act: (scene: Scene) => Promise<void>;
  readonly expected: (scene: Scene) => Routes;
  /** Service addresses that clients ask from this step on. */
  readonly serves?: readonly string[];
  /** Relative weights in the FRR router's kernel and among its answers; absent: every next hop counts alike. */
  readonly weights?: Weights;
}

const WEB = ['203.0.113.1', '2001:db8:53::1'];
const API = ['203.0.113.2', '2001:db8:53::2'];

export const STEPS: readonly Step[] = [
  {
    title: 'a Service with endpoints on all three workers',
    change: 'kubectl expose deployment web --type=LoadBalancer',
    act: async (scene) => {
      await serve(scene.topology.workers, WEB);
      writeService(scene, 'web', ['worker-0', 'worker-1', 'worker-2']);
    },
    expected: (scene) => routes(scene, WEB, [0, 1, 2]),
    serves: WEB,
  },
  {
    title: 'a second Service, one endpoint',
    change: 'kubectl expose deployment api --type=LoadBalancer',
    act: async (scene) => {
      await serve(scene.topology.workers, API);
      writeService(scene, 'api', ['worker-0']);
    },
    expected: (scene) => ({ ...routes(scene, WEB, [0, 1, 2]), ...routes(scene, API, [0]) }),
    serves: API,
  },
  {
    title: 'its endpoints scale from one node to three',
    change: 'kubectl scale deployment api --replicas=3',
    act: async (scene) => writeService(scene, 'api', ['worker-0', 'worker-1', 'worker-2']),
    expected: (scene) => ({ ...routes(scene, WEB, [0, 1, 2]), ...routes(scene, API, [0, 1, 2]) }),
  },
  {
    title: 'a node is drained: its endpoints move away',
    change: 'kubectl drain worker-2',
    act: async (scene) => {
      const { ipv4, ipv6 } = worker(scene, 2);
      scene.manifests.write('worker-2', node('worker-2', { ipv4, ipv6, spec: { unschedulable: true } }));
      writeService(scene, 'web', ['worker-0', 'worker-1']);
      writeService(scene, 'api', ['worker-0', 'worker-1']);
    },
    expected: (scene) => ({ ...routes(scene, WEB, [0, 1]), ...routes(scene, API, [0, 1]) }),
  },
  {
    title: 'the drained node is removed and powered off',
    change: 'kubectl delete node worker-2',
    act: async (scene) => {
      scene.manifests.remove('worker-2');
      await worker(scene, 2).powerOff();
    },
    expected: (scene) => ({ ...routes(scene, WEB, [0, 1]), ...routes(scene, API, [0, 1]) }),
  },
  {
    title: 'weights: three endpoints on one node, one on the other',
    change: 'nextHops.weight: Endpoints; web scales to four replicas',
    act: async (scene) => {
      scene.manifests.write('advertisement', advertisement('default', { nextHops: { weight: 'Endpoints' } }));
      writeService(scene, 'web', ['worker-0', 'worker-0', 'worker-0', 'worker-1']);
    },
    expected: (scene) => ({ ...routes(scene, WEB, [0, 1]), ...routes(scene, API, [0, 1]) }),
    weights: { addresses: WEB, byWorker: { 'worker-0': 3, 'worker-1': 1 } },
  },
  {
    title: "one peer's policy is edited",
    change: 'kubectl edit bgppeer tor-bird  # rank.mode: None',
    act: async (scene) => {
      const names = ['tor-frr', 'tor-bird'] as const;
      scene.manifests.write(
        'peers',
        ...names.map((name) => {
          const spec = peerSpec(scene.topology.router(name), name);
          return peer(name, name === 'tor-bird' ? { ...spec, rank: { mode: 'None' } } : spec);
        }),
      );
    },
    expected: (scene) => ({ ...routes(scene, WEB, [0, 1]), ...routes(scene, API, [0, 1]) }),
  },
  {
    title: 'the controller is killed, and a Service changes meanwhile',
    change: 'kill -9; kubectl scale deployment api --replicas=1',
    act: async (scene) => {
      await scene.herald.killController();
      writeService(scene, 'api', ['worker-1']);
    },
    // bgpd goes on with what it has.
    expected: (scene) => ({ ...routes(scene, WEB, [0, 1]), ...routes(scene, API, [0, 1]) }),
  },
  {
    title: 'the controller starts again',
    change: 'kubelet restarts the container',
    act: async (scene) => {
      scene.herald.startController();
      await scene.herald.serving();
    },
    expected: (scene) => ({ ...routes(scene, WEB, [0, 1]), ...routes(scene, API, [1]) }),
  },
];

/** kube-proxy on every node answers for every Service address. */
async function serve(workers: readonly Worker[], addresses: readonly string[]): Promise<void> {
  await Promise.all(workers.flatMap((each) => addresses.map((address) => each.addAddress(address))));
}

function writeService({ manifests }: Scene, name: string, endpoints: readonly string[]): void {
  manifests.write(name, service(name, { spec: DUAL_STACK }), ...slices(name, endpoints));
}

function worker({ topology }: Scene, index: number): Worker {
  const found = topology.workers[index];
  if (found === undefined) {
    throw new RangeError(`the demo has no worker ${index}`);
  }
  return found;
}

function routes(scene: Scene, [ipv4 = '', ipv6 = '']: readonly string[], workers: readonly number[]): Routes {
  const hops = workers.map((index) => worker(scene, index));
  return {
    [`${ipv4}/32`]: hops.map((hop) => hop.ipv4),
    [`${ipv6}/128`]: hops.map((hop) => hop.ipv6),
  };
}
