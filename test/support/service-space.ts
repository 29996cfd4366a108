// A namespace of a test's own in the cluster that all share, with pools and other objects whose names begin as it
// does: made empty before, and gone afterwards. Services have no pods here; hand-made EndpointSlices say on which
// nodes they would be. And what others write, and what routers, conditions and Events tell.

import { FibMonitor, notYet, waitFor, type Cluster } from '@herald/lab';

import { AddressScene } from './address-scene.ts';
import { ApiPool, MERGE } from './api-pool.ts';
import { list, restrictedNamespace } from './cluster-herald.ts';
import { sharedHerald } from './own-cluster.ts';
import type { RouterName } from './shared-cluster.ts';

export const ROUTED_MS = 30_000;
const TOLD_MS = 60_000;
/** Of a Service that nothing is behind but what a test says. */
export const WITHOUT_PODS = { spec: { selector: null, allocateLoadBalancerNodePorts: false } };

/** Pools first: who holds an address of a pool that is gone gives it back anyway. */
const KINDS = ['ipaddresspools', 'bgppeers', 'bgpadvertisements'];
const ROUTERS = ['frr', 'bird'] as const;

interface Event {
  readonly regarding: { readonly kind: string; readonly name: string };
  readonly type: string;
  readonly reason: string;
  readonly note: string;
}

export class ServiceSpace {
  readonly cluster: Cluster<RouterName>;
  readonly api: ApiPool;
  readonly space: string;
  readonly #monitors: FibMonitor[] = [];

  private constructor(cluster: Cluster<RouterName>, space: string) {
    this.cluster = cluster;
    this.api = new ApiPool(cluster);
    this.space = space;
  }

  static async open(space: string): Promise<ServiceSpace> {
    const cluster = await sharedHerald();
    const opened = new ServiceSpace(cluster, space);
    await opened.#clear();
    await restrictedNamespace(cluster, space);
    return opened;
  }

  async close(): Promise<void> {
    await this.#clear();
    this.api.close();
    await this.cluster.stop();
  }

  row(number: number): AddressScene {
    return new AddressScene(this.api, this.space, number);
  }

  pathOf(name: string): string {
    return `/api/v1/namespaces/${this.space}/services/${name}`;
  }

  /** Another program's write: it knows nothing of Herald's versions. */
  async writeStatus(name: string, ingress: readonly object[], annotations: object = {}): Promise<void> {
    await this.api.must({
      method: 'PATCH',
      path: `${this.pathOf(name)}/status`,
      contentType: MERGE,
      body: { metadata: { annotations }, status: { loadBalancer: { ingress } } },
    });
  }

  /** The Service is served by a pod on the node. */
  async serve(name: string, node: string): Promise<void> {
    await this.api.must({
      method: 'POST',
      path: `/apis/discovery.k8s.io/v1/namespaces/${this.space}/endpointslices`,
      body: {
        apiVersion: 'discovery.k8s.io/v1',
        kind: 'EndpointSlice',
        metadata: { name, namespace: this.space, labels: { 'kubernetes.io/service-name': name } },
        addressType: 'IPv4',
        endpoints: [{ addresses: ['10.244.200.1'], nodeName: node, conditions: { ready: true } }],
        ports: [{ name: 'p80', port: 80, protocol: 'TCP' }],
      },
    });
  }

  async routed(prefix: string, nodes: readonly string[]): Promise<void> {
    const wanted = nodes.map((node) => this.cluster.node(node).plan.ipv4).join();
    await waitFor(
      `both routers have ${prefix} by ${wanted}`,
      async () => {
        const seen = await Promise.all(
          ROUTERS.map((name) => this.cluster.router(name).kernelNextHops(prefix)),
        );
        return seen.every((hops) => hops.join() === wanted) || notYet(seen);
      },
      ROUTED_MS,
    );
  }

  async says(at: AddressScene, short: string, reason: string): Promise<void> {
    await waitFor(
      `${short} says ${reason}`,
      async () => {
        const shown = await at.show(short);
        return shown.status.conditions?.some((one) => one.reason === reason) === true || notYet(shown.status);
      },
      ROUTED_MS,
    );
  }

  /** An Event about the object whose reason and note, as `reason: note`, match. */
  async event(kind: string, name: string, wanted: RegExp, namespace: string = this.space): Promise<Event> {
    const path = `/apis/events.k8s.io/v1/namespaces/${namespace}/events`;
    return await waitFor(
      `an Event about ${kind} ${name} says ${wanted}`,
      async () => {
        const { items } = await this.api.must<{ items: readonly Event[] }>({ method: 'GET', path });
        const about = items.filter(({ regarding }) => regarding.kind === kind && regarding.name === name);
        const text = ({ reason, note }: Event): string => `${reason}: ${note}`;
        return about.find((one) => wanted.test(text(one))) ?? notYet(about.map(text));
      },
      TOLD_MS,
    );
  }

  /** Of both routers' kernels; stopped by `quiet`. */
  async listen(): Promise<readonly FibMonitor[]> {
    for (const name of ROUTERS) {
      this.#monitors.push(await FibMonitor.start(this.cluster.router(name).namespace));
    }
    return this.#monitors;
  }

  async quiet(): Promise<void> {
    await Promise.all(this.#monitors.splice(0).map((monitor) => monitor.stop()));
  }

  async #clear(): Promise<void> {
    for (const kind of KINDS) {
      const names = (await list(this.cluster, kind)).map(({ metadata }) => metadata.name);
      const ours = names.filter((name) => name.startsWith(`${this.space}-`));
      if (ours.length > 0) await this.cluster.kubectl(['delete', kind, ...ours, '--ignore-not-found']);
    }
    await this.cluster.kubectl(['delete', 'namespace', this.space, '--ignore-not-found']);
  }
}
