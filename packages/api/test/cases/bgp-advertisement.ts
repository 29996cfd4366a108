// Every field of BGPAdvertisement at, inside and beyond its bounds.

import { refusal, type KindCases, type RefusedCase } from './case.ts';

function community(text: string, says: string): RefusedCase {
  return refusal({ communities: [text] }, 'spec.communities[0]', says);
}

function reserved(text: string): RefusedCase {
  return { ...community(text, 'which Herald uses for its own tags'), reason: 'ReservedCommunity' };
}

function unsafe(aggregation: object): RefusedCase {
  const says = 'must be RouterDiscards when length is below 32 or lengthV6 below 128';
  return { ...refusal({ aggregation }, 'spec.aggregation.unassigned', says), reason: 'AggregateUnsafe' };
}

const notCommunities = [
  'no-exports',
  '65000',
  '65000:',
  '65000:1:2:3',
  'large:65000:1',
  'LARGE:1:2:3',
  '-1:5',
  '065000:1',
  '1:2:03',
  '1:12345678901',
  'rt:65000:1',
  '65000 :1',
];

const SELECTORS = ['ipAddressPoolSelectors', 'serviceSelectors', 'peerSelectors', 'nodeSelectors'] as const;

export const BGP_ADVERTISEMENT_CASES: KindCases = {
  kind: 'BGPAdvertisement',
  name: 'default',
  spec: {},
  accepted: [
    {},
    { ipAddressPools: ['public'], peers: ['tor-1', 'tor-2'] },
    { nodeSelectors: [{ matchLabels: { rack: 'a' } }, {}] },
    { aggregation: { length: 32, lengthV6: 128 } },
    { aggregation: { length: 24, lengthV6: 124, unassigned: 'RouterDiscards' } },
    { aggregation: { length: 1, unassigned: 'RouterDiscards' } },
    { localPref: 0, med: 0, asPathPrepend: 0 },
    { localPref: 4294967295, med: 4294967295, asPathPrepend: 16 },
    { communities: ['65000:100', '0:0', '65535:65535', 'large:65000:1:2', '4294967294:0:4294967295'] },
    { communities: ['no-export', 'no-export-subconfed', 'blackhole', 'graceful-shutdown', 'no-llgr'] },
    { nextHops: { from: 'AllNodes', max: 1, weight: 'Endpoints' } },
    { nextHops: { max: 1024 } },
  ],
  refused: [
    refusal({ ipAddressPools: 'public' }, 'spec.ipAddressPools', 'must be a list'),
    refusal({ ipAddressPools: ['a', 'a'] }, 'spec.ipAddressPools[1]', 'is the same as item 0'),
    refusal({ ipAddressPools: [''] }, 'spec.ipAddressPools[0]', 'at least 1 character'),
    refusal({ peers: ['p'.repeat(254)] }, 'spec.peers[0]', 'at most 253 characters'),
    refusal(
      { peers: Array.from({ length: 257 }, (_, i) => `p${i}`) },
      'spec.peers',
      'must have at most 256 items',
    ),
    refusal(
      { ipAddressPools: Array.from({ length: 129 }, (_, i) => `p${i}`) },
      'spec.ipAddressPools',
      'must have at most 128 items',
    ),
    ...SELECTORS.flatMap((name) => [
      refusal({ [name]: {} }, `spec.${name}`, 'must be a list'),
      refusal({ [name]: ['all'] }, `spec.${name}[0]`, 'must be a mapping'),
      refusal(
        { [name]: Array.from({ length: 17 }, () => ({})) },
        `spec.${name}`,
        'must have at most 16 items',
      ),
      refusal(
        { [name]: [{ matchExpressions: [{ key: 'a', operator: 'In' }] }] },
        `spec.${name}[0].matchExpressions[0].values`,
        'must have a value for the operators In and NotIn',
      ),
    ]),
    refusal({ aggregation: { length: 0 } }, 'spec.aggregation.length', 'must be at least 1'),
    refusal({ aggregation: { length: 33 } }, 'spec.aggregation.length', 'must be at most 32'),
    refusal({ aggregation: { lengthV6: 0 } }, 'spec.aggregation.lengthV6', 'must be at least 1'),
    refusal({ aggregation: { lengthV6: 129 } }, 'spec.aggregation.lengthV6', 'must be at most 128'),
    refusal({ aggregation: { unassigned: true } }, 'spec.aggregation.unassigned', 'must be a text'),
    refusal({ aggregation: { unassigned: 'Yes' } }, 'spec.aggregation.unassigned', 'must be RouterDiscards'),
    unsafe({ length: 24 }),
    unsafe({ lengthV6: 64 }),
    unsafe({ length: 32, lengthV6: 127 }),
    refusal({ localPref: -1 }, 'spec.localPref', 'must be at least 0'),
    refusal({ localPref: 4294967296 }, 'spec.localPref', 'must be at most 4294967295'),
    refusal({ med: -1 }, 'spec.med', 'must be at least 0'),
    refusal({ med: 4294967296 }, 'spec.med', 'must be at most 4294967295'),
    refusal({ asPathPrepend: -1 }, 'spec.asPathPrepend', 'must be at least 0'),
    refusal({ asPathPrepend: 17 }, 'spec.asPathPrepend', 'must be at most 16'),
    ...notCommunities.map((text) => community(text, 'must be a community such as')),
    community('65536:1', 'numbers up to 65535'),
    community('1:65536', 'numbers up to 65535'),
    community('4294967296:1:1', 'up to 4294967295'),
    community('1:4294967296:1', 'up to 4294967295'),
    reserved('4294967295:1:0'),
    reserved('large:4294967295:7:7'),
    refusal({ communities: ['a'] }, 'spec.communities[0]', 'at least 3 characters'),
    refusal({ communities: ['1'.repeat(39)] }, 'spec.communities[0]', 'at most 38 characters'),
    refusal({ communities: ['1:1', '1:1'] }, 'spec.communities[1]', 'is the same as item 0'),
    refusal(
      { communities: Array.from({ length: 65 }, (_, i) => `1:${i}`) },
      'spec.communities',
      'must have at most 64 items',
    ),
    refusal({ nextHops: { from: 'Nodes' } }, 'spec.nextHops.from', 'must be EndpointNodes or AllNodes'),
    refusal({ nextHops: { max: 0 } }, 'spec.nextHops.max', 'must be at least 1'),
    refusal({ nextHops: { max: 1025 } }, 'spec.nextHops.max', 'must be at most 1024'),
    refusal({ nextHops: { weight: 'Pods' } }, 'spec.nextHops.weight', 'must be Equal or Endpoints'),
  ],
};
