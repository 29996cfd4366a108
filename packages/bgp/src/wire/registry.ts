// Every number that BGP assigns and that this package knows, in one place, each with the RFC it comes from.
//
// Input: none. Output: constants. Holds no logic: what a number means is decided by the file that uses it.

/** RFC 4271 section 4.1. */
export const MARKER_LENGTH = 16;
export const HEADER_LENGTH = 19;
/** RFC 4271 section 4.1: the longest message, in octets. */
export const MAXIMUM_LENGTH = 4096;
/** RFC 8654 section 4: the longest UPDATE, NOTIFICATION or ROUTE-REFRESH once both sides offered the capability. */
export const EXTENDED_MAXIMUM_LENGTH = 65535;
/** RFC 4271 section 4.2. */
export const BGP_VERSION = 4;

/** RFC 4271 section 4.1; 5 is RFC 2918. */
export const MESSAGE_TYPE = { open: 1, update: 2, notification: 3, keepalive: 4, routeRefresh: 5 } as const;

/** RFC 4271 section 4.2, RFC 5492 section 4. */
export const OPTIONAL_PARAMETER = { capabilities: 2, extendedLength: 255 } as const;

export const CAPABILITY = {
  multiprotocol: 1, // RFC 4760
  routeRefresh: 2, // RFC 2918
  extendedMessage: 6, // RFC 8654
  gracefulRestart: 64, // RFC 4724
  fourOctetAsn: 65, // RFC 6793
  addPath: 69, // RFC 7911
  enhancedRouteRefresh: 70, // RFC 7313
  longLivedGracefulRestart: 71, // RFC 9494
} as const;

/** RFC 4760, IANA address family numbers. */
export const AFI = { ipv4: 1, ipv6: 2 } as const;
export const SAFI = { unicast: 1 } as const;

/** RFC 7911 section 4. */
export const ADD_PATH_MODE = { receive: 1, send: 2, both: 3 } as const;

/** RFC 4724 section 3 (R, F), RFC 8538 section 2 (N), as bits of the first octet of their field. */
export const GRACEFUL_RESTART = { restarting: 0x80, notification: 0x40, forwarding: 0x80 } as const;

export const ATTRIBUTE = {
  origin: 1, // RFC 4271
  asPath: 2, // RFC 4271
  nextHop: 3, // RFC 4271
  med: 4, // RFC 4271
  localPref: 5, // RFC 4271
  atomicAggregate: 6, // RFC 4271
  aggregator: 7, // RFC 4271
  communities: 8, // RFC 1997
  originatorId: 9, // RFC 4456
  clusterList: 10, // RFC 4456
  mpReach: 14, // RFC 4760
  mpUnreach: 15, // RFC 4760
  extendedCommunities: 16, // RFC 4360
  as4Path: 17, // RFC 6793
  as4Aggregator: 18, // RFC 6793
  largeCommunities: 32, // RFC 8092
} as const;

/** RFC 4271 section 4.3. */
export const ATTRIBUTE_FLAG = {
  optional: 0x80,
  transitive: 0x40,
  partial: 0x20,
  extendedLength: 0x10,
} as const;

/** RFC 4271 section 4.3 (1, 2), RFC 5065 section 3 (3, 4). */
export const SEGMENT_TYPE = { set: 1, sequence: 2, confedSequence: 3, confedSet: 4 } as const;

/** Type and subtype of the link bandwidth community (draft-ietf-idr-link-bandwidth), transitive or not. */
export const LINK_BANDWIDTH = { transitive: 0x0004, nonTransitive: 0x4004 } as const;

/** RFC 7313 section 3.2. */
export const ROUTE_REFRESH_SUBTYPE = { request: 0, begin: 1, end: 2 } as const;

/** RFC 4271 section 4.5; 7 is RFC 7313. */
export const ERROR_CODE = {
  header: 1,
  open: 2,
  update: 3,
  holdTimerExpired: 4,
  finiteStateMachine: 5,
  cease: 6,
  routeRefresh: 7,
} as const;

/** RFC 4271 section 6.1. */
export const HEADER_ERROR = { notSynchronized: 1, badLength: 2, badType: 3 } as const;

/** RFC 4271 section 6.2; 7 is RFC 5492. */
export const OPEN_ERROR = {
  unspecific: 0,
  unsupportedVersion: 1,
  badPeerAs: 2,
  badIdentifier: 3,
  unsupportedOptionalParameter: 4,
  unacceptableHoldTime: 6,
  unsupportedCapability: 7,
} as const;

/** RFC 4271 section 6.3. */
export const UPDATE_ERROR = {
  malformedAttributeList: 1,
  unrecognizedWellKnown: 2,
  missingWellKnown: 3,
  attributeFlags: 4,
  attributeLength: 5,
  invalidOrigin: 6,
  invalidNextHop: 8,
  optionalAttribute: 9,
  invalidNetworkField: 10,
  malformedAsPath: 11,
} as const;

/** RFC 6608 section 3: a message that the state does not expect. */
export const FSM_ERROR = { inOpenSent: 1, inOpenConfirm: 2, inEstablished: 3 } as const;

/** RFC 4486 section 3; 9 is RFC 8538. */
export const CEASE = {
  maximumPrefixes: 1,
  administrativeShutdown: 2,
  peerDeconfigured: 3,
  administrativeReset: 4,
  connectionRejected: 5,
  otherConfigurationChange: 6,
  connectionCollision: 7,
  outOfResources: 8,
  hardReset: 9,
} as const;

/** RFC 7313 section 5. */
export const ROUTE_REFRESH_ERROR = { invalidLength: 1 } as const;
