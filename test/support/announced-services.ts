// Services that are announced without a pod: hand-made EndpointSlices say on which nodes pods would be. Around them
// what another program writes into a Service, what the routers' kernels have, and what is said about a Service.

import { FibMonitor, notYet, waitFor, type Cluster } from '@herald/lab';

import { MERGE, type ApiPool } from './api-pool.ts';
import type { AddressScene, ServiceSpec } from './address-scene.ts';
import type { RouterName } from './shared-cluster.ts';

export interface ServiceEvent {
  readonly regarding: { readonly kind: string; readonly name: string };
  readonly reason: string;
  readonly type: string;
  readonly note: string;
}

/** No selector, so that nobody else makes EndpointSlices; no node ports, of which there are few. */
export const WITHOUT_PODS: ServiceSpec = { spec: { selector: null, allocateLoadBalancerNodePorts: false } };

const ROUTERS = ['frr', 'bird'] as const;
const TOLD_MS = 40_000;

export class AnnouncedServices {
  readonly #cluster: Cluster<RouterName>;
  readonly #api: ApiPool;
  readonly #namespace: string;

  constructor(cluster: Cluster<RouterName>, api: ApiPool, namespace: string) {
    this.#cluster = cluster;
    this.#api = api;
    this.#namespace = namespace;
  }

  path(name: string): string {
    return `/api/v1/namespaces/${this.#namespace}/services/${name}`;
  }

  /** As another program writes: it knows nothing of versions. */
  async writeStatus(name: string, ingress: readonly object[], annotations: object = {}): Promise<void> {
    const body = { metadata: { annotations }, status: { loadBalancer: { ingress } } };
    await this.#api.must({
      method: 'PATCH',
      path: `${this.path(name)}/status`,
      contentType: MERGE,
      body,
    });
  }

  /** A pod on the node serves the Service. */
  async serve(name: string, node: string): Promise<void> {
    await this.#api.must({
      method: 'POST',
      path: `/apis/discovery.k8s.io/v1/namespaces/${this.#namespace}/endpointslices`,
      body: {
        apiVersion: 'discovery.k8s.io/v1',
        kind: 'EndpointSlice',
        metadata: { name, namespace: this.#namespace, labels: { 'kubernetes.io/service-name': name } },
        addressType: 'IPv4',
        endpoints: [{ addresses: ['10.244.200.1'], nodeName: node, conditions: { ready: true } }],
        ports: [{ name: 'p80', port: 80, protocol: 'TCP' }],
      },
    });
  }

  /** In table and kernel of every router, from whichever replica it prefers. */
  async routed(prefix: string, nodes: readonly string[]): Promise<void> {
    const wanted = nodes.map((node) => this.#cluster.node(node).plan.ipv4).join();
    await waitFor(
      `the routers have ${prefix} by ${wanted}`,
      async () => {
        const seen = await Promise.all(ROUTERS.map((name) => this.#hops(name, prefix)));
        return seen.flat().every((hops) => hops === wanted) || notYet(seen);
      },
      TOLD_MS,
    );
  }

  async #hops(name: RouterName, prefix: string): Promise<readonly string[]> {
    const router = this.#cluster.router(name);
    const [kernel, paths] = await Promise.all([router.kernelNextHops(prefix), router.table(4)]);
    const told = new Set(paths.filter((path) => path.prefix === prefix).map(({ nextHop }) => nextHop));
    return [kernel.join(), [...told].sort().join()];
  }

  async says(at: AddressScene, short: string, reason: string): Promise<void> {
    await waitFor(
      `${short} says ${reason}`,
      async () => {
        const { status } = await at.show(short);
        return status.conditions?.some((one) => one.reason === reason) === true || notYet(status);
      },
      TOLD_MS,
    );
  }

  /** The first Event about the Service whose reason and text match. */
  async told(name: string, pattern: RegExp): Promise<ServiceEvent> {
    return await waitFor(
      `an Event about ${name} says ${pattern.source}`,
      async () => {
        const path = `/apis/events.k8s.io/v1/namespaces/${this.#namespace}/events`;
        const { items } = await this.#api.must<{ items: readonly ServiceEvent[] }>({ method: 'GET', path });
        const about = items.filter(({ regarding }) => regarding.name === name);
        return about.find(({ reason, note }) => pattern.test(`${reason}: ${note}`)) ?? notYet(about);
      },
      TOLD_MS,
    );
  }

  /** What every router's kernel does about prefixes while something happens. */
  async heard(act: () => Promise<unknown>): Promise<readonly FibMonitor[]> {
    const monitors = await Promise.all(
      ROUTERS.map((name) => FibMonitor.start(this.#cluster.router(name).namespace)),
    );
    try {
      await act();
      await Promise.all(monitors.map((monitor) => monitor.caughtUp()));
      return monitors;
    } finally {
      await Promise.all(monitors.map((monitor) => monitor.stop()));
    }
  }
}
