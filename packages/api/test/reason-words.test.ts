// The words that Herald says "no" with. Conditions, metrics, dashboards and scripts of users hold them, so
// a word may be added to this list and never taken from it.

import { expect, it } from 'vitest';
import { REASONS, fault } from '../src/index.ts';

const WORDS = {
  service: [
    'NotLoadBalancer',
    'NotOurClass',
    'ServiceDeleted',
    'NoAddress',
    'AddressNotInPool',
    'NoAdvertisement',
    'NoPeer',
    'NoUsableEndpoint',
    'NoNextHop',
    'AddressConflict',
    'AddressNotOurs',
  ],
  allocation: [
    'PoolExhausted',
    'NoPool',
    'PoolUnknown',
    'PoolNotAllowed',
    'PoolRemoved',
    'AddressInUse',
    'RequestInvalid',
    'RequestConflict',
    'WrongFamily',
    'NoAddressOfServiceFamily',
    'SharingKeyDiffers',
    'SharingPortClash',
    'SharingPolicyClash',
    'NotLeading',
  ],
  node: [
    'NodeDeleted',
    'NodeUnknown',
    'NodeNotReady',
    'NetworkUnavailable',
    'ExcludedByLabel',
    'TaintedForRemoval',
    'TaintedOutOfService',
    'Cordoned',
    'ProbeFailed',
    'NotSelected',
    'NoAddressOfFamily',
    'NoEndpointOnNode',
    'EndpointsTerminating',
    'OverNextHopLimit',
    'JoinPending',
    'HeldByGuard',
  ],
  route: [
    'CoversInfrastructure',
    'AdvertisementConflict',
    'AggregateUnsafe',
    'MoreSpecificNeeded',
    'NextHopSetLimit',
    'MaxRoutes',
    'FamilyNotNegotiated',
  ],
  peer: [
    'DuplicatePeerAddress',
    'SecretMissing',
    'SecretInvalid',
    'PeerShutdown',
    'ReplicaNotSelected',
    'StaleReplica',
    'StandingBy',
    'NoAddPath',
    'SessionDown',
    'SessionCollision',
    'RouteLimitReached',
    'AsnMismatch',
  ],
  policy: ['PoolOverlaps', 'ReservedCommunity', 'LocalPrefNotSent', 'SelectsNothing'],
  object: ['Invalid', 'UnknownField', 'Unreadable', 'DuplicateObject'],
  apiServer: ['ApiUnreachable', 'Forbidden', 'SuspectList'],
} as const;

const listed: readonly string[] = Object.values(WORDS).flat();

it.each(listed)('%s is still a reason', (word) => {
  expect(Object.keys(REASONS)).toContain(word);
});

it('every reason is on this list, so that taking one away is noticed', () => {
  expect(Object.keys(REASONS).filter((word) => !listed.includes(word))).toEqual([]);
});

it('no word is there twice, not even in another case', () => {
  const lower = Object.keys(REASONS).map((word) => word.toLowerCase());
  expect(new Set(lower).size).toBe(lower.length);
});

it.each([
  [
    'spec.peerPort',
    'must be at least 1',
    undefined,
    'BGPPeer a: spec.peerPort must be at least 1.',
    'Invalid',
  ],
  ['', 'must be something else', undefined, 'BGPPeer a must be something else.', 'Invalid'],
  ['spec', 'is required', 'Unreadable', 'BGPPeer a: spec is required.', 'Unreadable'],
] as const)('a fault at %j that %s', (field, rule, reason, message, word) => {
  expect(fault('BGPPeer a', field, rule, reason)).toEqual({
    object: 'BGPPeer a',
    field,
    reason: word,
    message,
  });
});
