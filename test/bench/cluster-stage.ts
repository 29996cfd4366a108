// The cluster that is measured: the one that is up, or one of its own (three control-plane nodes, three workers,
// FRR 8.4 and BIRD 2 as routers) that ends with the benchmark. In it a namespace with a web server on every
// worker and two pools; what was made is taken away at the end.
//
// BENCH_CLUSTER=own starts one even if one is up, BENCH_CLUSTER=small one of two nodes of each kind, for trying.
// Routers of an own one keep running flows where they are when a prefix changes its next hops; those of the one that
// is up spread them anew, and lose the request that is just being answered.

import { Cluster, notYet, waitFor, type Router } from '@herald/lab';

import { ClusterApi } from '../support/cluster-api.ts';
import { replicas } from '../support/herald-replicas.ts';
import { ownCluster } from '../support/own-cluster.ts';
import type { RouterName } from '../support/shared-cluster.ts';
import { RouterKernels } from './cluster-kernels.ts';
import * as objects from './cluster-objects.ts';
import { BENCH, PASSING, PATHS, STEADY, type Endpoint } from './cluster-objects.ts';

const SMALL = { controlPlanes: 2, workers: 2 } as const;
const PODS_READY_MS = 120_000;
const SESSIONS_MS = 90_000;

interface PodList {
  readonly items: readonly {
    readonly spec: { readonly nodeName?: string };
    readonly status: {
      readonly podIP?: string;
      readonly conditions?: readonly { readonly type: string; readonly status: string }[];
    };
  }[];
}

export class ClusterStage {
  readonly cluster: Cluster<RouterName>;
  readonly api: ClusterApi;
  readonly kernels: RouterKernels;
  /** A pod on every worker. */
  readonly endpoints: readonly Endpoint[];

  private constructor(parts: Pick<ClusterStage, 'cluster' | 'api' | 'kernels' | 'endpoints'>) {
    this.cluster = parts.cluster;
    this.api = parts.api;
    this.kernels = parts.kernels;
    this.endpoints = parts.endpoints;
  }

  static async open(): Promise<ClusterStage> {
    const cluster = await openCluster();
    const api = await ClusterApi.connect(cluster.kubeconfig);
    await clear(api);
    const kernels = await RouterKernels.start(routersOf(cluster));
    await api.create(PATHS.namespaces, objects.namespace());
    await api.create(PATHS.pools, objects.pool(STEADY));
    await api.create(PATHS.pools, objects.pool(PASSING));
    await api.create(PATHS.advertisements, objects.advertisement());
    await api.create(PATHS.deployments, objects.webDeployment(cluster.workers.length));
    const endpoints = await readyEndpoints(api, cluster.workers.length);
    return new ClusterStage({ cluster, api, kernels, endpoints });
  }

  get routers(): readonly Router[] {
    return routersOf(this.cluster);
  }

  /** The addresses that routers know for the nodes of these endpoints. */
  hops(endpoints: readonly Endpoint[] = this.endpoints): readonly string[] {
    return endpoints.map(({ node }) => this.cluster.node(node).plan.ipv4);
  }

  /** Every replica has its session with every router. */
  async sessionsEstablished(): Promise<void> {
    const wanted = (await replicas(this.cluster)).length;
    await this.sessionsAre((held) => held >= wanted);
  }

  async sessionsAre(accepted: (established: number) => boolean): Promise<void> {
    await waitFor(
      'the routers have as many sessions as wanted',
      async () => {
        const counts = await Promise.all(this.routers.map(establishedOf));
        return counts.every(accepted) || notYet(counts);
      },
      SESSIONS_MS,
    );
  }

  async close(): Promise<void> {
    await clear(this.api);
    await this.kernels.stop();
    await this.api.close();
    await this.cluster.stop();
  }
}

async function openCluster(): Promise<Cluster<RouterName>> {
  const wanted = process.env['BENCH_CLUSTER'];
  const running = wanted === undefined ? await Cluster.attach<RouterName>() : undefined;
  return running ?? (await ownCluster({ name: 'bench', ...(wanted === 'small' && SMALL) }));
}

function routersOf(cluster: Cluster<RouterName>): readonly Router[] {
  return [cluster.router('frr'), cluster.router('bird')];
}

async function establishedOf(router: Router): Promise<number> {
  return (await router.sessions()).filter(({ isEstablished }) => isEstablished).length;
}

/** What an earlier run has left as well. */
async function clear(api: ClusterApi): Promise<void> {
  await api.removed(PATHS.namespace);
  await api.removed(`${PATHS.advertisements}/${BENCH}`);
  for (const { name } of [STEADY, PASSING]) {
    await api.removed(`${PATHS.pools}/${name}`);
  }
}

async function readyEndpoints(api: ClusterApi, count: number): Promise<readonly Endpoint[]> {
  return await waitFor(
    'a web server is ready on every worker',
    async () => {
      const { items } = await api.get<PodList>(PATHS.pods);
      const ready = items.filter(({ status }) =>
        status.conditions?.some(({ type, status: holds }) => type === 'Ready' && holds === 'True'),
      );
      const endpoints = ready.map(({ spec, status }) => ({
        address: status.podIP ?? '',
        node: spec.nodeName ?? '',
      }));
      return endpoints.length === count ? endpoints : notYet(endpoints);
    },
    PODS_READY_MS,
  );
}
