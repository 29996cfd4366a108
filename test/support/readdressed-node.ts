// A node that lists other addresses than its kubelet would: the kubelet is dead, and somebody says in its place that
// the node is alive. Kubernetes and what runs on the node take no notice of the death.

import type { Cluster } from '@herald/lab';

export type NodeAddress = readonly [type: 'InternalIP' | 'ExternalIP' | 'Hostname', address: string];

export class ReaddressedNode {
  readonly #cluster: Cluster;
  readonly #name: string;

  private constructor(cluster: Cluster, name: string) {
    this.#cluster = cluster;
    this.#name = name;
  }

  static async of(cluster: Cluster, name: string): Promise<ReaddressedNode> {
    await cluster.node(name).kill('kubelet');
    return new ReaddressedNode(cluster, name);
  }

  /** These and no others, in this order. */
  async lists(...addresses: readonly NodeAddress[]): Promise<void> {
    await this.#patch(['lease', this.#name, '-n', 'kube-node-lease'], {
      spec: { renewTime: `${new Date().toISOString().slice(0, -1)}000Z` },
    });
    await this.#patch(['node', this.#name, '--subresource=status'], {
      status: { addresses: addresses.map(([type, address]) => ({ type, address })) },
    });
  }

  /** Its kubelet lists its own again. */
  async putBack(): Promise<void> {
    await this.#cluster.node(this.#name).start('kubelet');
  }

  async #patch(words: readonly string[], patch: object): Promise<void> {
    await this.#cluster.kubectl(['patch', ...words, '--type=merge', '-p', JSON.stringify(patch)]);
  }
}
