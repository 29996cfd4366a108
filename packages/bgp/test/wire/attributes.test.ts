// Each path attribute and its octets, both ways: the limits of every field, every segment and community kind, and
// the flags and lengths that may be written differently.

import { address, community, largeCommunity, standardCommunity, type StandardCommunity } from '@herald/net';
import { describe, expect, it } from 'vitest';
import { decode, encode, updateMessage, type Attributes, type Negotiated } from '../../src/index.ts';
import { encodeAttribute, encodeAttributes } from '../../src/wire/attribute-encode.ts';
import { hex, PLAIN, toHex, update } from '../octets.ts';

type Pair = [name: string, attributes: Attributes, octets: string];

const standard = (text: string): StandardCommunity => community(text) as StandardCommunity;
const asns = (count: number): number[] => Array.from({ length: count }, (_, i) => i + 1);
const asnOctets = (count: number): string =>
  asns(count)
    .map((asn) => asn.toString(16).padStart(8, '0'))
    .join('');

const NUMBERS: readonly Pair[] = [
  ['ORIGIN IGP', { origin: 'igp' }, '40 01 01 00'],
  ['ORIGIN EGP', { origin: 'egp' }, '40 01 01 01'],
  ['ORIGIN INCOMPLETE', { origin: 'incomplete' }, '40 01 01 02'],
  ['NEXT_HOP, the lowest', { nextHop: address('0.0.0.1') }, '40 03 04 00000001'],
  ['NEXT_HOP, the highest', { nextHop: address('223.255.255.255') }, '40 03 04 dfffffff'],
  ['MULTI_EXIT_DISC 0', { med: 0 }, '80 04 04 00000000'],
  ['MULTI_EXIT_DISC with the highest bit', { med: 0x80000000 }, '80 04 04 80000000'],
  ['MULTI_EXIT_DISC, the highest', { med: 0xffffffff }, '80 04 04 ffffffff'],
  ['LOCAL_PREF 0', { localPref: 0 }, '40 05 04 00000000'],
  ['LOCAL_PREF 100', { localPref: 100 }, '40 05 04 00000064'],
  ['LOCAL_PREF, the highest', { localPref: 0xffffffff }, '40 05 04 ffffffff'],
  ['ATOMIC_AGGREGATE', { atomicAggregate: true }, '40 06 00'],
  [
    'AGGREGATOR with an AS of two octets',
    { aggregator: { asn: 64512, address: address('10.0.0.9') } },
    'c0 07 08 0000fc00 0a000009',
  ],
  [
    'AGGREGATOR with an AS of four octets',
    { aggregator: { asn: 0xffffffff, address: address('255.255.255.255') } },
    'c0 07 08 ffffffff ffffffff',
  ],
  ['ORIGINATOR_ID', { originatorId: address('10.0.0.9') }, '80 09 04 0a000009'],
  ['CLUSTER_LIST of one', { clusterList: [address('10.0.0.8')] }, '80 0a 04 0a000008'],
  [
    'CLUSTER_LIST in its order',
    { clusterList: [address('10.0.0.8'), address('10.0.0.7')] },
    '80 0a 08 0a000008 0a000007',
  ],
];

const PATHS: readonly Pair[] = [
  ['AS_PATH, empty', { asPath: [] }, '40 02 00'],
  ['AS_PATH of one', { asPath: [{ kind: 'sequence', asns: [0xffffffff] }] }, '40 02 06 02 01 ffffffff'],
  ['AS_SET', { asPath: [{ kind: 'set', asns: [1, 2] }] }, '40 02 0a 01 02 00000001 00000002'],
  [
    'AS_CONFED_SEQUENCE before AS_SEQUENCE (RFC 5065)',
    {
      asPath: [
        { kind: 'confed-sequence', asns: [65001] },
        { kind: 'sequence', asns: [64496] },
      ],
    },
    '40 02 0c 03 01 0000fde9 02 01 0000fbf0',
  ],
  ['AS_CONFED_SET', { asPath: [{ kind: 'confed-set', asns: [65001] }] }, '40 02 06 04 01 0000fde9'],
  [
    'AS_PATH of 63, the longest with a length of one octet',
    { asPath: [{ kind: 'sequence', asns: asns(63) }] },
    `40 02 fe 02 3f ${asnOctets(63)}`,
  ],
  [
    'AS_PATH of 64, with an extended length',
    { asPath: [{ kind: 'sequence', asns: asns(64) }] },
    `50 02 0102 02 40 ${asnOctets(64)}`,
  ],
  [
    'AS_PATH of 255, the longest segment',
    { asPath: [{ kind: 'sequence', asns: asns(255) }] },
    `50 02 03fe 02 ff ${asnOctets(255)}`,
  ],
];

