// What stands behind the loop: where objects come from, who leads, where addresses go, and who is told how
// things are. One for a folder of manifests, one for an API server; the rest of the controller does not know
// which it has. Types only.

import type { Fault, HeraldReplicaStatus } from '@herald/api';
import type { Decision, Leadership, Replicas, World } from '@herald/decision';
import type { PeerTraffic } from '@herald/frr';
import type { AddressWriter, Source } from '@herald/kube';
import type { KubernetesView, LeaderView, NotReady, TokenCheck } from '@herald/server';

/** What is known when something is to be told: the last decision, and what bgpd shows by now. */
export interface Situation {
  readonly world: World;
  readonly decision: Decision;
  readonly traffic: ReadonlyMap<string, PeerTraffic>;
  readonly notReady: readonly NotReady[];
}

export interface Backend {
  readonly source: Source;
  readonly addresses: AddressWriter;
  readonly leadership: Leadership;
  readonly leader: LeaderView;
  /** Who leads and who else is there, as a decision needs it; undefined as long as that is being found out. */
  readonly company: Replicas | undefined;
  /** By name: what the replicas say of themselves. */
  readonly replicas: ReadonlyMap<string, HeraldReplicaStatus>;
  readonly kubernetes: KubernetesView | undefined;
  /** Who may read what on the pod network; undefined: nobody can be asked. */
  readonly tokens: TokenCheck | undefined;
  /** Where other replicas can be asked how they are: URLs of their pod listeners, the last that are known. */
  readonly others: readonly string[];
  /** Another replica knows this term: no later one of this replica is lower. */
  sawTerm(term: number): void;
  /** Beside those of the source: what could not be written, and why. */
  faults(): readonly Fault[];
  /** Resolves once everything has begun; `source.synced` says when everything is there. */
  start(): Promise<void>;
  /** Called after every decision; `situation` may be called again later, for what changes between decisions. */
  publish(situation: () => Situation): void;
  /** Gives the leadership up, before the sessions are ended; objects go on coming until `close`. */
  release(): Promise<void>;
  close(): Promise<void>;
}
