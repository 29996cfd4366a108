// The World is everything that a decision may depend on, as one immutable snapshot: projected Kubernetes
// objects, settings, who this replica is, whether it leads, and what bgpd says of its sessions.
//
// Maps are persistent: an entry that is the same reference as in the last World has not changed, and that
// is how `decide` finds what it must look at again. `now` is the only clock there is.

import type {
  Advertisement,
  EndpointSlice,
  Labels,
  Namespace,
  Node,
  Peer,
  Pool,
  Secret,
  Service,
  Settings,
} from '@herald/api';
import { PersistentMap, type Family, type PathAttributes } from '@herald/net';

export interface World {
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** By name. */
  readonly nodes: PersistentMap<Node>;
  /** By namespace/name. */
  readonly services: PersistentMap<Service>;
  /** By namespace/name. */
  readonly endpointSlices: PersistentMap<EndpointSlice>;
  /** By name. */
  readonly namespaces: PersistentMap<Namespace>;
  /** By namespace/name. */
  readonly secrets: PersistentMap<Secret>;
  /** By name, as are pools and advertisements. */
  readonly peers: PersistentMap<Peer>;
  readonly pools: PersistentMap<Pool>;
  readonly advertisements: PersistentMap<Advertisement>;
  readonly settings: DecisionSettings;
  readonly replica: Replica;
  readonly leadership: Leadership;
  readonly replicas: Replicas;
  /** By peer name: what bgpd says; an absent entry means unknown. */
  readonly sessions: PersistentMap<SessionState>;
  /**
   * Whether a node is programmed for a Service of externalTrafficPolicy Local, by Joining.probe:
   * true once the port answered 200 since Decision.joining first named the pair, false if it answers anything
   * else, absent while it says nothing. Entries of pairs that are not named any more must be dropped.
   */
  readonly programmed: PersistentMap<boolean>;
  /** What bgpd held when this process started; read by the first decision only. */
  readonly retained: RetainedTables;
  readonly freshness: Freshness;
}

/** By table ('' is the shared one, else the name of the view), then by prefix text. */
export type RetainedTables = ReadonlyMap<string, ReadonlyMap<string, readonly RetainedPath[]>>;

/** A path that an earlier process announced and bgpd kept (RFC 4724). */
export interface RetainedPath {
  /** Canonical text. */
  readonly nextHop: string;
  /** As decided, with export tags; which AS number was prepended is not known: zeros in its place. */
  readonly attributes: PathAttributes;
  /** On the feed, where it was read; it says nothing to routers, and no rank depends on it. */
  readonly pathId?: number;
}

export type DecisionSettings = Pick<
  Settings,
  | 'asn'
  | 'routerId'
  | 'loadBalancerClass'
  | 'ipam'
  | 'compatibilityAnnotations'
  | 'standbyMode'
  | 'excludeLabelHonoured'
  | 'cordonedNodesLeave'
> & {
  /** How long a node waits before it joins a prefix that other nodes already serve; 0 for not at all. */
  readonly joinDelayMs: number;
  /** With more than this share of the nodes not Ready, none is taken out for that. */
  readonly deadNodesPercent: number;
  /** How long a node has to be silent before that counts. */
  readonly silentNodeMs: number;
  /** How long before a take-over the leader of before may have stopped to see what changes, where it just vanished. */
  readonly doubtMs: number;
};

export interface Replica {
  readonly name: string;
  /** Labels of the control-plane node that it runs on. */
  readonly labels: Labels;
  /** Stable position among the replicas; the order of their standby ranks. */
  readonly ordinal: number;
}

export interface Leadership {
  readonly leading: boolean;
  /** The term of this leadership, or the last one known when not leading. */
  readonly term: number;
  /** The leader of before gave the Lease up: it lived until then, and its sessions end. */
  readonly handedOver?: boolean;
}

/** What the replicas know of each other; the same object as long as nothing of it changes. */
export interface Freshness {
  /** This replica has had no contact with where its objects come from for longer than is allowed. */
  readonly stale: boolean;
  /** Since when there is contact after it was lost for so long, by World.now; Infinity while it is; undefined: it never was. */
  readonly regainedAtMs: number | undefined;
  /** Router address -> name of a fresh replica that serves it with a complete table. */
  readonly covered: PersistentMap<string>;
  /**
   * Until when every other replica that is known of answered and was fresh, by World.now. Infinity: they do still;
   * -Infinity: one has not since this process began; undefined: replicas do not ask each other.
   */
  readonly othersFreshUntilMs: number | undefined;
  /** This replica led and is about to end: it announces until another one serves its routers, whatever its mode. */
  readonly handsOver: boolean;
}

/** Of a replica that knows of no other and never lost contact. */
export const ALONE: Freshness = {
  stale: false,
  regainedAtMs: undefined,
  covered: PersistentMap.empty(),
  othersFreshUntilMs: undefined,
  handsOver: false,
};

/** What this replica knows of the others. */
export interface Replicas {
  /** Name of the replica that holds the lead, this one or another; '' when none is known to. */
  readonly leader: string;
  /** By name: those that say that they are there; this one may be among them. */
  readonly others: ReadonlyMap<string, OtherReplica>;
}

export interface OtherReplica {
  /** The control-plane node that it runs on. */
  readonly node: string;
  readonly ordinal: number;
}

export interface SessionState {
  readonly state: 'Idle' | 'Connect' | 'Active' | 'OpenSent' | 'OpenConfirm' | 'Established';
  readonly sinceMs: number | undefined;
  readonly families: readonly Family[];
  /** What the router's OPEN offered to receive; undefined until the first Established. */
  readonly addPathReceive: PerFamily<boolean> | undefined;
  readonly localAddress: string | undefined;
  readonly authenticated: boolean;
  readonly lastError: string;
  readonly connectionsDropped: number;
  readonly remoteAs: number | undefined;
}

export interface PerFamily<T> {
  readonly 4: T;
  readonly 6: T;
}
