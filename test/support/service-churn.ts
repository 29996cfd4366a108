// Other people's Services that change all the time: endpoints of Services without selector that move from node to node,
// one change after another, by the API itself because a command each would cost more than the cluster does.

import { ApiClient } from '@herald/kube';
import type { Cluster } from '@herald/lab';

import { apply } from './cluster-herald.ts';
import type { Workload } from './cluster-workload.ts';

export interface ChurnOptions {
  readonly services: readonly (readonly [name: string, addresses: readonly string[]])[];
  /** From the end of one change to the next. */
  readonly everyMs: number;
}

export class ServiceChurn {
  readonly #client: ApiClient;
  readonly #stopping = new AbortController();
  readonly #ended: Promise<void>;
  changes = 0;

  private constructor(client: ApiClient, run: (churn: ServiceChurn) => Promise<void>) {
    this.#client = client;
    this.#ended = run(this);
    // Told when it is stopped.
    this.#ended.catch(() => undefined);
  }

  static async start(cluster: Cluster, workload: Workload, options: ChurnOptions): Promise<ServiceChurn> {
    const { services, everyMs } = options;
    const nodes = cluster.workers.map(({ name }) => name);
    await apply(
      cluster,
      ...services.map(([name, addresses]) => workload.service(name, { app: null, addresses })),
      ...services.map(([name]) => slice(workload.namespace, name, nodes.slice(0, 1))),
    );
    const client = await ApiClient.fromSettings({ kubeconfig: cluster.kubeconfig });
    return new ServiceChurn(client, async (churn) => {
      while (!churn.#stopping.signal.aborted) {
        const [name] = services[churn.changes % services.length] ?? ['', []];
        const chosen = nodes.filter((_, index) => (churn.changes >> index) % 2 === 0);
        await churn.#patch(slice(workload.namespace, name, chosen));
        await new Promise((resolve) => {
          setTimeout(resolve, everyMs);
        });
      }
    });
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#ended;
    await this.#client.close();
  }

  async #patch({ metadata, endpoints }: Slice): Promise<void> {
    const path = `/apis/discovery.k8s.io/v1/namespaces/${metadata.namespace}/endpointslices/${metadata.name}`;
    const contentType = 'application/merge-patch+json';
    await this.#client.request({ method: 'PATCH', path, contentType, body: { endpoints } });
    this.changes += 1;
  }
}

type Slice = ReturnType<typeof slice>;

/** Addresses that nobody has: nothing is sent there. */
function slice(namespace: string, name: string, nodes: readonly string[]) {
  return {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: { name: `${name}-ipv4`, namespace, labels: { 'kubernetes.io/service-name': name } },
    addressType: 'IPv4',
    ports: [{ port: 8_080, protocol: 'TCP', name: '' }],
    endpoints: nodes.map((nodeName, index) => ({
      addresses: [`10.250.0.${index + 1}`],
      nodeName,
      conditions: { ready: true },
    })),
  };
}
