// MP_REACH_NLRI and MP_UNREACH_NLRI octet by octet (RFC 4760, RFC 2545), what they cost when malformed (RFC 7606
// sections 5.3 and 7.11), and End-of-RIB (RFC 4724 section 2).

import { address, prefix } from '@herald/net';
import { describe, expect, it } from 'vitest';
import {
  decode,
  encode,
  endOfRib,
  endOfRibFamily,
  updateMessage,
  type Decoded,
  type Negotiated,
  type UpdateMessage,
} from '../../src/index.ts';
import { ADD_PATH, hex, PLAIN, toHex, update } from '../octets.ts';

const GLOBAL = '20010db8000000000000000000000001';
const LINK_LOCAL = 'fe800000000000000000000000000001';
const MANDATORY = '40 01 01 00 40 02 00 40 05 04 00000064';

const nlri = (text: string, pathId = 0): { pathId: number; prefix: ReturnType<typeof prefix> } => ({
  pathId,
  prefix: prefix(text),
});

function attributesOf(message: UpdateMessage, session: Negotiated): string {
  return toHex(encode(message, session).subarray(23));
}

describe('MP_REACH_NLRI is written', () => {
  const rows: [string, Negotiated, Parameters<typeof updateMessage>[0], string][] = [
    [
      'for one prefix',
      PLAIN,
      {
        reach: {
          family: 6,
          nextHop: address('2001:db8::1'),
          linkLocal: undefined,
          nlri: [nlri('2001:db8::/32')],
        },
      },
      `80 0e 1a 0002 01 10 ${GLOBAL} 00 20 20010db8`,
    ],
    [
      'with a link-local next hop',
      PLAIN,
      {
        reach: {
          family: 6,
          nextHop: address('2001:db8::1'),
          linkLocal: address('fe80::1'),
          nlri: [nlri('2001:db8::/32')],
        },
      },
      `80 0e 2a 0002 01 20 ${GLOBAL} ${LINK_LOCAL} 00 20 20010db8`,
    ],
    [
      'with path identifiers',
      ADD_PATH,
      {
        reach: {
          family: 6,
          nextHop: address('2001:db8::1'),
          linkLocal: undefined,
          nlri: [nlri('2001:db8::/32', 1), nlri('2001:db8::/32', 2)],
        },
      },
      `80 0e 27 0002 01 10 ${GLOBAL} 00 00000001 20 20010db8 00000002 20 20010db8`,
    ],
    [
      'for IPv4',
      PLAIN,
      {
        reach: { family: 4, nextHop: address('192.0.2.1'), linkLocal: undefined, nlri: [nlri('10.0.0.0/8')] },
      },
      '80 0e 0b 0001 01 04 c0000201 00 08 0a',
    ],
  ];

  it.each(rows)('%s', (...[, session, parts, octets]) => {
    expect(attributesOf(updateMessage(parts), session)).toBe(toHex(hex(octets)));
  });
});

describe('MP_UNREACH_NLRI is written', () => {
  const rows: [string, Negotiated, Parameters<typeof updateMessage>[0], string][] = [
    [
      'for IPv6',
      PLAIN,
      { unreach: { family: 6, nlri: [nlri('2001:db8::/32'), nlri('::/0')] } },
      '80 0f 09 0002 01 20 20010db8 00',
    ],
    ['for IPv4', PLAIN, { unreach: { family: 4, nlri: [nlri('10.0.0.0/8')] } }, '80 0f 05 0001 01 08 0a'],
    [
      'with path identifiers',
      ADD_PATH,
      { unreach: { family: 6, nlri: [nlri('2001:db8::/32', 0xffffffff)] } },
      '80 0f 0c 0002 01 ffffffff 20 20010db8',
    ],
    ['of nothing', PLAIN, { unreach: { family: 6, nlri: [] } }, '80 0f 03 0002 01'],
  ];

  it.each(rows)('%s', (...[, session, parts, octets]) => {
    expect(attributesOf(updateMessage(parts), session)).toBe(toHex(hex(octets)));
  });
});

function decodedOf(attribute: string, session: Negotiated = PLAIN): Decoded {
  return decode(update({ attributes: `${attribute} ${MANDATORY}` }), session);
}

describe('MP_REACH_NLRI is read', () => {
  it.each([
    ['with a reserved octet that is not zero', `80 0e 1a 0002 01 10 ${GLOBAL} ff 20 20010db8`, '2001:db8::1'],
    ['with an extended length', `90 0e 001a 0002 01 10 ${GLOBAL} 00 20 20010db8`, '2001:db8::1'],
    ['with any flags', `c0 0e 1a 0002 01 10 ${GLOBAL} 00 20 20010db8`, '2001:db8::1'],
    ['for IPv4', '80 0e 0b 0001 01 04 c0000201 00 08 0a', '192.0.2.1'],
  ])('%s', (_, octets, nextHop) => {
    expect(decodedOf(octets)).toMatchObject({
      ok: true,
      problems: [],
      message: { reach: { nextHop: { text: nextHop }, linkLocal: undefined } },
    });
  });

  it('with both next hops, and no prefix', () => {
    expect(decodedOf(`80 0e 25 0002 01 20 ${GLOBAL} ${LINK_LOCAL} 00`)).toMatchObject({
      ok: true,
      message: { reach: { nextHop: { text: '2001:db8::1' }, linkLocal: { text: 'fe80::1' }, nlri: [] } },
    });
  });
});

