// Everything that the leader wants to be written about Services and our own objects, as one value that is
// handed over whole each time; what is the same reference as before costs nothing to compare.

import type { BgpAdvertisementStatus, BgpPeerStatus, Condition, IpAddressPoolStatus } from '@herald/api';
import type { PersistentMap } from '@herald/net';

/** The condition heraldbgp.io/Advertised; its sentence holds no count and no name. */
export interface ServiceCondition {
  readonly status: 'True' | 'False';
  readonly reason: string;
  readonly message: string;
}

/** Since when a condition has its status is found by comparing with what is there. */
export type WantedCondition = Omit<Condition, 'lastTransitionTime'>;

export type WantedObjectStatus<Status extends { conditions?: Condition[] }> = Omit<Status, 'conditions'> & {
  readonly conditions?: readonly WantedCondition[];
};

export interface ObjectReference {
  readonly apiVersion: string;
  readonly kind: string;
  /** '' for objects of the whole cluster. */
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
}

/** Something that holds now; an Event is written when it begins to. */
export interface WantedEvent {
  readonly object: ObjectReference;
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
}

export interface WantedStatus {
  /** By namespace/name. */
  readonly services: PersistentMap<ServiceCondition>;
  /** By name, as the others. */
  readonly peers: PersistentMap<WantedObjectStatus<BgpPeerStatus>>;
  readonly pools: PersistentMap<WantedObjectStatus<IpAddressPoolStatus>>;
  readonly advertisements: PersistentMap<WantedObjectStatus<BgpAdvertisementStatus>>;
  readonly events: readonly WantedEvent[];
}
