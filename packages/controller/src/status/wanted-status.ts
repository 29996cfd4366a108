// Everything that the leader wants Kubernetes to show, whole: a condition on each Service, the status of our
// own objects, and the Events. The writer diffs inside. Types only.
//
// Maps, entries and the list of Events are the same references as before where nothing changed.

import type { BgpAdvertisementStatus, BgpPeerStatus, Condition, IpAddressPoolStatus } from '@herald/api';
import type { PersistentMap } from '@herald/net';

/** Of type heraldbgp.io/Advertised. */
export interface ServiceCondition {
  readonly status: 'True' | 'False';
  readonly reason: string;
  readonly message: string;
}

/** Since when it has its status is found by the writer, which sees what is there. */
export type WantedCondition = Omit<Condition, 'lastTransitionTime'>;

type Wanted<Status> = Omit<Status, 'conditions'> & { readonly conditions: readonly WantedCondition[] };

export type WantedPeerStatus = Wanted<BgpPeerStatus>;
export type WantedPoolStatus = Wanted<IpAddressPoolStatus>;
export type WantedAdvertisementStatus = Wanted<BgpAdvertisementStatus>;

export interface EventObject {
  readonly apiVersion: string;
  readonly kind: 'Service' | 'BGPPeer' | 'IPAddressPool' | 'BGPAdvertisement';
  /** '' for what is cluster-scoped. */
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
}

export interface WantedEvent {
  readonly object: EventObject;
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
}

export interface WantedStatus {
  /** By namespace/name; a Service that is not ours has none. */
  readonly services: PersistentMap<ServiceCondition>;
  /** By name, as are pools and advertisements. */
  readonly peers: PersistentMap<WantedPeerStatus>;
  readonly pools: PersistentMap<WantedPoolStatus>;
  readonly advertisements: PersistentMap<WantedAdvertisementStatus>;
  /** At most one an object: the newest that there is to say of it. */
  readonly events: readonly WantedEvent[];
}
