// What the demo does on a cluster: expose a Deployment, let it grow and shrink, take Herald's leader away, delete the
// Service. After each step the routers have to have exactly the right nodes, told by both replicas; a client behind
// the FRR router asks all the time.

import { setTimeout as sleep } from 'node:timers/promises';

import type { Cluster } from '@herald/lab';

import { NAMESPACE, apply, leaseHolder, rolledOut } from '../support/cluster-herald.ts';
import { ClusterRoutes, hostRoutes } from '../support/cluster-routes.ts';
import { Workload, type WebPod } from '../support/cluster-workload.ts';
import { SITE_RANGES, sharedHerald, siteAddresses } from '../support/own-cluster.ts';
import type { RouterName } from '../support/shared-cluster.ts';

export interface ClusterStep {
  readonly title: string;
  readonly commands: readonly string[];
  /** Prefix -> addresses of its next hops in the FRR router's kernel. */
  readonly routes: Readonly<Record<string, readonly string[]>>;
  /** Name of the pod -> how many requests it answered. */
  readonly answers: Readonly<Record<string, number>>;
  readonly sent: number;
  readonly lost: number;
  readonly lostByCause: Readonly<Record<string, number>>;
  /** From the last command to routers that are as they should be. */
  readonly convergedMs: number;
}

interface Plan {
  readonly title: string;
  readonly commands: readonly string[];
  /** Resolves with the pods that serve from then on. */
  readonly act: () => Promise<readonly WebPod[]>;
  readonly asks: boolean;
}

const ADDRESSES = siteAddresses(10);
const RATE = 200;
const ROLLOUT_SECONDS = 120;
const LINGER_SECONDS = 5;
const UNASKED = { sent: 0, lost: 0, lostByCause: {}, answers: {} } as const;
/** Before and after what happens. */
const MARGIN_MS = 1000;

export class ClusterWalk {
  readonly #cluster: Cluster<RouterName>;
  readonly #workload: Workload;
  readonly #routes: ClusterRoutes<RouterName>;
  #pods: readonly WebPod[] = [];

  private constructor(cluster: Cluster<RouterName>, workload: Workload) {
    this.#cluster = cluster;
    this.#workload = workload;
    this.#routes = new ClusterRoutes(cluster, { ranges: SITE_RANGES });
  }

  static async open(): Promise<ClusterWalk> {
    const cluster = await sharedHerald();
    return new ClusterWalk(cluster, await Workload.open(cluster, 'demo'));
  }

  async close(): Promise<void> {
    await this.#workload.close();
    await this.#cluster.stop();
  }

  /** What is there before the first step. */
  async introduction(): Promise<string> {
    return [
      await this.#cluster.kubectl(['get', 'nodes']),
      await this.#cluster.kubectl(['get', 'pods', '-n', NAMESPACE, '-o', 'wide']),
      await this.#cluster.kubectl(['get', 'bgppeers,ipaddresspools']),
    ].join('\n');
  }

  async *steps(): AsyncIterable<ClusterStep> {
    yield await this.#step({
      title: 'A Deployment of two pods is exposed',
      commands: [
        'kubectl create deployment hello --replicas=2',
        'kubectl expose deployment hello --type=LoadBalancer',
      ],
      act: () => this.#exposed(),
      asks: false,
    });
    await this.#routes.answered(ADDRESSES, this.#pods, ['frr']);
    yield await this.#step(this.#scaled(3));
    yield await this.#step(this.#scaled(2));
    yield await this.#step({
      title: 'Herald’s leader is deleted',
      commands: ['kubectl delete pod LEADER -n herald-system'],
      act: () => this.#withoutLeader(),
      asks: true,
    });
    yield await this.#step({
      title: 'The Service is deleted',
      commands: ['kubectl delete service hello'],
      act: async () => {
        await this.#workload.delete('service', 'hello');
        return [];
      },
      asks: false,
    });
  }

  #scaled(replicas: number): Plan {
    return {
      title: `The Deployment has ${replicas} pods`,
      commands: [`kubectl scale deployment hello --replicas=${replicas}`],
      act: () => this.#workload.scale('hello', replicas),
      asks: true,
    };
  }

  async #exposed(): Promise<readonly WebPod[]> {
    const pods = await this.#workload.serve('hello', { replicas: 2, lingerSeconds: LINGER_SECONDS });
    await apply(this.#cluster, this.#workload.service('hello', { app: 'hello', addresses: ADDRESSES }));
    return pods;
  }

  async #withoutLeader(): Promise<readonly WebPod[]> {
    const leader = await leaseHolder(this.#cluster);
    await this.#cluster.kubectl(['delete', 'pod', leader, '-n', NAMESPACE]);
    await rolledOut(this.#cluster, ROLLOUT_SECONDS);
    return this.#pods;
  }

  async #step({ title, commands, act, asks }: Plan): Promise<ClusterStep> {
    const client = this.#cluster.client('frr');
    if (asks) {
      await client.start({ targets: ADDRESSES, ratePerSecond: RATE });
      await sleep(MARGIN_MS);
    }
    this.#pods = await act();
    const doneMs = performance.now();
    await this.#routes.become(
      hostRoutes(
        ADDRESSES,
        this.#pods.map(({ node }) => node),
      ),
    );
    const convergedMs = Math.round(performance.now() - doneMs);
    const { sent, lost, lostByCause, answers } = asks ? await this.#stopped() : UNASKED;
    const routes = await this.#kernelRoutes();
    return { title, commands, routes, answers, sent, lost, lostByCause, convergedMs };
  }

  async #stopped() {
    await sleep(MARGIN_MS);
    return await this.#cluster.client('frr').stop();
  }

  async #kernelRoutes(): Promise<ClusterStep['routes']> {
    const router = this.#cluster.router('frr');
    const fibs = await Promise.all([router.kernelFib(4), router.kernelFib(6)]);
    const ours = new Set(Object.keys(hostRoutes(ADDRESSES, [])));
    const found = fibs.flatMap((fib) => [...fib]).filter(([prefix]) => ours.has(prefix));
    return Object.fromEntries(found.map(([prefix, hops]) => [prefix, hops.map(({ address }) => address)]));
  }
}
