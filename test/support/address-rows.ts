// CASES C as data: pools and Services of one row, what the Services show, and what they show after each change.
// `#` is the row's number, so that no two rows have an address in common.

import type { AddressScene, PoolSpec, ServiceSpec } from './address-scene.ts';

export interface AddressRow {
  readonly name: string;
  readonly pools: Readonly<Record<string, PoolSpec>>;
  readonly services: Readonly<Record<string, ServiceSpec>>;
  /** Addresses and reason; see `summary`. */
  readonly shown: Readonly<Record<string, string>>;
  readonly afterwards?: readonly Change[];
}

export interface Change {
  readonly what: string;
  readonly change: (scene: AddressScene) => Promise<void>;
  readonly shown: Readonly<Record<string, string>>;
}

const V4 = '198.18.#.1-198.18.#.3';
const V6 = '2001:db8:c0de:#::1-2001:db8:c0de:#::3';
const SMALL: AddressRow['pools'] = { a: { addresses: [V4] } };
const DUAL: AddressRow['pools'] = { a: { addresses: [V4, V6] } };

const six = { spec: { ipFamilyPolicy: 'SingleStack', ipFamilies: ['IPv6'] } };
const stack = (ipFamilyPolicy: 'PreferDualStack' | 'RequireDualStack'): ServiceSpec => ({
  spec: { ipFamilyPolicy, ipFamilies: ['IPv4', 'IPv6'] },
});
const local = { externalTrafficPolicy: 'Local' };
const annotated = (annotations: Readonly<Record<string, string | null>>): object => ({
  metadata: { annotations },
});

