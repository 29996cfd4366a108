// The scene of the failures: Herald's replicas in the shared cluster, real pods on two workers behind two Services,
// a client at a steady rate behind FRR, and what the kernels and the sessions of both routers do meanwhile. A third
// Service, whose endpoint moves from node to node, is the change that is made after a failure.

import { setTimeout as sleep } from 'node:timers/promises';

import { isReadyNode, notYet, waitFor, type Cluster, type NodeConditions } from '@herald/lab';

import { ApiPool, MERGE } from '../support/api-pool.ts';
import { ACCOUNT, NAMESPACE, RELEASE, apply, get, list, sessionsUp } from '../support/cluster-herald.ts';
import { ClusterRoutes, hostRoutes } from '../support/cluster-routes.ts';
import { Workload } from '../support/cluster-workload.ts';
import type { Replica } from '../support/herald-replicas.ts';
import { SITE_RANGES, sharedHerald, siteAddresses } from '../support/own-cluster.ts';
import { disturbed, podStates, podsAreUp } from '../support/pod-states.ts';
import type { RouterName } from '../support/shared-cluster.ts';
import { SteadyClient } from '../support/steady-client.ts';
import { lateOf, missesOf, type FailureRow, type Outcome } from './failure-row.ts';
import { KernelWatch, ROUTERS, hopsAfter } from './kernel-watch.ts';

/** Requests a second: the highest that this machine can give without losing any by itself. */
const RATES = [1_000, 300, 100];
const CLUSTER = siteAddresses(20);
const LOCAL = siteAddresses(21);
const TARGETS = [...CLUSTER, ...LOCAL];
const PREFIXES = Object.keys(hostRoutes(TARGETS, []));
const [MOVING] = siteAddresses(22);
const MOVING_PREFIX = `${MOVING}/32`;
const WORKERS = ['worker-0', 'worker-1', 'worker-2'] as const;
const LINGER_SECONDS = 6;
/** Kubernetes delays a container that has ended before. */
const RECOVERED_MS = 300_000;
const CHANGED_MS = 120_000;
const DEPLOYMENT = `deployment/${RELEASE}`;
const READS: ReadonlySet<string> = new Set(['get', 'list', 'watch']);

interface Deployment {
  readonly metadata: { readonly generation: number };
  readonly spec: { readonly replicas: number };
  readonly status: Readonly<Record<string, number>>;
}

interface Slice {
  readonly endpoints?: readonly { readonly conditions: { readonly ready?: boolean } }[] | null;
}

type Drops = Readonly<Record<string, Readonly<Record<string, number>>>>;

export class FailureStage {
  readonly cluster: Cluster<RouterName>;
  readonly workload: Workload;
  readonly routes: ClusterRoutes<RouterName>;
  /** A command each would take longer than what is measured. */
  readonly api: ApiPool;
  readonly #client: SteadyClient;
  /** Of the pods that serve. */
  readonly nodes: readonly string[];
  #watch: KernelWatch | undefined;
  #nextChangeMs: number | null = null;
  /** Of the first row, the control. */
  #usualChangeMs: number | undefined;
  #moves = 0;

  private constructor(
    workload: Workload,
    routes: ClusterRoutes<RouterName>,
    client: SteadyClient,
    nodes: readonly string[],
  ) {
    this.cluster = routes.cluster;
    this.workload = workload;
    this.routes = routes;
    this.api = new ApiPool(routes.cluster);
    this.#client = client;
    this.nodes = nodes;
  }

  static async open(): Promise<FailureStage> {
    const cluster = await sharedHerald();
    const workload = await Workload.open(cluster, 'failures');
    const routes = new ClusterRoutes(cluster, { ranges: SITE_RANGES });
    const pods = await workload.serve('web', { replicas: 2, lingerSeconds: LINGER_SECONDS });
    const nodes = pods.map(({ node }) => node);
    const spec = { externalTrafficPolicy: 'Local' };
    await apply(
      cluster,
      workload.service('cluster', { app: 'web', addresses: CLUSTER }),
      workload.service('local', { app: 'web', addresses: LOCAL, spec }),
      workload.service('moving', { app: null, addresses: [MOVING] }),
      endpointOn(workload.namespace, WORKERS[0]),
    );
    await routes.become({ ...hostRoutes(TARGETS, nodes), [MOVING_PREFIX]: [WORKERS[0]] });
    await routes.answered(TARGETS, pods);
    const client = await SteadyClient.start(cluster.client('frr'), TARGETS, RATES);
    return new FailureStage(workload, routes, client, nodes);
  }

