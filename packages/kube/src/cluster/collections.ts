// The collections of the API that a decision reads, and what is kept of each. Selectors keep out what is not
// ours: EndpointSlices without a Service, Secrets that no peer names.
//
// Services are not narrowed to type LoadBalancer: one that changes its type still needs its condition taken
// back, and people ask why a Service is not announced.

import {
  API_VERSION,
  projectAdvertisement,
  projectEndpointSlice,
  projectNamespace,
  projectNode,
  projectPeer,
  projectPool,
  projectSecret,
  projectService,
  type HeraldReplicaStatus,
  type Projected,
} from '@herald/api';
import type { KubeObject, ObjectKind } from '../stores/object-set.ts';
import type { Collection } from '../watch/collection.ts';

export type ObjectCollection = Collection<KubeObject> & { readonly kind: ObjectKind };

const GROUP_PATH = `/apis/${API_VERSION}`;
const NO_SELECTOR = {};

function core(title: string, kind: ObjectKind, path: string, project: ObjectCollection['project']) {
  return { title, kind, path, query: NO_SELECTOR, project, mayBeMissing: false };
}

function custom(
  kind: ObjectKind,
  plural: string,
  project: (object: unknown, origin: 'api') => Projected<KubeObject>,
): ObjectCollection {
  return {
    title: `${kind}s`,
    kind,
    path: `${GROUP_PATH}/${plural}`,
    query: NO_SELECTOR,
    project: (object) => project(object, 'api'),
    mayBeMissing: true,
  };
}

export const COLLECTIONS: readonly ObjectCollection[] = [
  core('Nodes', 'Node', '/api/v1/nodes', projectNode),
  core('Services', 'Service', '/api/v1/services', projectService),
  core('Namespaces', 'Namespace', '/api/v1/namespaces', projectNamespace),
  {
    ...core(
      'EndpointSlices',
      'EndpointSlice',
      '/apis/discovery.k8s.io/v1/endpointslices',
      projectEndpointSlice,
    ),
    query: { labelSelector: 'kubernetes.io/service-name' },
  },
  custom('BGPPeer', 'bgppeers', projectPeer),
  custom('IPAddressPool', 'ipaddresspools', projectPool),
  custom('BGPAdvertisement', 'bgpadvertisements', projectAdvertisement),
];

/** One Secret: with this selector a Role that names the Secret allows to list and watch it. */
export function secretCollection(namespace: string, name: string): ObjectCollection {
  return {
    ...core(
      `Secret ${namespace}/${name}`,
      'Secret',
      `/api/v1/namespaces/${namespace}/secrets`,
      projectSecret,
    ),
    query: { fieldSelector: `metadata.name=${name}` },
  };
}

/** What is kept of a HeraldReplica: its status, as it is. */
export function replicaCollection(namespace: string): Collection<HeraldReplicaStatus> {
  return {
    title: 'HeraldReplicas',
    kind: 'HeraldReplica',
    path: `${GROUP_PATH}/namespaces/${namespace}/heraldreplicas`,
    query: NO_SELECTOR,
    project: (object) => {
      const { status } = (object ?? {}) as { status?: HeraldReplicaStatus };
      return { ok: true, value: status ?? {}, faults: [] };
    },
    mayBeMissing: true,
  };
}
