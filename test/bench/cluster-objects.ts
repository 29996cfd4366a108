// The objects that the cluster benchmarks put into a cluster: a namespace with a web server on every worker, two
// pools of which nobody else gets an address, a policy of their own, Services, and EndpointSlices that name real
// pods. In: names and pods. Out: objects as the API takes them, and the paths where they live.

import { WEB_IMAGE, WEB_PORT } from '@herald/lab';

export const BENCH = 'herald-bench';
export const WEB = 'web';

/** Pools are told apart by their addresses in a router's kernel; all are from the benchmarking range (RFC 2544). */
export interface BenchPool {
  readonly name: string;
  readonly addresses: string;
  holds(prefix: string): boolean;
}

/** Of the Services that are there all the time. */
export const STEADY: BenchPool = {
  name: `${BENCH}-steady`,
  addresses: '198.18.0.0/24',
  holds: (prefix) => prefix.startsWith('198.18.0.'),
};
/** Of the Services that come and go. */
export const PASSING: BenchPool = {
  name: `${BENCH}-passing`,
  addresses: '198.18.4.0/22',
  holds: (prefix) => /^198\.18\.[4-7]\./.test(prefix),
};

export interface Endpoint {
  readonly address: string;
  readonly node: string;
}

export interface ServiceShape {
  readonly pool: BenchPool;
  readonly policy: 'Cluster' | 'Local';
  /** Endpoints by the endpoint controller of Kubernetes; without it they are this benchmark's own. */
  readonly selects?: typeof WEB;
}

const HERALD = 'heraldbgp.io/v1alpha1';
const NAMESPACED = { namespace: BENCH };

export const PATHS = {
  namespace: `/api/v1/namespaces/${BENCH}`,
  namespaces: '/api/v1/namespaces',
  services: `/api/v1/namespaces/${BENCH}/services`,
  pods: `/api/v1/namespaces/${BENCH}/pods`,
  deployments: `/apis/apps/v1/namespaces/${BENCH}/deployments`,
  slices: `/apis/discovery.k8s.io/v1/namespaces/${BENCH}/endpointslices`,
  pools: `/apis/${HERALD}/ipaddresspools`,
  advertisements: `/apis/${HERALD}/bgpadvertisements`,
} as const;

export function namespace(): object {
  return { apiVersion: 'v1', kind: 'Namespace', metadata: { name: BENCH } };
}

export function pool({ name, addresses }: BenchPool): object {
  const spec = { addresses: [addresses], autoAssign: false };
  return { apiVersion: HERALD, kind: 'IPAddressPool', metadata: { name }, spec };
}

export function advertisement(): object {
  const spec = { ipAddressPools: [STEADY.name] };
  return { apiVersion: HERALD, kind: 'BGPAdvertisement', metadata: { name: BENCH }, spec };
}

export function service(name: string, { pool: from, policy, selects }: ServiceShape): object {
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name, ...NAMESPACED, annotations: { 'heraldbgp.io/address-pool': from.name } },
    spec: {
      type: 'LoadBalancer',
      ipFamilyPolicy: 'SingleStack',
      ipFamilies: ['IPv4'],
      externalTrafficPolicy: policy,
      ports: [{ port: 80, targetPort: WEB_PORT }],
      ...(selects !== undefined && { selector: { app: selects } }),
    },
  };
}

/** Of the Service with its name. */
export function slice(name: string, endpoints: readonly Endpoint[]): object {
  return {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: { name, ...NAMESPACED, labels: { 'kubernetes.io/service-name': name } },
    addressType: 'IPv4',
    ...endpointsOf(endpoints),
    ports: [{ port: WEB_PORT, protocol: 'TCP' }],
  };
}

export function endpointsOf(endpoints: readonly Endpoint[]): { readonly endpoints: readonly object[] } {
  return {
    endpoints: endpoints.map(({ address, node }) => ({
      addresses: [address],
      nodeName: node,
      conditions: { ready: true, serving: true, terminating: false },
    })),
  };
}

/** One pod a worker. */
export function webDeployment(replicas: number): object {
  const container = {
    name: WEB,
    image: WEB_IMAGE,
    imagePullPolicy: 'Never',
    ports: [{ containerPort: WEB_PORT }],
    readinessProbe: { httpGet: { path: '/', port: WEB_PORT }, periodSeconds: 1, timeoutSeconds: 5 },
  };
  const spread = {
    maxSkew: 1,
    topologyKey: 'kubernetes.io/hostname',
    whenUnsatisfiable: 'DoNotSchedule',
    labelSelector: { matchLabels: { app: WEB } },
  };
  const spec = { containers: [container], topologySpreadConstraints: [spread] };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: WEB, ...NAMESPACED },
    spec: {
      replicas,
      selector: { matchLabels: { app: WEB } },
      template: { metadata: { labels: { app: WEB } }, spec },
    },
  };
}
