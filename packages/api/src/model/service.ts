// A Service as Herald reads it. `annotations` holds only the prefixes that Herald and MetalLB own, and
// status conditions are absent: what we write ourselves must not look like a change.

import type { Address, Family } from '@herald/net';
import type { Labels, Meta } from './meta.ts';

export interface ServicePort {
  readonly protocol: string;
  readonly port: number;
}

export interface Service extends Meta {
  readonly kind: 'Service';
  readonly namespace: string;
  /** namespace/name */
  readonly key: string;
  readonly annotations: Labels;
  readonly deleting: boolean;
  readonly type: string;
  readonly loadBalancerClass: string | undefined;
  readonly externalTrafficPolicy: 'Cluster' | 'Local';
  readonly healthCheckNodePort: number | undefined;
  readonly ipFamilies: readonly Family[];
  readonly ipFamilyPolicy: 'SingleStack' | 'PreferDualStack' | 'RequireDualStack';
  readonly ports: readonly ServicePort[];
  /** key=value pairs sorted and joined by commas; '' when the Service has no selector. */
  readonly selector: string;
  readonly publishNotReadyAddresses: boolean;
  readonly loadBalancerIP: string | undefined;
  /** status.loadBalancer.ingress[].ip: what the API server says the Service has. */
  readonly ingress: readonly Address[];
  /** Whether the status also names a host without an address: Herald writes none, so somebody else did. */
  readonly ingressNamesHost: boolean;
}
