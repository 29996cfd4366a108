// What a valid IPAddressPool and a valid BGPAdvertisement become: defaults, and text as values.

import { community, range } from '@herald/net';
import { describe, expect, it } from 'vitest';
import { projectAdvertisement, projectPool, type Advertisement, type Pool } from '../src/index.ts';
import { BGP_ADVERTISEMENT_CASES } from './cases/bgp-advertisement.ts';
import { manifest, type KindCases } from './cases/case.ts';
import { IP_ADDRESS_POOL_CASES } from './cases/ip-address-pool.ts';

const meta = { name: 'public', uid: '', createdAt: 0, labels: {} };

function valueOf<T>(result: ReturnType<typeof projectPool> | { ok: boolean; value?: T }): T {
  return 'value' in result ? (result.value as T) : expect.fail('the object is refused');
}

const pool = (change: KindCases['spec']): Pool =>
  valueOf(projectPool(manifest(IP_ADDRESS_POOL_CASES, change), 'manifest'));

const advertisement = (change: KindCases['spec']): Advertisement =>
  valueOf(projectAdvertisement(manifest(BGP_ADVERTISEMENT_CASES, change), 'manifest'));

describe('an IPAddressPool', () => {
  it('with the fewest fields has every default', () => {
    expect(pool({})).toEqual({
      kind: 'IPAddressPool',
      ...meta,
      ranges: [range('198.51.100.0/24')],
      autoAssign: true,
      avoidBuggyIPs: false,
      serviceAllocation: undefined,
    });
  });

  it('keeps its ranges in the order in which they are written', () => {
    const addresses = ['2001:db8::/64', '198.51.100.9', '192.0.2.10 - 192.0.2.20', ' 192.0.2.30-192.0.2.31 '];
    expect(pool({ addresses }).ranges).toEqual([
      range('2001:db8::/64'),
      range('198.51.100.9'),
      range('192.0.2.10-192.0.2.20'),
      range('192.0.2.30-192.0.2.31'),
    ]);
  });

  it('fills in the pin', () => {
    expect(pool({ serviceAllocation: {} }).serviceAllocation).toEqual({
      priority: 0,
      namespaces: [],
      namespaceSelectors: [],
      serviceSelectors: [],
    });
  });

  it('reads the selectors of the pin', () => {
    const serviceAllocation = {
      priority: 3,
      namespaces: ['web'],
      namespaceSelectors: [{ matchLabels: { team: 'web' } }],
      serviceSelectors: [{ matchExpressions: [{ key: 'tier', operator: 'Exists' }] }],
    };
    expect(pool({ serviceAllocation }).serviceAllocation).toEqual({
      priority: 3,
      namespaces: ['web'],
      namespaceSelectors: [{ matchLabels: { team: 'web' }, matchExpressions: [] }],
      serviceSelectors: [
        { matchLabels: {}, matchExpressions: [{ key: 'tier', operator: 'Exists', values: [] }] },
      ],
    });
  });

  it('names both ranges that overlap', () => {
    const object = manifest(IP_ADDRESS_POOL_CASES, { addresses: ['10.0.0.0/8', '10.1.0.0-10.1.0.9'] });
    expect(projectPool(object, 'api').faults.map(({ message }) => message)).toEqual([
      'IPAddressPool public: spec.addresses[1] must not overlap spec.addresses[0]: ' +
        '10.1.0.0-10.1.0.9 and 10.0.0.0/8 have addresses in common.',
    ]);
  });
});

describe('a BGPAdvertisement', () => {
  const everything = {
    kind: 'BGPAdvertisement',
    ...meta,
    name: 'default',
    pools: [],
    poolSelectors: [],
    serviceSelectors: [],
    peers: [],
    peerSelectors: [],
    nodeSelectors: [],
    aggregation: { length: undefined, lengthV6: undefined, unassigned: undefined },
    localPref: undefined,
    med: undefined,
    asPathPrepend: 0,
    communities: [],
    nextHops: { from: 'EndpointNodes', max: undefined, weight: 'Equal' },
  };

  it('with the fewest fields selects everything', () => {
    expect(advertisement({})).toEqual(everything);
  });

  it('without a spec selects everything', () => {
    const object = {
      apiVersion: 'heraldbgp.io/v1alpha1',
      kind: 'BGPAdvertisement',
      metadata: { name: 'default' },
    };
    expect(projectAdvertisement(object, 'manifest')).toEqual({ ok: true, value: everything, faults: [] });
  });

  it.each<[KindCases['spec'], Partial<Advertisement>]>([
    [
      { ipAddressPools: ['b', 'a'], peers: ['tor'] },
      { pools: ['b', 'a'], peers: ['tor'] },
    ],
    [
      { nodeSelectors: [{ matchLabels: { rack: 'a' } }] },
      { nodeSelectors: [{ matchLabels: { rack: 'a' }, matchExpressions: [] }] },
    ],
    [{ ipAddressPoolSelectors: [{}] }, { poolSelectors: [{ matchLabels: {}, matchExpressions: [] }] }],
    [{ peerSelectors: [{}] }, { peerSelectors: [{ matchLabels: {}, matchExpressions: [] }] }],
    [{ serviceSelectors: [{}] }, { serviceSelectors: [{ matchLabels: {}, matchExpressions: [] }] }],
    [
      { aggregation: { length: 24, unassigned: 'RouterDiscards' } },
      { aggregation: { length: 24, lengthV6: undefined, unassigned: 'RouterDiscards' } },
    ],
    [
      { localPref: 0, med: 5, asPathPrepend: 2 },
      { localPref: 0, med: 5, asPathPrepend: 2 },
    ],
    [
      { nextHops: { from: 'AllNodes', max: 8, weight: 'Endpoints' } },
      { nextHops: { from: 'AllNodes', max: 8, weight: 'Endpoints' } },
    ],
    [
      { communities: ['large:65000:1:2', 'blackhole', '65535:666', '65000:1:2', '1:1'] },
      { communities: [community('1:1'), community('blackhole'), community('65000:1:2')] },
    ],
  ])('with %j', (change, expected) => {
    expect(advertisement(change)).toMatchObject(expected);
  });
});
