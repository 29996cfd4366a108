// Every field of IPAddressPool at, inside and beyond its bounds.

import { refusal, type KindCases, type RefusedCase } from './case.ts';

function range(text: string, says: string): RefusedCase {
  return refusal({ addresses: [text] }, 'spec.addresses[0]', says);
}

function stored(change: RefusedCase['change'], field: string, says: string, reason?: string): RefusedCase {
  return { ...refusal(change, field, says), storedAnyway: true, ...(reason === undefined ? {} : { reason }) };
}

const notRanges = [
  'web',
  '192.0.2.0/33',
  '192.0.2.0/',
  '/24',
  '192.0.2.1-',
  '-192.0.2.9',
  '192.0.2.1-192.0.2.9-192.0.2.11',
  '192.0.2.1–192.0.2.9',
  '192.0.2.1-9',
  '192.0.2.1-192.0.2.999',
  '192.0.2.0/24-192.0.3.0/24',
  '2001:db8::/129',
  '::ffff:192.0.2.0/120',
];

export const IP_ADDRESS_POOL_CASES: KindCases = {
  kind: 'IPAddressPool',
  name: 'public',
  spec: { addresses: ['198.51.100.0/24'] },
  accepted: [
    {},
    { addresses: ['198.51.100.10-198.51.100.20', '198.51.100.30 - 198.51.100.40', '198.51.100.50'] },
    { addresses: ['198.51.100.9-198.51.100.10', '198.51.99.255-198.51.100.1'] },
    { addresses: ['2001:db8::/64', '2001:DB8:1::-2001:db8:1::ff', '192.0.2.7/32'] },
    { addresses: ['10.0.0.0/8'] },
    { autoAssign: false, avoidBuggyIPs: true },
    { serviceAllocation: {} },
    { serviceAllocation: { priority: 1_000_000, namespaces: ['a', 'b'] } },
    {
      serviceAllocation: {
        namespaceSelectors: [{ matchLabels: { team: 'web' } }],
        serviceSelectors: [{ matchExpressions: [{ key: 'tier', operator: 'NotIn', values: ['lab'] }] }],
      },
    },
  ],
  refused: [
    refusal({ addresses: undefined }, 'spec.addresses', 'is required'),
    refusal({ addresses: [] }, 'spec.addresses', 'must have at least 1 item'),
    refusal({ addresses: '198.51.100.0/24' }, 'spec.addresses', 'must be a list'),
    refusal({ addresses: [['198.51.100.0/24']] }, 'spec.addresses[0]', 'must be a text, not a list'),
    refusal({ addresses: ['x'] }, 'spec.addresses[0]', 'at least 2 characters'),
    refusal({ addresses: ['1'.repeat(94)] }, 'spec.addresses[0]', 'at most 93 characters'),
    refusal(
      { addresses: Array.from({ length: 129 }, (_, i) => `10.${i}.0.0/16`) },
      'spec.addresses',
      'must have at most 128 items',
    ),
    refusal(
      { addresses: ['192.0.2.0/24', '198.51.100.0/24', '192.0.2.0/24'] },
      'spec.addresses[2]',
      'is the same as item 0',
    ),
    ...notRanges.map((text) => range(text, 'must be a prefix such as')),
    range('198.51.100.1/24', 'must have no host bits set'),
    range('2001:db8::1/64', 'must have no host bits set'),
    range('198.51.100.1-2001:db8::1', 'must begin and end in one address family'),
    range('198.51.100.20-198.51.100.10', 'must not be reversed'),
    range('198.51.100.10 - 198.51.100.9', 'must not be reversed'),
    range('198.51.101.0-198.51.100.255', 'must not be reversed'),
    ...['0.0.0.0/0', '::/0', '127.0.0.0/8', '::1', '224.0.0.0/24', 'ff00::/64', '169.254.0.0/24'].map(
      (text) => range(text, 'must not begin at'),
    ),
    range('fe80::1-fe80::9', 'must not begin at'),
    range('255.255.255.255', 'must not begin at'),
    stored({ addresses: ['2001:db8::9-2001:db8::1'] }, 'spec.addresses[0]', 'it is reversed', 'Unreadable'),
    stored(
      { addresses: ['198.51.100.0/24', '198.51.100.128-198.51.101.3'] },
      'spec.addresses[1]',
      'must not overlap spec.addresses[0]',
    ),
    stored(
      { addresses: ['10.2.0.0/16', '192.0.2.0/24', '10.0.0.0/8'] },
      'spec.addresses[2]',
      'must not overlap spec.addresses[0]',
    ),
    stored(
      { addresses: ['10.0.0.0/8', '10.1.0.0/16', '10.3.0.0/16'] },
      'spec.addresses[2]',
      'must not overlap spec.addresses[0]',
    ),
    refusal({ autoAssign: 'no' }, 'spec.autoAssign', 'must be true or false'),
    refusal({ avoidBuggyIPs: 1 }, 'spec.avoidBuggyIPs', 'must be true or false'),
    refusal({ serviceAllocation: [] }, 'spec.serviceAllocation', 'must be a mapping'),
    refusal(
      { serviceAllocation: { priority: -1 } },
      'spec.serviceAllocation.priority',
      'must be at least 0, not -1',
    ),
    refusal(
      { serviceAllocation: { priority: 1_000_001 } },
      'spec.serviceAllocation.priority',
      'must be at most 1000000',
    ),
    refusal(
      { serviceAllocation: { namespaces: ['a', 'a'] } },
      'spec.serviceAllocation.namespaces[1]',
      'is the same as item 0',
    ),
    refusal(
      { serviceAllocation: { namespaces: [''] } },
      'spec.serviceAllocation.namespaces[0]',
      'at least 1 character',
    ),
    refusal(
      { serviceAllocation: { namespaces: ['n'.repeat(64)] } },
      'spec.serviceAllocation.namespaces[0]',
      'at most 63 characters',
    ),
    refusal(
      { serviceAllocation: { serviceSelectors: [{ matchExpressions: [{ operator: 'Exists' }] }] } },
      'spec.serviceAllocation.serviceSelectors[0].matchExpressions[0].key',
      'is required',
    ),
    refusal(
      { serviceAllocation: { namespaceSelectors: Array.from({ length: 17 }, () => ({})) } },
      'spec.serviceAllocation.namespaceSelectors',
      'must have at most 16 items',
    ),
    refusal(
      {
        serviceAllocation: {
          namespaceSelectors: [{ matchExpressions: [{ key: 'a', operator: 'NotIn', values: [] }] }],
        },
      },
      'spec.serviceAllocation.namespaceSelectors[0].matchExpressions[0].values',
      'must have a value',
    ),
    refusal(
      {
        serviceAllocation: {
          serviceSelectors: [{ matchExpressions: [{ key: 'a', operator: 'DoesNotExist', values: ['b'] }] }],
        },
      },
      'spec.serviceAllocation.serviceSelectors[0].matchExpressions[0].values',
      'none for Exists',
    ),
  ],
};