const POOLS: readonly AddressRow[] = [
  {
    name: 'a range is given lowest first; who comes too late waits, and gets what is given up',
    pools: SMALL,
    services: { a: { pool: 'a' }, b: { pool: 'a' }, c: { pool: 'a' }, d: { pool: 'a' } },
    shown: { a: '198.18.#.1', b: '198.18.#.2', c: '198.18.#.3', d: 'PoolExhausted' },
    afterwards: [
      {
        what: 'one goes',
        change: (scene) => scene.removeService('b'),
        shown: { a: '198.18.#.1', c: '198.18.#.3', d: '198.18.#.2' },
      },
    ],
  },
  {
    name: 'prefixes of both families, each Service in its own',
    pools: { a: { addresses: ['198.18.#.8/31', '2001:db8:c0de:#::8/127'] } },
    services: { a: {}, b: {}, c: six, d: { ...six, pool: 'a' }, e: { ...six, pool: 'a' } },
    shown: {
      a: '198.18.#.8',
      b: '198.18.#.9',
      c: '2001:db8:c0de:#::8',
      d: '2001:db8:c0de:#::9',
      e: 'PoolExhausted',
    },
  },
  {
    name: 'avoidBuggyIPs skips .0 and .255, not for who asks for one',
    pools: { a: { addresses: ['198.18.#.254-198.18.#.255', '198.18.#.0-198.18.#.1'], avoidBuggyIPs: true } },
    services: { a: {}, b: {}, c: { ips: '198.18.#.0' }, d: { pool: 'a' } },
    shown: { a: '198.18.#.1', b: '198.18.#.254', c: '198.18.#.0', d: 'PoolExhausted' },
  },
  {
    name: 'autoAssign off gives only to who asks',
    pools: { a: { addresses: [V4], autoAssign: false }, b: { addresses: ['198.18.#.17'] } },
    services: { a: {}, b: { pool: 'a' }, c: { ips: '198.18.#.3' } },
    shown: { a: '198.18.#.17', b: '198.18.#.1', c: '198.18.#.3' },
  },
  {
    name: 'a pool shrinks under a Service: it moves, the others stay',
    pools: SMALL,
    services: { a: {}, b: {} },
    shown: { a: '198.18.#.1', b: '198.18.#.2' },
    afterwards: [
      {
        what: 'the lowest address is taken out',
        change: (scene) => scene.pool('a', { addresses: ['198.18.#.2-198.18.#.3'] }),
        shown: { a: '198.18.#.3', b: '198.18.#.2' },
      },
    ],
  },
  {
    name: 'a pool goes: its addresses are taken away; it comes back: they are given again',
    pools: SMALL,
    services: { a: { pool: 'a' } },
    shown: { a: '198.18.#.1' },
    afterwards: [
      { what: 'it goes', change: (scene) => scene.removePool('a'), shown: { a: 'PoolUnknown' } },
      {
        what: 'it comes back',
        change: (scene) => scene.pool('a', { addresses: ['198.18.#.2'] }),
        shown: { a: '198.18.#.2' },
      },
    ],
  },
  {
    name: 'a pool is renamed under a Service that asked for none: the address stays',
    pools: SMALL,
    services: { a: {}, b: {} },
    shown: { a: '198.18.#.1', b: '198.18.#.2' },
    afterwards: [
      {
        what: 'the new name comes first and loses to the old one',
        change: async (scene) => {
          await scene.pool('z', { addresses: [V4] });
          await scene.poolSays('z', 'Valid', 'False', 'PoolOverlaps');
        },
        shown: { a: '198.18.#.1', b: '198.18.#.2' },
      },
      {
        what: 'the old name goes',
        change: async (scene) => {
          await scene.removePool('a');
          await scene.poolSays('z', 'Valid', 'True', 'Accepted');
        },
        shown: { a: '198.18.#.1', b: '198.18.#.2' },
      },
    ],
  },
  {
    name: 'of overlapping pools the younger gives nothing new, and what it gave stays',
    pools: { a: { addresses: ['198.18.#.1'] }, b: { addresses: ['198.18.#.16/30'] } },
    services: { x: { pool: 'b' } },
    shown: { x: '198.18.#.16' },
    afterwards: [
      {
        what: 'the younger grows over the older',
        change: async (scene) => {
          await scene.pool('b', { addresses: ['198.18.#.16/30', '198.18.#.0/30'] });
          await scene.poolSays('b', 'Valid', 'False', 'PoolOverlaps');
          await scene.service('y', { pool: 'b' });
        },
        shown: { x: '198.18.#.16', y: 'PoolOverlaps' },
      },
      {
        what: 'it shrinks again',
        change: (scene) => scene.pool('b', { addresses: ['198.18.#.16/30'] }),
        shown: { x: '198.18.#.16', y: '198.18.#.17' },
      },
    ],
  },
];