  async close(): Promise<void> {
    this.api.close();
    await this.workload.close();
    await this.cluster.stop();
  }

  get ratePerSecond(): number {
    return this.#client.ratePerSecond;
  }

  async run({ group, name, expected, act, before: prepare, after }: FailureRow): Promise<Outcome> {
    const { cluster, routes } = this;
    await prepare?.(this);
    // Of the row before: a connection to what was dead is kept for two minutes by every node that it went through.
    await cluster.forgetHalfOpen();
    const [before, podsBefore] = await Promise.all([routes.connectionsDropped(), podStates(cluster)]);
    this.#nextChangeMs = null;
    const watch = await KernelWatch.start(cluster);
    this.#watch = watch;
    try {
      let convergedMs = 0;
      const counted = await this.#client.during(name, async () => {
        const begunMs = Date.now();
        await act(this);
        convergedMs = Date.now() - begunMs;
      });
      const seen = {
        group,
        name,
        ...counted,
        ...(await watch.told(PREFIXES, this.nodes.length)),
        sessionsReset: resets(before, await routes.connectionsDropped()),
        podsDisturbed: disturbed(podsBefore, await podStates(cluster)),
        nextChangeMs: this.#nextChangeMs,
        convergedMs,
        expected,
      };
      this.#usualChangeMs ??= this.#nextChangeMs ?? 0;
      return { ...seen, misses: missesOf(seen), late: lateOf(seen, this.#usualChangeMs) };
    } finally {
      await watch.stop();
      await after?.(this);
    }
  }

