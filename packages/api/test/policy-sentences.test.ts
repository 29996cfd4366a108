// What people read when a pool or an advertisement breaks a rule: whole sentences, one for each rule of each
// field, each of which names the object, the field, what would be right and what was found.

import { describe, expect, it } from 'vitest';
import { projectObject, type Fault } from '../src/index.ts';
import { BGP_ADVERTISEMENT_CASES } from './cases/bgp-advertisement.ts';
import { manifest } from './cases/case.ts';
import { IP_ADDRESS_POOL_CASES } from './cases/ip-address-pool.ts';

type Row = readonly [change: Readonly<Record<string, unknown>>, sentence: string, reason?: string];

const POOL_ROWS: readonly Row[] = [
  [{ addresses: undefined }, 'spec.addresses is required.'],
  [{ addresses: [] }, 'spec.addresses must have at least 1 item.'],
  [{ addresses: '198.51.100.0/24' }, 'spec.addresses must be a list, not "198.51.100.0/24".'],
  [{ addresses: [['198.51.100.0/24']] }, 'spec.addresses[0] must be a text, not a list.'],
  [{ addresses: ['x'] }, 'spec.addresses[0] must have at least 2 characters, not "x".'],
  [
    { addresses: ['192.0.2.0/24', '198.51.100.0/24', '192.0.2.0/24'] },
    'spec.addresses[2] is the same as item 0.',
  ],
  [
    { addresses: ['web'] },
    'spec.addresses[0] must be a prefix such as 192.0.2.0/24, a range such as 192.0.2.10-192.0.2.20, or one address, not "web".',
  ],
  [
    { addresses: ['198.51.100.1/24'] },
    'spec.addresses[0] must have no host bits set, not "198.51.100.1/24".',
  ],
  [
    { addresses: ['198.51.100.1-2001:db8::1'] },
    'spec.addresses[0] must begin and end in one address family, not "198.51.100.1-2001:db8::1".',
  ],
  [
    { addresses: ['198.51.100.20-198.51.100.10'] },
    'spec.addresses[0] must not be reversed: the lower address comes first, not "198.51.100.20-198.51.100.10".',
  ],
  [
    { addresses: ['0.0.0.0/0'] },
    'spec.addresses[0] must not begin at an unspecified, loopback, multicast, broadcast or link-local address, not "0.0.0.0/0".',
  ],
  [
    { addresses: ['2001:db8::9-2001:db8::1'] },
    'spec.addresses[0] is wrong: "2001:db8::9-2001:db8::1" is not a range of addresses: it is reversed, write 2001:db8::1-2001:db8::9.',
    'Unreadable',
  ],
  [
    { addresses: ['198.51.100.0/24', '198.51.100.128-198.51.101.3'] },
    'spec.addresses[1] must not overlap spec.addresses[0]: 198.51.100.128-198.51.101.3 and 198.51.100.0/24 have addresses in common.',
  ],
  [
    { addresses: ['10.2.0.0/16', '192.0.2.0/24', '10.0.0.0/8'] },
    'spec.addresses[2] must not overlap spec.addresses[0]: 10.0.0.0/8 and 10.2.0.0/16 have addresses in common.',
  ],
  [{ autoAssign: 'no' }, 'spec.autoAssign must be true or false, not "no".'],
  [{ avoidBuggyIPs: 1 }, 'spec.avoidBuggyIPs must be true or false, not 1.'],
  [{ serviceAllocation: [] }, 'spec.serviceAllocation must be a mapping of fields, not a list.'],
  [{ serviceAllocation: { priority: -1 } }, 'spec.serviceAllocation.priority must be at least 0, not -1.'],
  [
    { serviceAllocation: { priority: 1000001 } },
    'spec.serviceAllocation.priority must be at most 1000000, not 1000001.',
  ],
  [
    { serviceAllocation: { namespaces: ['a', 'a'] } },
    'spec.serviceAllocation.namespaces[1] is the same as item 0.',
  ],
  [
    { serviceAllocation: { namespaces: [''] } },
    'spec.serviceAllocation.namespaces[0] must have at least 1 character, not "".',
  ],
  [
    { serviceAllocation: { serviceSelectors: [{ matchExpressions: [{ operator: 'Exists' }] }] } },
    'spec.serviceAllocation.serviceSelectors[0].matchExpressions[0].key is required.',
  ],
  [
    {
      serviceAllocation: {
        namespaceSelectors: [{}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}],
      },
    },
    'spec.serviceAllocation.namespaceSelectors must have at most 16 items.',
  ],
  [
    {
      serviceAllocation: {
        namespaceSelectors: [{ matchExpressions: [{ key: 'a', operator: 'NotIn', values: [] }] }],
      },
    },
    'spec.serviceAllocation.namespaceSelectors[0].matchExpressions[0].values must have a value for the operators In and NotIn, and none for Exists and DoesNotExist.',
  ],
  [
    {
      serviceAllocation: {
        serviceSelectors: [{ matchExpressions: [{ key: 'a', operator: 'DoesNotExist', values: ['b'] }] }],
      },
    },
    'spec.serviceAllocation.serviceSelectors[0].matchExpressions[0].values must have a value for the operators In and NotIn, and none for Exists and DoesNotExist.',
  ],
];