const hops = (octets: number): string => octets.toString(16).padStart(2, '0');

describe('a malformed multiprotocol attribute', () => {
  const wrongLengths = [0, 1, 4, 15, 17, 24, 31, 33, 48].map(
    (octets): [string, string, number, number, number] => [
      `a next hop of ${octets} octets for IPv6`,
      `90 0e 00${hops(octets + 6)} 0002 01 ${hops(octets)} ${'00'.repeat(octets)} 00 00`,
      2,
      1,
      9,
    ],
  );
  const rows: [string, string, number, number, number][] = [
    ...wrongLengths,
    ['a next hop of 16 octets for IPv4', `80 0e 16 0001 01 10 ${GLOBAL} 00 00`, 1, 1, 9],
    ['an announced prefix of 129 bits', `80 0e 27 0002 01 10 ${GLOBAL} 00 81 ${'00'.repeat(17)}`, 2, 1, 10],
    ['an announced prefix that overruns', `80 0e 18 0002 01 10 ${GLOBAL} 00 20 2001`, 2, 1, 10],
    ['a withdrawn prefix of 33 bits of IPv4', '80 0f 09 0001 01 21 0a00000000', 1, 1, 10],
    ['a withdrawn prefix that overruns', '80 0f 05 0002 01 20 20', 2, 1, 10],
    ['IPv4 multicast, announced', '80 0e 0b 0001 02 04 c0000201 00 08 0a', 1, 2, 9],
    ['IPv6 VPN, withdrawn', '80 0f 03 0002 80', 2, 128, 9],
    ['an AFI that nobody knows', '80 0f 03 4004 01', 0x4004, 1, 9],
  ];

  it.each(rows)('disables its family: %s', (...[, octets, afi, safi, subcode]) => {
    expect(decodedOf(octets)).toMatchObject({
      ok: true,
      problems: [{ disposition: 'afi-safi-disable', code: 3, subcode, afiSafi: { afi, safi } }],
      message: { reach: undefined, unreach: undefined },
    });
  });

  it.each([
    ['MP_REACH_NLRI of nothing', '80 0e 00'],
    ['MP_REACH_NLRI without SAFI', '80 0e 02 0002'],
    ['MP_REACH_NLRI without the length of the next hop', '80 0e 03 0002 01'],
    ['MP_REACH_NLRI whose next hop overruns', '80 0e 08 0002 01 10 20010db8'],
    ['MP_REACH_NLRI without the reserved octet', `80 0e 14 0002 01 10 ${GLOBAL}`],
    ['MP_UNREACH_NLRI of nothing', '80 0f 00'],
    ['MP_UNREACH_NLRI without SAFI', '80 0f 02 0002'],
  ])('ends the session when it is shorter than its fixed part: %s', (_, octets) => {
    expect(decodedOf(octets)).toMatchObject({
      ok: false,
      problem: { disposition: 'session-reset', code: 3, subcode: 9 },
    });
  });

  it('of one family leaves the routes of the other', () => {
    const reach = `80 0e 1a 0002 01 10 ${GLOBAL} 00 20 20010db8`;
    const decoded = decodedOf(`${reach} 80 0f 05 0001 80 08 0a`);
    expect(decoded).toMatchObject({
      ok: true,
      problems: [{ disposition: 'afi-safi-disable', afiSafi: { afi: 1, safi: 128 } }],
      message: { reach: { nlri: [{ prefix: { text: '2001:db8::/32' } }] } },
    });
  });
});

describe('End-of-RIB', () => {
  it.each([
    [4, '0000 0000'],
    [6, '0000 0006 80 0f 03 0002 01'],
  ] as const)('of IPv%i', (family, body) => {
    const bytes = encode(endOfRib(family), PLAIN);
    expect(toHex(bytes.subarray(19))).toBe(toHex(hex(body)));
    const decoded = decode(bytes, PLAIN);
    expect(decoded.ok && decoded.message.kind === 'update' && endOfRibFamily(decoded.message)).toBe(family);
  });

  const others: [string, Parameters<typeof updateMessage>[0]][] = [
    ['withdraws', { withdrawn: [nlri('10.0.0.0/8')] }],
    ['withdraws IPv6', { unreach: { family: 6, nlri: [nlri('::/0')] } }],
    ['announces', { announced: [nlri('10.0.0.0/8')] }],
    ['has an attribute', { attributes: { med: 0 } }],
    [
      'has an attribute beside an empty withdrawal',
      { attributes: { med: 0 }, unreach: { family: 6, nlri: [] } },
    ],
    [
      'announces nothing with a next hop',
      { reach: { family: 6, nextHop: address('2001:db8::1'), linkLocal: undefined, nlri: [] } },
    ],
  ];

  it.each(others)('is no message that %s', (_, parts) => {
    expect(endOfRibFamily(updateMessage(parts))).toBeUndefined();
  });
});
