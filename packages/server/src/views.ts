// What the server shows: the newest whole state, handed over by the controller as references to what it
// decided from and what it decided. Nothing is computed for the server before somebody asks.
//
// The server never changes any of it and has no way to.

import type { Fault, HeraldReplicaStatus, Settings } from '@herald/api';
import type { Decision, Explanation, PerFamily, World } from '@herald/decision';
import type { ReplicaReport } from './exchange/replica-report.ts';

export interface ViewSource {
  current(): Views;
  /** Every check of one Service with its outcome; undefined when there is no such Service. */
  explain(serviceKey: string): Explanation | undefined;
}

export interface Views {
  readonly world: World;
  readonly decision: Decision;
  readonly settings: Settings;
  readonly loop: LoopView;
  readonly source: SourceView;
  /** Empty when the replica is ready. */
  readonly notReady: readonly NotReady[];
  readonly faults: readonly Fault[];
  /** One for each bgpd instance. */
  readonly feeds: readonly FeedView[];
  readonly leader: LeaderView;
  /** By name: what the replicas say of themselves, this one among them. */
  readonly replicas: ReadonlyMap<string, HeraldReplicaStatus>;
  readonly exchange: ExchangeView;
  /** By peer name: what bgpd runs, whatever is planned. */
  readonly running: ReadonlyMap<string, RunningPeer>;
  /** undefined unless the table that an earlier process kept is announced, for want of anything to decide from. */
  readonly keptTable: KeptView | undefined;
  /** undefined while the source is a folder. */
  readonly kubernetes: KubernetesView | undefined;
}

/** What replicas tell each other directly, whether the API server is there or not. */
export interface ExchangeView {
  /** This replica has had no contact with its source for too long: it leaves routers to those that have. */
  readonly stale: boolean;
  /** Those that answered within the last seconds. */
  readonly heard: readonly HeardReplica[];
  /** By URL, or the file of the key: why nothing is heard. */
  readonly problems: ReadonlyMap<string, string>;
}

export interface HeardReplica {
  readonly report: ReplicaReport;
  readonly heardAtMs: number;
}

export interface KeptView {
  /** When it last was what live data said. */
  readonly confirmedAtMs: number;
  /** What bgpd still holds is announced just as it is; what comes from the file, below whatever any other replica says. */
  readonly from: 'bgpd' | 'file';
}

export interface LeaderView {
  /** The replica that holds the leadership; undefined when nobody is known to. */
  readonly holder: string | undefined;
  /** Since when that has been so; undefined when it is not known. */
  readonly sinceMs: number | undefined;
}

export interface RunningPeer {
  /** `shared` or the name of the view in which bgpd runs the session. */
  readonly instance: string;
  readonly pathsSent: PerFamily<number>;
  readonly gracefulRestartNegotiated: boolean;
}

/** How the exchange with the API server goes. */
export interface KubernetesView {
  readonly requests: readonly RequestCount[];
  readonly watches: readonly WatchView[];
  /** When the request was sent that last renewed our Lease; undefined while this replica does not lead. */
  readonly leaseRenewedAtMs: number | undefined;
  readonly writes: readonly WriteCount[];
}

export interface RequestCount {
  /** get, list, watch, create, update, patch or delete. */
  readonly verb: string;
  /** The HTTP status as text, or timeout, network, aborted, malformed. */
  readonly outcome: string;
  readonly count: number;
}

export interface WatchView {
  /** Plural name of the resource. */
  readonly resource: string;
  /** When the watch was last known to be current; 0 before the first time. */
  readonly freshAtMs: number;
}

export interface WriteCount {
  /** What is written: addresses, conditions, statuses, events, replica. */
  readonly kind: string;
  /** written, conflict, gone, refused, forbidden, not-leading or unreachable. */
  readonly outcome: string;
  readonly count: number;
}

export interface LoopView {
  readonly ticks: number;
  /** Ticks that failed and were contained. */
  readonly failedTicks: number;
  /** Since when a tick has been asked for and has not ended; undefined while the loop is idle. */
  readonly pendingSinceMs: number | undefined;
}

export interface SourceView {
  readonly kind: 'folder' | 'kubernetes';
  readonly synced: boolean;
  /** When the source was last known to be current; 0 before the first time. */
  readonly freshAtMs: number;
}

export interface NotReady {
  /** UpperCamelCase, stable. */
  readonly reason: string;
  readonly message: string;
}

export interface FeedView {
  /** `shared` or the name of the view. */
  readonly name: string;
  readonly state: 'idle' | 'connecting' | 'open-sent' | 'open-confirm' | 'established';
  readonly sinceMs: number | undefined;
  readonly counters: FeedCounters;
}

export interface FeedCounters {
  readonly updatesSent: number;
  readonly prefixesSent: number;
  readonly withdrawnSent: number;
  readonly bytesSent: number;
  readonly sessionsLost: number;
}