const ADVERTISEMENT_ROWS: readonly Row[] = [
  [{ ipAddressPools: 'public' }, 'spec.ipAddressPools must be a list, not "public".'],
  [{ ipAddressPools: ['a', 'a'] }, 'spec.ipAddressPools[1] is the same as item 0.'],
  [{ ipAddressPools: [''] }, 'spec.ipAddressPools[0] must have at least 1 character, not "".'],
  [{ ipAddressPoolSelectors: {} }, 'spec.ipAddressPoolSelectors must be a list.'],
  [
    { ipAddressPoolSelectors: ['all'] },
    'spec.ipAddressPoolSelectors[0] must be a mapping of fields, not "all".',
  ],
  [
    { ipAddressPoolSelectors: [{}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}] },
    'spec.ipAddressPoolSelectors must have at most 16 items.',
  ],
  [
    { ipAddressPoolSelectors: [{ matchExpressions: [{ key: 'a', operator: 'In' }] }] },
    'spec.ipAddressPoolSelectors[0].matchExpressions[0].values must have a value for the operators In and NotIn, and none for Exists and DoesNotExist.',
  ],
  [{ serviceSelectors: ['all'] }, 'spec.serviceSelectors[0] must be a mapping of fields, not "all".'],
  [
    { serviceSelectors: [{}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}] },
    'spec.serviceSelectors must have at most 16 items.',
  ],
  [
    { serviceSelectors: [{ matchExpressions: [{ key: 'a', operator: 'In' }] }] },
    'spec.serviceSelectors[0].matchExpressions[0].values must have a value for the operators In and NotIn, and none for Exists and DoesNotExist.',
  ],
  [{ aggregation: { length: 0 } }, 'spec.aggregation.length must be at least 1, not 0.'],
  [{ aggregation: { length: 33 } }, 'spec.aggregation.length must be at most 32, not 33.'],
  [{ aggregation: { lengthV6: 0 } }, 'spec.aggregation.lengthV6 must be at least 1, not 0.'],
  [{ aggregation: { lengthV6: 129 } }, 'spec.aggregation.lengthV6 must be at most 128, not 129.'],
  [{ aggregation: { unassigned: 'Yes' } }, 'spec.aggregation.unassigned must be RouterDiscards, not "Yes".'],
  [
    { aggregation: { length: 24 } },
    'spec.aggregation.unassigned must be RouterDiscards when length is below 32 or lengthV6 below 128: packets for addresses that nobody has would loop unless the router drops them.',
    'AggregateUnsafe',
  ],
  [{ localPref: -1 }, 'spec.localPref must be at least 0, not -1.'],
  [{ localPref: 4294967296 }, 'spec.localPref must be at most 4294967295, not 4294967296.'],
  [{ med: -1 }, 'spec.med must be at least 0, not -1.'],
  [{ med: 4294967296 }, 'spec.med must be at most 4294967295, not 4294967296.'],
  [{ asPathPrepend: -1 }, 'spec.asPathPrepend must be at least 0, not -1.'],
  [{ asPathPrepend: 17 }, 'spec.asPathPrepend must be at most 16, not 17.'],
  [
    { communities: ['no-exports'] },
    'spec.communities[0] must be a community such as 65000:100 or large:65000:1:2, or one of graceful-shutdown, accept-own, llgr-stale, no-llgr, blackhole, no-export, no-advertise, local-as, no-export-subconfed, no-peer, not "no-exports".',
  ],
  [
    { communities: ['65536:1'] },
    'spec.communities[0] must have numbers up to 65535 in a standard and up to 4294967295 in a large community, not "65536:1".',
  ],
  [
    { communities: ['4294967295:1:0'] },
    'spec.communities[0] must not have the administrator 4294967295, which Herald uses for its own tags, not "4294967295:1:0".',
    'ReservedCommunity',
  ],
  [{ communities: ['a'] }, 'spec.communities[0] must have at least 3 characters, not "a".'],
  [{ communities: ['1:1', '1:1'] }, 'spec.communities[1] is the same as item 0.'],
  [{ nextHops: { from: 'Nodes' } }, 'spec.nextHops.from must be EndpointNodes or AllNodes, not "Nodes".'],
  [{ nextHops: { max: 0 } }, 'spec.nextHops.max must be at least 1, not 0.'],
  [{ nextHops: { max: 1025 } }, 'spec.nextHops.max must be at most 1024, not 1025.'],
  [{ nextHops: { weight: 'Pods' } }, 'spec.nextHops.weight must be Equal or Endpoints, not "Pods".'],
];

interface Sentence {
  readonly change: Row[0];
  readonly sentence: string;
  readonly reason: string;
}

function casesOf(rows: readonly Row[]): Sentence[] {
  return rows.map(([change, sentence, reason = 'Invalid']) => ({ change, sentence, reason }));
}

describe('the sentence about a fault of an IPAddressPool', () => {
  it.each(casesOf(POOL_ROWS))('$change', ({ change, sentence, reason }) => {
    const faults: readonly Fault[] =
      projectObject(manifest(IP_ADDRESS_POOL_CASES, change), 'manifest')?.faults ?? [];
    const subject = `${IP_ADDRESS_POOL_CASES.kind} ${IP_ADDRESS_POOL_CASES.name}`;
    expect(faults.map((fault) => [fault.message, fault.reason])).toEqual([
      [`${subject}: ${sentence}`, reason],
    ]);
    expect(sentence.startsWith(`${faults[0]?.field} `)).toBe(true);
  });
});

describe('the sentence about a fault of a BGPAdvertisement', () => {
  it.each(casesOf(ADVERTISEMENT_ROWS))('$change', ({ change, sentence, reason }) => {
    const faults: readonly Fault[] =
      projectObject(manifest(BGP_ADVERTISEMENT_CASES, change), 'manifest')?.faults ?? [];
    const subject = `${BGP_ADVERTISEMENT_CASES.kind} ${BGP_ADVERTISEMENT_CASES.name}`;
    expect(faults.map((fault) => [fault.message, fault.reason])).toEqual([
      [`${subject}: ${sentence}`, reason],
    ]);
    expect(sentence.startsWith(`${faults[0]?.field} `)).toBe(true);
  });
});
