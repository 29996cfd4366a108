// The objects that a decision reads, as one immutable value: a map for each kind, keyed by name or by
// namespace/name. An object that did not change is the same reference in the next set, and a map in which
// nothing changed is the same map; the decision's cost depends on both.

import type {
  Advertisement,
  AnyObject,
  EndpointSlice,
  Namespace,
  Node,
  Peer,
  Pool,
  Secret,
  Service,
} from '@herald/api';
import { PersistentMap } from '@herald/net';

export interface ObjectSet {
  readonly nodes: PersistentMap<Node>;
  readonly services: PersistentMap<Service>;
  readonly endpointSlices: PersistentMap<EndpointSlice>;
  readonly namespaces: PersistentMap<Namespace>;
  readonly secrets: PersistentMap<Secret>;
  readonly peers: PersistentMap<Peer>;
  readonly pools: PersistentMap<Pool>;
  readonly advertisements: PersistentMap<Advertisement>;
}

export type KubeObject = AnyObject;

export type ObjectKind = keyof typeof mapNames;

export interface ObjectRef {
  readonly kind: ObjectKind;
  /** Name, or namespace/name of a namespaced kind. */
  readonly key: string;
}

export const emptyObjectSet: ObjectSet = {
  nodes: PersistentMap.empty(),
  services: PersistentMap.empty(),
  endpointSlices: PersistentMap.empty(),
  namespaces: PersistentMap.empty(),
  secrets: PersistentMap.empty(),
  peers: PersistentMap.empty(),
  pools: PersistentMap.empty(),
  advertisements: PersistentMap.empty(),
};

export const mapNames = {
  Node: 'nodes',
  Service: 'services',
  EndpointSlice: 'endpointSlices',
  Namespace: 'namespaces',
  Secret: 'secrets',
  BGPPeer: 'peers',
  IPAddressPool: 'pools',
  BGPAdvertisement: 'advertisements',
} as const satisfies Record<KubeObject['kind'], keyof ObjectSet>;

/** The key of an object in its map. */
export function objectKey(object: KubeObject): string {
  return 'key' in object ? object.key : object.name;
}

export function objectRef(object: KubeObject): ObjectRef {
  return { kind: object.kind, key: objectKey(object) };
}

/** How an object is named in faults and logs: "Service default/web". */
export function objectName(ref: ObjectRef): string {
  return `${ref.kind} ${ref.key}`;
}
