// Every "no" that Herald can say, each with the sentence that explains it. Log, condition, metric, REST
// and page use the same word. Words are stable like an API: they may be added, never renamed or reused.
// A sentence holds no count and no name, so that it stays the same while numbers change.

export const REASONS = {
  // About a Service.
  NotLoadBalancer: 'The Service is not of type LoadBalancer.',
  NotOurClass: 'The load-balancer class of the Service is not the one that Herald serves.',
  ServiceDeleted: 'The Service is being deleted.',
  NoAddress: 'The Service has no address yet.',
  AddressNotInPool: 'The address of the Service is in no pool.',
  NoAdvertisement: 'No BGPAdvertisement matches the Service.',
  NoPeer: 'No usable BGPPeer is selected for the Service.',
  NoUsableEndpoint: 'The Service has no endpoint that can serve.',
  NoNextHop: 'No node with a usable endpoint can be a next hop.',
  AddressConflict: 'Another Service that does not share the address holds it with the better claim.',
  AddressNotOurs: 'Something other than Herald writes the addresses of the Service.',
  // About giving out addresses.
  PoolExhausted: 'Every pool that the Service may use is out of free addresses.',
  NoPool: 'There is no pool that the Service may use.',
  PoolUnknown: 'The requested pool does not exist.',
  PoolNotAllowed: 'The requested pool is pinned to other Services.',
  PoolRemoved: 'The pool that the address came from is gone.',
  AddressInUse: 'The requested address belongs to another Service.',
  RequestInvalid: 'The requested address cannot be read.',
  RequestConflict: 'The Service asks for its address in more than one way, and they differ.',
  WrongFamily: 'The requested address is not of a family that the Service has.',
  NoAddressOfServiceFamily: 'No pool that the Service may use has addresses of every family it requires.',
  SharingKeyDiffers: 'The address is shared by Services with another sharing key.',
  SharingPortClash: 'Another Service that shares the address already uses one of the ports.',
  SharingPolicyClash:
    'Services that share an address need the same endpoints under external traffic policy Local.',
  NotLeading: 'This replica does not lead, and only the leader gives out addresses.',
  // About a node as a next hop.
  NodeDeleted: 'The node is being deleted or is gone.',
  NodeUnknown: 'The node is named by an endpoint but does not exist.',
  NodeNotReady: 'The node is not Ready.',
  NetworkUnavailable: 'The network of the node is not available.',
  ExcludedByLabel: 'The node carries the label that excludes it from external load balancers.',
  TaintedForRemoval: 'An autoscaler has tainted the node for removal.',
  TaintedOutOfService: 'The node is tainted out of service.',
  Cordoned: 'The node is cordoned.',
  ProbeFailed: 'The node does not answer probes.',
  NotSelected: 'The node is not selected by the advertisement.',
  NoAddressOfFamily: 'The node has no address of this family that the peer can be given.',
  NoEndpointOnNode: 'The node has no usable endpoint of the Service.',
  EndpointsTerminating:
    'All endpoints of the Service on the node are terminating, and another node has a ready one.',
  OverNextHopLimit: 'The node is left out because of the limit on next hops.',
  JoinPending: 'The node waits until it is known to be programmed before it joins a served prefix.',
  HeldByGuard: 'The node stays: too many look dead at once, or it has only just fallen silent.',
  // About a route.
  CoversInfrastructure: 'The prefix contains a node, a peer, a next hop or a pod range.',
  AdvertisementConflict: 'Advertisements that match contradict each other in a value that can be only one.',
  AggregateUnsafe: 'The aggregate needs aggregation.unassigned: RouterDiscards.',
  MoreSpecificNeeded:
    'The aggregate cannot serve every Service inside, so the more specific prefix goes out too.',
  NextHopSetLimit: 'The peer has no room for another set of next hops, so the shared set is used.',
  MaxRoutes: 'The peer has no room for more routes.',
  FamilyNotNegotiated: 'The session does not carry this address family.',
  // About a peer.
  DuplicatePeerAddress: 'An older BGPPeer has the same address.',
  SecretMissing: 'The Secret with the password, or the key in it, does not exist.',
  SecretInvalid: 'The Secret with the password cannot be used.',
  PeerShutdown: 'The peer is shut down by its configuration.',
  ReplicaNotSelected: 'This replica is not one that speaks to the peer.',
  StaleReplica: 'This replica lost contact, and a fresh one serves the router.',
  StandingBy: 'Another replica speaks to the peer; this one stands by.',
  NoAddPath: 'The router does not accept several paths for one prefix.',
  SessionDown: 'The session with the router is not established.',
  SessionCollision: 'Another speaker with the same address keeps taking over the session.',
  RouteLimitReached: 'The router ended the session because it was sent too many routes.',
  AsnMismatch: 'The AS number of the router is not the expected one.',
  // About a pool or an advertisement.
  PoolOverlaps: 'An older pool has some of the same addresses.',
  ReservedCommunity: 'The community is reserved for Herald itself.',
  LocalPrefNotSent: 'LOCAL_PREF is not sent to external peers.',
  SelectsNothing: 'The object selects nothing that exists.',
  // About any object.
  Invalid: 'The object breaks a rule of its kind.',
  UnknownField: 'The object has a field that its kind does not know.',
  Unreadable: 'The text cannot be read.',
  DuplicateObject: 'The object exists twice.',
  // About the API server.
  ApiUnreachable: 'The API server does not answer.',
  Forbidden: 'The API server does not allow it; a right is missing.',
  SuspectList: 'A list lacks most of what is known, and nothing is removed until a second one agrees.',
} as const;

export type Reason = keyof typeof REASONS;