  get #watching(): KernelWatch {
    if (this.#watch === undefined) {
      throw new Error('nothing fails yet');
    }
    return this.#watch;
  }

  /** A change made now; how long after `sinceMs` both kernels have it is told. */
  async change(sinceMs: number = Date.now()): Promise<void> {
    this.#moves += 1;
    const node = this.#movedTo;
    const arrived = this.#watching.until(MOVING_PREFIX, [this.cluster.node(node).plan.ipv4]);
    const { namespace } = this.workload;
    await this.api.must({
      method: 'PATCH',
      path: `/apis/discovery.k8s.io/v1/namespaces/${namespace}/endpointslices/moving`,
      contentType: MERGE,
      body: endpointOn(namespace, node),
    });
    this.routes.expect({ [MOVING_PREFIX]: [node] });
    this.#nextChangeMs = Math.round((await arrived) - sinceMs);
  }

  /** Where the endpoint is that the changes move. */
  get #movedTo(): string {
    return WORKERS[this.#moves % WORKERS.length] ?? WORKERS[0];
  }

  /** Both kernels keep to the last change meanwhile. */
  async neverGoesBack(act: () => Promise<unknown>): Promise<void> {
    const changes = await this.routes.changes([MOVING_PREFIX], act);
    const wanted = this.cluster.node(this.#movedTo).plan.ipv4;
    const others = changes.filter(({ event }) => hopsAfter(event).join() !== wanted);
    if (others.length > 0) {
      throw new Error(`${MOVING_PREFIX} went back: ${JSON.stringify(others.map(({ router }) => router))}`);
    }
  }

  /** The replica has asked for no change since then, but of what it says of itself and of the Lease. */
  async writesNothing({ name }: Pick<Replica, 'name'>, sinceMs: number): Promise<void> {
    const asked = await this.cluster.requestsOf(ACCOUNT, sinceMs);
    const writes = asked.filter(({ pod, verb, uri }) => {
      return pod === name && !READS.has(verb) && !/\/(heraldreplicas|leases)\b/.test(uri);
    });
    if (writes.length > 0) {
      throw new Error(`${name} has written: ${writes.map(({ verb, uri }) => `${verb} ${uri}`).join()}`);
    }
  }

  /** Something is to be gone from both kernels; how long after `sinceMs` it is, is told as the next change. */
  async gone(prefix: string, sinceMs: number, act: () => Promise<unknown>): Promise<void> {
    const arrived = this.#watching.until(prefix, []);
    await act();
    this.#nextChangeMs = Math.round((await arrived) - sinceMs);
  }

  /** Exactly these nodes are the next hops of what the client asks for. */
  async serve(nodes: readonly string[]): Promise<void> {
    this.routes.expect(hostRoutes(TARGETS, nodes));
    await waitFor(
      `the kernels send to ${nodes.join(' and ')}`,
      async () => {
        const wanted = nodes.map((node) => this.cluster.node(node).plan.ipv4).sort();
        const prefixes = PREFIXES.filter((prefix) => !prefix.includes(':'));
        const seen = await Promise.all(
          ROUTERS.flatMap((name) => prefixes.map((one) => this.cluster.router(name).kernelNextHops(one))),
        );
        return seen.every((hops) => hops.toSorted().join() === wanted.join()) || notYet(seen);
      },
      RECOVERED_MS,
    );
  }

  /** Kubernetes is at rest again; every replica is there, ready, has its sessions, and announces everything. */
  async recovered(): Promise<void> {
    await this.#podsTold();
    await waitFor(
      'the Deployment is whole',
      async () => {
        const { metadata, spec, status } = await get<Deployment>(this.cluster, DEPLOYMENT, '-n', NAMESPACE);
        const states = ['replicas', 'updatedReplicas', 'readyReplicas'].map((state) => status[state] ?? 0);
        const isSeen = (status['observedGeneration'] ?? 0) >= metadata.generation;
        return (isSeen && states.every((count) => count === spec.replicas)) || notYet(status);
      },
      RECOVERED_MS,
    );
    await this.#kubernetesAtRest();
    await sessionsUp(this.cluster);
    await waitFor(
      'the routers have a session with each replica and with nobody that is gone',
      async () => {
        const speakers = await Promise.all(ROUTERS.map((name) => this.routes.speakers(name)));
        return speakers.every((one) => one.length === this.routes.replicas) || notYet(speakers);
      },
      RECOVERED_MS,
    );
    await this.routes.hold();
  }

  async nodesNotReady(names: readonly string[]): Promise<void> {
    await waitFor(
      `${names.join(', ')} are not ready`,
      async () => {
        const seen = await this.#nodesNotReady();
        return names.every((name) => seen.includes(name)) || notYet(seen);
      },
      CHANGED_MS,
    );
  }

  /** Until its kubelet has told of a container that took another one's place, the API has the one that is gone. */
  async #podsTold(): Promise<void> {
    await waitFor(
      'the containers that the API has are those that run, and ready',
      () => podsAreUp(this.cluster),
      RECOVERED_MS,
    );
  }

  /** What was announced all the while says nothing about it. */
  async #kubernetesAtRest(): Promise<void> {
    await waitFor(
      'all nodes and all endpoints are ready',
      async () => {
        const nodes = await this.#nodesNotReady();
        const slices = await list<Slice>(this.cluster, 'endpointslices', '-n', this.workload.namespace);
        const silent = slices.flatMap(({ endpoints }) =>
          (endpoints ?? []).filter(({ conditions }) => conditions.ready === false),
        );
        return (nodes.length === 0 && silent.length === 0) || notYet({ nodes, silent });
      },
      RECOVERED_MS,
    );
  }

  async #nodesNotReady(): Promise<readonly string[]> {
    const nodes = await list<NodeConditions>(this.cluster, 'nodes');
    return nodes.filter((node) => !isReadyNode(node)).map(({ metadata }) => metadata.name);
  }

  /** To so many replicas. */
  async scale(count: number): Promise<void> {
    await this.cluster.kubectl(['scale', DEPLOYMENT, '-n', NAMESPACE, `--replicas=${count}`]);
    this.routes.replicas = count;
    await this.recovered();
  }

  /** Of a replica; does not wait for its end. */
  async deletePod(name: string, ...flags: readonly string[]): Promise<void> {
    await this.cluster.kubectl(['delete', 'pod', name, '-n', NAMESPACE, '--wait=false', ...flags]);
  }

  pause(seconds: number): Promise<void> {
    return sleep(seconds * 1000);
  }
}

function resets(before: Drops, after: Drops): number {
  const ended = Object.entries(before).flatMap(([router, peers]) =>
    Object.entries(peers).filter(([peer, dropped]) => (after[router]?.[peer] ?? Infinity) > dropped),
  );
  return ended.length;
}

function endpointOn(namespace: string, node: string): object {
  return {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: { name: 'moving', namespace, labels: { 'kubernetes.io/service-name': 'moving' } },
    addressType: 'IPv4',
    endpoints: [{ addresses: ['10.244.200.1'], nodeName: node, conditions: { ready: true } }],
    ports: [{ port: 80, protocol: 'TCP', name: '' }],
  };
}