const REQUESTS: readonly AddressRow[] = [
  {
    name: 'an address by annotation, by spec, by both, and one of each family',
    pools: DUAL,
    services: {
      a: { ips: '198.18.#.3' },
      b: { spec: { loadBalancerIP: '198.18.#.2' } },
      c: { ips: '198.18.#.1', spec: { loadBalancerIP: '198.18.#.1' } },
      d: { ...six, ips: '2001:db8:c0de:#::3' },
      e: { ...stack('RequireDualStack'), ips: '2001:db8:c0de:#::2, 198.18.#.9' },
    },
    shown: {
      a: '198.18.#.3',
      b: '198.18.#.2',
      c: '198.18.#.1',
      d: '2001:db8:c0de:#::3',
      e: 'AddressNotInPool',
    },
    afterwards: [
      {
        what: 'the pool has that one too',
        change: (scene) => scene.pool('a', { addresses: [V4, V6, '198.18.#.9'] }),
        shown: { e: '198.18.#.9,2001:db8:c0de:#::2' },
      },
    ],
  },
  {
    name: 'what cannot be had is said with its reason',
    pools: { ...SMALL, b: { addresses: ['198.18.#.17'] } },
    services: {
      first: { ips: '198.18.#.1' },
      used: { ips: '198.18.#.1' },
      outside: { ips: '198.19.255.255' },
      family: { ips: '2001:db8:c0de:#::1' },
      text: { ips: 'lowest' },
      both: { ips: '198.18.#.2', spec: { loadBalancerIP: '198.18.#.3' } },
      other: { pool: 'b', ips: '198.18.#.2' },
      nowhere: { pool: 'none' },
    },
    shown: {
      first: '198.18.#.1',
      used: 'AddressInUse',
      outside: 'AddressNotInPool',
      family: 'WrongFamily',
      text: 'RequestInvalid',
      both: 'RequestConflict',
      other: 'RequestConflict',
      nowhere: 'PoolUnknown',
    },
    afterwards: [
      {
        what: 'the address is free, the text is mended',
        change: async (scene) => {
          await scene.edit('text', annotated({ 'heraldbgp.io/load-balancer-ips': '198.18.#.2' }));
          await scene.removeService('first');
        },
        shown: { used: '198.18.#.1', text: '198.18.#.2' },
      },
    ],
  },
  {
    name: 'another address asked for later is a move, one that cannot be had is none',
    pools: SMALL,
    services: { a: {}, b: {} },
    shown: { a: '198.18.#.1', b: '198.18.#.2' },
    afterwards: [
      {
        what: 'a free one',
        change: (scene) => scene.edit('a', annotated({ 'heraldbgp.io/load-balancer-ips': '198.18.#.3' })),
        shown: { a: '198.18.#.3', b: '198.18.#.2' },
      },
      {
        what: 'one in use',
        change: async (scene) => {
          await scene.edit('a', annotated({ 'heraldbgp.io/load-balancer-ips': '198.18.#.2' }));
          await scene.service('c', {});
        },
        shown: { c: '198.18.#.1', a: '198.18.#.3', b: '198.18.#.2' },
      },
    ],
  },
  {
    name: 'other spellings mean nothing while compatibility is off',
    pools: SMALL,
    services: {
      a: { annotations: { 'metallb.io/loadBalancerIPs': '198.18.#.3' } },
      b: { annotations: { 'metallb.universe.tf/loadBalancerIPs': '198.18.#.3' } },
    },
    shown: { a: '198.18.#.1', b: '198.18.#.2' },
  },
];

const SHARING: readonly AddressRow[] = [
  {
    name: 'one key and other ports share; one port, another key, another policy do not',
    pools: SMALL,
    services: {
      a: { share: 'k', port: 80 },
      b: { share: 'k', port: 443 },
      port: { share: 'k', port: 80, ips: '198.18.#.1' },
      key: { share: 'other', port: 81, ips: '198.18.#.1' },
      none: { port: 82, ips: '198.18.#.1' },
      policy: { share: 'k', port: 83, ips: '198.18.#.1', spec: local },
    },
    shown: {
      a: '198.18.#.1',
      b: '198.18.#.1',
      port: 'SharingPortClash',
      key: 'SharingKeyDiffers',
      none: 'AddressInUse',
      policy: 'SharingPolicyClash',
    },
    afterwards: [
      {
        what: 'the one with the port goes',
        change: (scene) => scene.removeService('a'),
        shown: { b: '198.18.#.1', port: '198.18.#.1' },
      },
    ],
  },
  {
    name: 'policy Local shares with the same pods only',
    pools: SMALL,
    services: {
      a: { share: 'k', port: 80, spec: { ...local, selector: { app: 'same' } } },
      b: { share: 'k', port: 81, spec: { ...local, selector: { app: 'same' } } },
      c: { share: 'k', port: 82, spec: { ...local, selector: { app: 'another' } } },
    },
    shown: { a: '198.18.#.1', b: '198.18.#.1', c: '198.18.#.2' },
  },
  {
    name: 'a key changed alone keeps the address, in company it moves',
    pools: SMALL,
    services: { a: { share: 'k', port: 80 } },
    shown: { a: '198.18.#.1' },
    afterwards: [
      {
        what: 'alone',
        change: (scene) => scene.edit('a', annotated({ 'heraldbgp.io/allow-shared-ip': 'new' })),
        shown: { a: '198.18.#.1' },
      },
      {
        what: 'company comes',
        change: async (scene) => {
          await scene.isOlderThanNext('a');
          await scene.service('b', { share: 'new', port: 81, ips: '198.18.#.1' });
        },
        shown: { a: '198.18.#.1', b: '198.18.#.1' },
      },
      {
        what: 'the younger leaves the company',
        change: (scene) =>
          scene.edit(
            'b',
            annotated({ 'heraldbgp.io/allow-shared-ip': 'own', 'heraldbgp.io/load-balancer-ips': null }),
          ),
        shown: { a: '198.18.#.1', b: '198.18.#.2' },
      },
    ],
  },
];

