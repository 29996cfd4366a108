// One message of every kind that we can write, with the octets that it is on the wire, written out by hand from
// the RFCs. Shared by the tests that encode, decode, split and truncate.

import {
  address,
  community,
  largeCommunity,
  prefix,
  type LargeCommunity,
  type StandardCommunity,
} from '@herald/net';
import { endOfRib, updateMessage, type Message, type Negotiated } from '../src/index.ts';
import { administrativeShutdown } from '../src/wire/notification.ts';
import { ADD_PATH, hex, message, PLAIN, update } from './octets.ts';

export interface Sample {
  readonly name: string;
  readonly session: Negotiated;
  readonly message: Message;
  readonly bytes: Uint8Array;
}

const standard = (text: string): StandardCommunity => community(text) as StandardCommunity;
const large = (text: string): LargeCommunity => community(text) as LargeCommunity;
const nlri = (text: string, pathId = 0): { pathId: number; prefix: ReturnType<typeof prefix> } => ({
  pathId,
  prefix: prefix(text),
});

const ORIGIN = '40 01 01 00';
const EMPTY_PATH = '40 02 00';
const NEXT_HOP = '40 03 04 c0000201';
const MED = '80 04 04 ee6b2800';
const LOCAL_PREF = '40 05 04 00000064';
const BASE = { origin: 'igp', asPath: [], med: 4_000_000_000, localPref: 100 } as const;

const opens: Sample[] = [
  {
    name: 'OPEN without capabilities',
    session: PLAIN,
    message: {
      kind: 'open',
      asn: 65000,
      holdTimeSeconds: 30,
      identifier: address('10.0.0.2'),
      capabilities: [],
    },
    bytes: message(1, '04 fde8 001e 0a000002 00'),
  },
  {
    name: 'OPEN with every capability that we know and one that we do not',
    session: PLAIN,
    message: {
      kind: 'open',
      asn: 4_200_000_001,
      holdTimeSeconds: 0,
      identifier: address('255.255.255.254'),
      capabilities: [
        { kind: 'multiprotocol', afi: 1, safi: 1 },
        { kind: 'multiprotocol', afi: 2, safi: 1 },
        { kind: 'route-refresh' },
        { kind: 'extended-message' },
        { kind: 'four-octet-asn', asn: 4_200_000_001 },
        {
          kind: 'add-path',
          families: [
            { afi: 1, safi: 1, mode: 'send' },
            { afi: 2, safi: 1, mode: 'both' },
            { afi: 1, safi: 128, mode: 'receive' },
          ],
        },
        {
          kind: 'graceful-restart',
          restarting: true,
          notification: true,
          restartTimeSeconds: 4095,
          families: [
            { afi: 1, safi: 1, forwarding: true },
            { afi: 2, safi: 1, forwarding: false },
          ],
        },
        { kind: 'enhanced-route-refresh' },
        {
          kind: 'long-lived-graceful-restart',
          families: [{ afi: 1, safi: 1, forwarding: true, staleTimeSeconds: 86400 }],
        },
        { kind: 'unknown', code: 73, octets: hex('0276 6d00') },
      ],
    },
    bytes: message(
      1,
      `04 5ba0 0000 fffffffe 43
       02 41
       01 04 0001 00 01
       01 04 0002 00 01
       02 00
       06 00
       41 04 fa56ea01
       45 0c 0001 01 02  0002 01 03  0001 80 01
       40 0a cfff 0001 01 80 0002 01 00
       46 00
       47 07 0001 01 80 015180
       49 04 02766d00`,
    ),
  },
];

