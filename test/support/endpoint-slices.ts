// EndpointSlices made by hand: which Service they belong to and what they say of each address. Names, addresses and
// conditions in, objects out. The addresses are those of pods that run, so that kube-proxy has somebody to ask.

import { WEB_PORT } from '@herald/lab';

import type { WebPod } from './cluster-workload.ts';

type Family = 'IPv4' | 'IPv6';

export interface Conditions {
  readonly ready: boolean;
  readonly serving: boolean;
  readonly terminating: boolean;
}

export interface SliceEndpoint {
  /** Of both families; a slice takes those of its own. */
  readonly addresses: readonly string[];
  readonly nodeName?: string;
  readonly conditions: Conditions;
}

export interface SliceOptions {
  readonly name: string;
  readonly namespace: string;
  readonly service: string;
  readonly endpoints: readonly SliceEndpoint[];
}

const READY: Conditions = { ready: true, serving: true, terminating: false };
const STARTING: Conditions = { ready: false, serving: false, terminating: false };
const TERMINATING: Conditions = { ready: false, serving: true, terminating: true };

const MANAGED_BY = { 'endpointslice.kubernetes.io/managed-by': 'somebody' };
/** Selects them all. */
export const HAND_MADE = 'endpointslice.kubernetes.io/managed-by=somebody';

const at =
  (conditions: Conditions) =>
  ({ addresses, node }: WebPod): SliceEndpoint => ({ addresses, nodeName: node, conditions });

export const ready = at(READY);
export const starting = at(STARTING);
export const terminating = at(TERMINATING);

/** As `ready`; where it is is not told. */
export const nameless = ({ addresses }: WebPod): SliceEndpoint => ({ addresses, conditions: READY });

/** One for each family, named after it. */
export function slices(options: SliceOptions): object[] {
  return [slice('IPv4', options), slice('IPv6', options)];
}

export function slice(family: Family, { endpoints, ...options }: SliceOptions): object {
  const isOfFamily = (address: string): boolean => address.includes(':') === (family === 'IPv6');
  return {
    ...sliceOf(family, options),
    endpoints: endpoints.map(({ addresses, ...others }) => ({
      addresses: addresses.filter(isOfFamily),
      ...others,
    })),
  };
}

/** Names of machines elsewhere, which nobody here resolves. */
export function sliceOfNames({ endpoints, ...options }: SliceOptions): object {
  return { ...sliceOf('FQDN', options), endpoints };
}

function sliceOf(
  addressType: Family | 'FQDN',
  { name, namespace, service }: Omit<SliceOptions, 'endpoints'>,
): object {
  return {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: {
      name: `${name}-${addressType.toLowerCase()}`,
      namespace,
      labels: { 'kubernetes.io/service-name': service, ...MANAGED_BY },
    },
    addressType,
    ports: [{ port: WEB_PORT, protocol: 'TCP', name: '' }],
  };
}