const FAMILIES: readonly AddressRow[] = [
  {
    name: 'RequireDualStack has both or nothing, PreferDualStack what there is',
    pools: { ...DUAL, single: { addresses: ['198.18.#.17-198.18.#.20'] } },
    services: {
      both: { ...stack('RequireDualStack'), pool: 'a' },
      nothing: { ...stack('RequireDualStack'), pool: 'single' },
      one: { ...stack('PreferDualStack'), pool: 'single' },
    },
    shown: {
      both: '198.18.#.1,2001:db8:c0de:#::1',
      nothing: 'NoAddressOfServiceFamily',
      one: '198.18.#.17',
    },
  },
  {
    name: 'a family that is added later keeps the first address, one that is dropped gives the other back',
    pools: DUAL,
    services: { a: {} },
    shown: { a: '198.18.#.1' },
    afterwards: [
      {
        what: 'added',
        change: (scene) => scene.edit('a', stack('PreferDualStack')),
        shown: { a: '198.18.#.1,2001:db8:c0de:#::1' },
      },
      {
        what: 'dropped',
        change: (scene) =>
          scene.edit('a', {
            spec: { ipFamilyPolicy: 'SingleStack', ipFamilies: ['IPv4'], clusterIPs: null },
          }),
        shown: { a: '198.18.#.1' },
      },
    ],
  },
  {
    name: 'a pool that loses a family takes it from who prefers two',
    pools: DUAL,
    services: { a: { ...stack('PreferDualStack'), pool: 'a' } },
    shown: { a: '198.18.#.1,2001:db8:c0de:#::1' },
    afterwards: [
      {
        what: 'IPv6 only',
        change: (scene) => scene.pool('a', { addresses: [V6] }),
        shown: { a: '2001:db8:c0de:#::1' },
      },
    ],
  },
];

const pin = (fields: object): object => ({
  serviceAllocation: { serviceSelectors: [{ matchLabels: { row: '#' } }], ...fields },
});

const PINS: readonly AddressRow[] = [
  {
    name: 'by namespace, by its label, by the Service’s label; lower priority first, none last',
    pools: {
      space: { addresses: ['198.18.#.1'], ...pin({ namespaces: ['addresses'], priority: 20 }) },
      label: {
        addresses: ['198.18.#.2'],
        ...pin({
          namespaceSelectors: [{ matchLabels: { 'kubernetes.io/metadata.name': 'addresses' } }],
          priority: 10,
        }),
      },
      tier: {
        addresses: ['198.18.#.3'],
        serviceAllocation: { serviceSelectors: [{ matchLabels: { tier: '#' } }] },
      },
      elsewhere: { addresses: ['198.18.#.4'], ...pin({ namespaces: ['default'], priority: 1 }) },
    },
    services: {
      a: {},
      b: {},
      c: { labels: { tier: '#' } },
      d: { pool: 'elsewhere' },
      e: { ips: '198.18.#.4' },
    },
    shown: {
      a: '198.18.#.2',
      b: '198.18.#.1',
      c: '198.18.#.3',
      d: 'PoolNotAllowed',
      e: 'PoolNotAllowed',
    },
  },
];

export const ADDRESS_ROWS: readonly AddressRow[] = [...POOLS, ...REQUESTS, ...SHARING, ...FAMILIES, ...PINS];
