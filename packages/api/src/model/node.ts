// A worker: a possible next hop. Holds the facts that the node checks read, in the API server's order.
// It judges nothing; "may this node be a next hop" is a decision made elsewhere.

import type { Address, Prefix } from '@herald/net';
import type { Labels, Meta } from './meta.ts';

export type NodeAddressType = 'InternalIP' | 'ExternalIP';

export interface NodeAddress {
  readonly type: NodeAddressType;
  readonly address: Address;
}

export interface Taint {
  readonly key: string;
  readonly effect: string;
}

export interface Node extends Meta {
  readonly kind: 'Node';
  readonly deleting: boolean;
  /** The Ready condition; `Unknown` also when the node has none. */
  readonly ready: 'True' | 'False' | 'Unknown';
  readonly networkUnavailable: boolean;
  readonly unschedulable: boolean;
  readonly taints: readonly Taint[];
  /** In the node's own order; IPv4-mapped and unreadable ones are left out with a fault. */
  readonly addresses: readonly NodeAddress[];
  /** Without values longer than an address list needs, so that big ones cost no memory. */
  readonly annotations: Labels;
  readonly podCidrs: readonly Prefix[];
  /** topology.kubernetes.io/zone, or ''. */
  readonly zone: string;
}