const COMMUNITIES: readonly Pair[] = [
  ['COMMUNITIES of one', { communities: [standard('64496:1')] }, 'c0 08 04 fbf00001'],
  [
    'the well-known ones (RFC 1997, 7999, 8326, 9494)',
    {
      communities: [
        'no-export',
        'no-advertise',
        'local-as',
        'blackhole',
        'graceful-shutdown',
        'llgr-stale',
      ].map(standard),
    },
    'c0 08 18 ffffff01 ffffff02 ffffff03 ffff029a ffff0000 ffff0006',
  ],
  [
    'COMMUNITIES of 64, with an extended length',
    { communities: asns(64).map(standardCommunity) },
    `d0 08 0100 ${asnOctets(64)}`,
  ],
  [
    'LARGE_COMMUNITIES with the limits of each part',
    { largeCommunities: [largeCommunity(0, 0, 0), largeCommunity(0xffffffff, 0x80000000, 1)] },
    'c0 20 18 000000000000000000000000 ffffffff 80000000 00000001',
  ],
  [
    'the example of RFC 8092 section 6: 64496:4294967295:2',
    { largeCommunities: [largeCommunity(64496, 4_294_967_295, 2)] },
    'c0 20 0c 0000fbf0 ffffffff 00000002',
  ],
  [
    'link bandwidth, transitive',
    {
      extendedCommunities: [
        { kind: 'link-bandwidth', transitive: true, asn: 65000, bytesPerSecond: 125_000 },
      ],
    },
    'c0 10 08 0004 fde8 47f42400',
  ],
  [
    'link bandwidth, not transitive',
    { extendedCommunities: [{ kind: 'link-bandwidth', transitive: false, asn: 0xffff, bytesPerSecond: 0 }] },
    'c0 10 08 4004 ffff 00000000',
  ],
  [
    'a route target, which is another extended community (RFC 4360)',
    { extendedCommunities: [{ kind: 'other', octets: hex('0002 fbf0 00000064') }] },
    'c0 10 08 0002 fbf0 00000064',
  ],
  [
    'a bandwidth that is not a number, kept as octets',
    { extendedCommunities: [{ kind: 'other', octets: hex('0004 fbf0 7fc00000') }] },
    'c0 10 08 0004 fbf0 7fc00000',
  ],
  [
    'an infinite bandwidth, kept as octets',
    { extendedCommunities: [{ kind: 'other', octets: hex('4004 fbf0 7f800000') }] },
    'c0 10 08 4004 fbf0 7f800000',
  ],
];

const UNKNOWN: readonly Pair[] = [
  ['unknown, optional', { unknown: [{ flags: 0x80, type: 99, value: hex('') }] }, '80 63 00'],
  ['unknown, transitive', { unknown: [{ flags: 0xc0, type: 99, value: hex('01') }] }, 'c0 63 01 01'],
  ['unknown, partial', { unknown: [{ flags: 0xe0, type: 255, value: hex('0102') }] }, 'e0 ff 02 0102'],
  [
    'unknown, of 256 octets',
    { unknown: [{ flags: 0xc0, type: 99, value: hex('aa'.repeat(256)) }] },
    `d0 63 0100 ${'aa'.repeat(256)}`,
  ],
  [
    'unknown ones in the order of their type',
    {
      unknown: [
        { flags: 0xc0, type: 40, value: hex('01') },
        { flags: 0x80, type: 35, value: hex('02') },
      ],
    },
    '80 23 01 02 c0 28 01 01',
  ],
];

const PAIRS = [...NUMBERS, ...PATHS, ...COMMUNITIES, ...UNKNOWN];

/** Values as people read them: addresses and communities are their text. */
function plain(value: unknown): unknown {
  return JSON.parse(
    JSON.stringify(value, (_, each: unknown) =>
      typeof each === 'object' && each !== null && 'text' in each ? each.text : each,
    ),
  );
}

function attributesOf(octets: string, session: Negotiated = PLAIN): Attributes | undefined {
  const decoded = decode(update({ attributes: octets }), session);
  expect(decoded).toMatchObject({ ok: true, problems: [] });
  return decoded.ok && decoded.message.kind === 'update' ? decoded.message.attributes : undefined;
}

