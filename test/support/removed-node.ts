// A Node object that is deleted while its machine stays: remembered before, put back after, with the pod ranges that
// its network has.

import type { Cluster } from '@herald/lab';

import { apply, get, type KubernetesObject } from './cluster-herald.ts';

interface NodeObject extends KubernetesObject {
  readonly spec: { readonly podCIDR: string; readonly podCIDRs: readonly string[] };
}

export class RemovedNode {
  readonly #cluster: Cluster;
  readonly #node: NodeObject;

  private constructor(cluster: Cluster, node: NodeObject) {
    this.#cluster = cluster;
    this.#node = node;
  }

  /** To be called while the object is there. */
  static async of(cluster: Cluster, name: string): Promise<RemovedNode> {
    return new RemovedNode(cluster, await get<NodeObject>(cluster, 'node', name));
  }

  /** Its kubelet starts anew: a running one does not notice. */
  async putBack(): Promise<void> {
    const { metadata, spec } = this.#node;
    const { name, labels } = metadata;
    const { podCIDR, podCIDRs } = spec;
    await apply(this.#cluster, {
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name, labels },
      spec: { podCIDR, podCIDRs },
    });
    await this.#cluster.node(name).restart('kubelet');
  }
}