const updates: Sample[] = [
  { name: 'End-of-RIB IPv4', session: PLAIN, message: endOfRib(4), bytes: update({}) },
  {
    name: 'End-of-RIB IPv6',
    session: PLAIN,
    message: endOfRib(6),
    bytes: update({ attributes: '80 0f 03 0002 01' }),
  },
  {
    name: 'UPDATE that announces IPv4 prefixes of all sorts of length',
    session: PLAIN,
    message: updateMessage({
      attributes: { ...BASE, nextHop: address('192.0.2.1') },
      announced: ['198.51.100.7/32', '198.51.100.0/25', '10.0.0.0/8', '0.0.0.0/0'].map((text) => nlri(text)),
    }),
    bytes: update({
      attributes: `${ORIGIN} ${EMPTY_PATH} ${NEXT_HOP} ${MED} ${LOCAL_PREF}`,
      nlri: '20 c6336407  19 c6336400  08 0a  00',
    }),
  },
  {
    name: 'UPDATE with path identifiers',
    session: ADD_PATH,
    message: updateMessage({
      withdrawn: [nlri('198.51.100.9/32', 7), nlri('198.51.100.9/32', 4_294_967_295)],
      attributes: { ...BASE, nextHop: address('192.0.2.1') },
      announced: [nlri('198.51.100.7/32', 1), nlri('198.51.100.7/32', 0x89abcdef)],
    }),
    bytes: update({
      withdrawn: '00000007 20 c6336409  ffffffff 20 c6336409',
      attributes: `${ORIGIN} ${EMPTY_PATH} ${NEXT_HOP} ${MED} ${LOCAL_PREF}`,
      nlri: '00000001 20 c6336407  89abcdef 20 c6336407',
    }),
  },
  {
    name: 'UPDATE that withdraws IPv4',
    session: PLAIN,
    message: updateMessage({ withdrawn: [nlri('198.51.100.7/32'), nlri('10.0.0.0/8')] }),
    bytes: update({ withdrawn: '20 c6336407 08 0a' }),
  },
  {
    name: 'UPDATE that announces IPv6 with two next hops',
    session: ADD_PATH,
    message: updateMessage({
      attributes: BASE,
      reach: {
        family: 6,
        nextHop: address('2001:db8::1'),
        linkLocal: address('fe80::1'),
        nlri: [nlri('2001:db8:1::/48', 5), nlri('2001:db8::9/128', 6)],
      },
    }),
    bytes: update({
      attributes: `80 0e 45 0002 01 20
        20010db8000000000000000000000001 fe800000000000000000000000000001 00
        00000005 30 20010db80001
        00000006 80 20010db8000000000000000000000009
        ${ORIGIN} ${EMPTY_PATH} ${MED} ${LOCAL_PREF}`,
    }),
  },
  {
    name: 'UPDATE that withdraws IPv6',
    session: PLAIN,
    message: updateMessage({ unreach: { family: 6, nlri: [nlri('2001:db8:1::/48')] } }),
    bytes: update({ attributes: '80 0f 0a 0002 01 30 20010db80001' }),
  },
  {
    name: 'UPDATE with every attribute that we know and two that we do not',
    session: PLAIN,
    message: updateMessage({
      attributes: {
        origin: 'incomplete',
        asPath: [
          { kind: 'sequence', asns: [65001, 4_200_000_001] },
          { kind: 'set', asns: [1, 2] },
          { kind: 'confed-sequence', asns: [3] },
          { kind: 'confed-set', asns: [4] },
        ],
        nextHop: address('192.0.2.1'),
        med: 0,
        localPref: 4_294_967_295,
        atomicAggregate: true,
        aggregator: { asn: 65001, address: address('192.0.2.9') },
        communities: [standard('65000:100'), standard('no-export')],
        originatorId: address('10.0.0.9'),
        clusterList: [address('10.0.0.8'), address('10.0.0.7')],
        extendedCommunities: [
          { kind: 'link-bandwidth', transitive: true, asn: 65000, bytesPerSecond: 125_000 },
          { kind: 'link-bandwidth', transitive: false, asn: 1, bytesPerSecond: 0.5 },
          { kind: 'other', octets: hex('0002fde800000064') },
        ],
        largeCommunities: [large('65000:1:2'), largeCommunity(4_294_967_295, 1, 0)],
        unknown: [
          { flags: 0xc0, type: 35, value: hex('0000fde8') },
          { flags: 0x80, type: 99, value: hex('') },
        ],
      },
      announced: [nlri('198.51.100.7/32')],
    }),
    bytes: update({
      attributes: `40 01 01 02
        40 02 20 02 02 0000fde9 fa56ea01  01 02 00000001 00000002  03 01 00000003  04 01 00000004
        ${NEXT_HOP}
        80 04 04 00000000
        40 05 04 ffffffff
        40 06 00
        c0 07 08 0000fde9 c0000209
        c0 08 08 fde80064 ffffff01
        80 09 04 0a000009
        80 0a 08 0a000008 0a000007
        c0 10 18 0004fde847f42400 400400013f000000 0002fde800000064
        c0 20 18 0000fde80000000100000002 ffffffff0000000100000000
        c0 23 04 0000fde8
        80 63 00`,
      nlri: '20 c6336407',
    }),
  },
];

const others: Sample[] = [
  { name: 'KEEPALIVE', session: PLAIN, message: { kind: 'keepalive' }, bytes: message(4, '') },
  {
    name: 'NOTIFICATION without data',
    session: PLAIN,
    message: { kind: 'notification', code: 4, subcode: 0, data: hex('') },
    bytes: message(3, '04 00'),
  },
  {
    name: 'NOTIFICATION with the words of an administrator',
    session: PLAIN,
    message: administrativeShutdown('gewartet wird ü'),
    bytes: message(3, '06 02 10 6765776172746574207769726420c3bc'),
  },
  {
    name: 'ROUTE-REFRESH for IPv6',
    session: PLAIN,
    message: { kind: 'route-refresh', afi: 2, safi: 1, subtype: 0 },
    bytes: message(5, '0002 00 01'),
  },
];

export const SAMPLES: readonly Sample[] = [...opens, ...updates, ...others];