describe('an attribute', () => {
  it.each(PAIRS)('is written: %s', (_, attributes, octets) => {
    expect(toHex(encodeAttributes(attributes))).toBe(toHex(hex(octets)));
  });

  it.each(PAIRS.filter(([name]) => !name.includes('in the order of')))(
    'is read: %s',
    (_, attributes, octets) => {
      expect(plain(attributesOf(octets))).toEqual(plain(attributes));
    },
  );
});

describe('what may be written differently', () => {
  const rows: [string, string, string][] = [
    ['an extended length that is not needed', '50 01 0001 01', '40 01 01 01'],
    ['the partial bit', 'e0 08 04 fbf00001', 'c0 08 04 fbf00001'],
    ['unused flag bits', '4f 01 01 02', '40 01 01 02'],
    ['another order', '40 05 04 00000064 40 01 01 00', '40 01 01 00 40 05 04 00000064'],
    ['an unknown one with a needless extended length', 'd0 63 0001 07', 'c0 63 01 07'],
  ];

  it.each(rows)('is understood and written plainly: %s', (_, octets, plainly) => {
    const attributes = attributesOf(octets) ?? {};
    expect(toHex(encodeAttributes(attributes))).toBe(toHex(hex(plainly)));
  });
});

describe('AS numbers of two octets', () => {
  const session: Negotiated = { ...PLAIN, asnOctets: 2 };

  it.each([
    ['AS_PATH', '40 02 06 02 02 fbf0 5ba0', { asPath: [{ kind: 'sequence', asns: [64496, 23456] }] }],
    ['AGGREGATOR', 'c0 07 06 fbf0 0a000009', { aggregator: { asn: 64496, address: address('10.0.0.9') } }],
    [
      'AS4_PATH, kept as it is (RFC 6793)',
      'c0 11 06 02 01 fa56ea01',
      { unknown: [{ flags: 0xc0, type: 17, value: hex('0201fa56ea01') }] },
    ],
    [
      'AS4_AGGREGATOR, kept as it is',
      'c0 12 08 fa56ea01 0a000009',
      { unknown: [{ flags: 0xc0, type: 18, value: hex('fa56ea010a000009') }] },
    ],
  ])('are read: %s', (_, octets, attributes) => {
    expect(plain(attributesOf(octets, session))).toEqual(plain(attributes));
  });
});

describe('attributes together', () => {
  it('stand in the order of their types, multiprotocol ones first (RFC 7606 section 5.1)', () => {
    const bytes = encode(
      updateMessage({
        attributes: {
          largeCommunities: [largeCommunity(1, 2, 3)],
          med: 1,
          origin: 'igp',
          unknown: [{ flags: 0x80, type: 7, value: hex('') }],
        },
        reach: { family: 6, nextHop: address('2001:db8::1'), linkLocal: undefined, nlri: [] },
        unreach: { family: 6, nlri: [] },
      }),
      PLAIN,
    );
    const expected = [
      '800e15', // MP_REACH_NLRI
      '00020110 20010db8000000000000000000000001 00',
      '800f03 000201', // MP_UNREACH_NLRI
      '400101 00', // ORIGIN
      '800404 00000001', // MULTI_EXIT_DISC
      '800700', // what was unknown
      'c0200c 000000010000000200000003', // LARGE_COMMUNITIES
    ];
    expect(toHex(bytes.subarray(23))).toBe(toHex(hex(expected.join(''))));
  });

  it('that list nothing are left out, except the empty AS path', () => {
    const nothing = {
      communities: [],
      clusterList: [],
      extendedCommunities: [],
      largeCommunities: [],
      unknown: [],
    };
    expect(toHex(encodeAttributes({ ...nothing, asPath: [] }))).toBe('400200');
    expect(encodeAttributes({})).toHaveLength(0);
  });

  it.each([
    [255, '80 63 ff'],
    [256, '90 63 0100'],
    [0, '80 63 00'],
    [4000, '90 63 0fa0'],
  ])('have a head that fits their length: %i', (length, head) => {
    for (const flags of [0x80, 0x90]) {
      const octets = encodeAttribute(flags, 99, new Uint8Array(length));
      expect(toHex(octets.subarray(0, octets.length - length))).toBe(toHex(hex(head)));
    }
  });
});
