// Where a Service's pods are. Conditions are resolved here once (nil is true for `ready` and `serving` and
// false for `terminating`: discovery.k8s.io/v1, and so kube-proxy), so that no reader has to know that.

import type { Family } from '@herald/net';
import type { Meta } from './meta.ts';

export interface Endpoint {
  /** The first address, in canonical text when it can be read. */
  readonly address: string;
  readonly nodeName: string | undefined;
  readonly ready: boolean;
  readonly serving: boolean;
  readonly terminating: boolean;
}

export interface EndpointSlice extends Meta {
  readonly kind: 'EndpointSlice';
  readonly namespace: string;
  /** namespace/name */
  readonly key: string;
  /** namespace/name of the Service, or '' when the slice is not labelled with one. */
  readonly serviceKey: string;
  /** undefined for FQDN slices, which can serve no address. */
  readonly family: Family | undefined;
  readonly endpoints: readonly Endpoint[];
}
