// NOTIFICATION, ROUTE-REFRESH and KEEPALIVE: every code of the registries in its octets, and the octets below them.

import { describe, expect, it } from 'vitest';
import { decode, encode, notification, type Message } from '../../src/index.ts';
import { administrativeShutdown, notificationOf } from '../../src/wire/notification.ts';
import { joined, OctetReader, uint16, uint32, uint32s } from '../../src/wire/octets.ts';
import { familyProblem, sessionReset, updateProblem } from '../../src/wire/problem.ts';
import {
  CEASE,
  ERROR_CODE,
  FSM_ERROR,
  HEADER_ERROR,
  OPEN_ERROR,
  ROUTE_REFRESH_ERROR,
  UPDATE_ERROR,
} from '../../src/wire/registry.ts';
import { hex, message, PLAIN, toHex } from '../octets.ts';

/** The numbers that IANA assigned, written again so that a slip of the finger in the registry is seen. */
const ASSIGNED: [name: string, code: number, subcode: number, octets: string][] = [
  ['header: not synchronized', ERROR_CODE.header, HEADER_ERROR.notSynchronized, '0101'],
  ['header: bad length', ERROR_CODE.header, HEADER_ERROR.badLength, '0102'],
  ['header: bad type', ERROR_CODE.header, HEADER_ERROR.badType, '0103'],
  ['OPEN: unspecific', ERROR_CODE.open, OPEN_ERROR.unspecific, '0200'],
  ['OPEN: unsupported version', ERROR_CODE.open, OPEN_ERROR.unsupportedVersion, '0201'],
  ['OPEN: bad peer AS', ERROR_CODE.open, OPEN_ERROR.badPeerAs, '0202'],
  ['OPEN: bad identifier', ERROR_CODE.open, OPEN_ERROR.badIdentifier, '0203'],
  ['OPEN: unsupported parameter', ERROR_CODE.open, OPEN_ERROR.unsupportedOptionalParameter, '0204'],
  ['OPEN: unacceptable hold time', ERROR_CODE.open, OPEN_ERROR.unacceptableHoldTime, '0206'],
  ['OPEN: unsupported capability', ERROR_CODE.open, OPEN_ERROR.unsupportedCapability, '0207'],
  ['UPDATE: malformed attribute list', ERROR_CODE.update, UPDATE_ERROR.malformedAttributeList, '0301'],
  ['UPDATE: unrecognized well-known', ERROR_CODE.update, UPDATE_ERROR.unrecognizedWellKnown, '0302'],
  ['UPDATE: missing well-known', ERROR_CODE.update, UPDATE_ERROR.missingWellKnown, '0303'],
  ['UPDATE: attribute flags', ERROR_CODE.update, UPDATE_ERROR.attributeFlags, '0304'],
  ['UPDATE: attribute length', ERROR_CODE.update, UPDATE_ERROR.attributeLength, '0305'],
  ['UPDATE: invalid ORIGIN', ERROR_CODE.update, UPDATE_ERROR.invalidOrigin, '0306'],
  ['UPDATE: invalid NEXT_HOP', ERROR_CODE.update, UPDATE_ERROR.invalidNextHop, '0308'],
  ['UPDATE: optional attribute', ERROR_CODE.update, UPDATE_ERROR.optionalAttribute, '0309'],
  ['UPDATE: invalid network field', ERROR_CODE.update, UPDATE_ERROR.invalidNetworkField, '030a'],
  ['UPDATE: malformed AS_PATH', ERROR_CODE.update, UPDATE_ERROR.malformedAsPath, '030b'],
  ['hold timer expired', ERROR_CODE.holdTimerExpired, 0, '0400'],
  ['FSM: in OpenSent (RFC 6608)', ERROR_CODE.finiteStateMachine, FSM_ERROR.inOpenSent, '0501'],
  ['FSM: in OpenConfirm', ERROR_CODE.finiteStateMachine, FSM_ERROR.inOpenConfirm, '0502'],
  ['FSM: in Established', ERROR_CODE.finiteStateMachine, FSM_ERROR.inEstablished, '0503'],
  ['Cease: maximum prefixes (RFC 4486)', ERROR_CODE.cease, CEASE.maximumPrefixes, '0601'],
  ['Cease: administrative shutdown', ERROR_CODE.cease, CEASE.administrativeShutdown, '0602'],
  ['Cease: peer deconfigured', ERROR_CODE.cease, CEASE.peerDeconfigured, '0603'],
  ['Cease: administrative reset', ERROR_CODE.cease, CEASE.administrativeReset, '0604'],
  ['Cease: connection rejected', ERROR_CODE.cease, CEASE.connectionRejected, '0605'],
  ['Cease: other configuration change', ERROR_CODE.cease, CEASE.otherConfigurationChange, '0606'],
  ['Cease: connection collision', ERROR_CODE.cease, CEASE.connectionCollision, '0607'],
  ['Cease: out of resources', ERROR_CODE.cease, CEASE.outOfResources, '0608'],
  ['Cease: hard reset (RFC 8538)', ERROR_CODE.cease, CEASE.hardReset, '0609'],
  [
    'ROUTE-REFRESH: invalid length (RFC 7313)',
    ERROR_CODE.routeRefresh,
    ROUTE_REFRESH_ERROR.invalidLength,
    '0701',
  ],
];

describe('a NOTIFICATION', () => {
  it.each(ASSIGNED)('has the assigned numbers: %s', (...[, code, subcode, octets]) => {
    const bytes = encode(notification(code, subcode, hex('aabb')), PLAIN);
    expect(toHex(bytes.subarray(16))).toBe(`001703${octets}aabb`);
    expect(decode(bytes, PLAIN)).toEqual({
      ok: true,
      message: { kind: 'notification', code, subcode, data: hex('aabb') },
      problems: [],
    });
  });

  it('is understood with numbers that nobody assigned, so that it is never answered', () => {
    expect(decode(message(3, 'ff fe 01'), PLAIN)).toMatchObject({
      ok: true,
      message: { code: 255, subcode: 254 },
    });
  });

  it.each([
    [
      'the example of RFC 9003: a shutdown with words',
      '[TICKET-1-1438367390] software upgrade; back in 2 hours',
    ],
    ['words that are not ASCII', 'обновление до полудня'],
  ])('carries %s', (_, words) => {
    const octets = new TextEncoder().encode(words);
    const { data } = administrativeShutdown(words);
    expect(data[0]).toBe(octets.length);
    expect(toHex(data.subarray(1))).toBe(toHex(octets));
  });

  it('keeps its data when the receive buffer is used again', () => {
    const bytes = Uint8Array.from(message(3, '06 02 01 61'));
    const decoded = decode(bytes, PLAIN);
    bytes.fill(0);
    expect(decoded.ok && decoded.message.kind === 'notification' && toHex(decoded.message.data)).toBe('0161');
  });

  it('answers a problem with its codes and data', () => {
    const data = hex('0102');
    const problems = [
      sessionReset(2, 7, 'text', data),
      updateProblem('treat-as-withdraw', 5, 'text', data),
      familyProblem({ afi: 1, safi: 1 }, 9, 'text'),
    ];
    expect(problems.map(notificationOf)).toEqual([
      notification(2, 7, data),
      notification(3, 5, data),
      notification(3, 9),
    ]);
    expect(problems.map(({ disposition }) => disposition)).toEqual([
      'session-reset',
      'treat-as-withdraw',
      'afi-safi-disable',
    ]);
  });
});

describe('a ROUTE-REFRESH', () => {
  const rows: [string, Message, string][] = [
    ['IPv4, request', { kind: 'route-refresh', afi: 1, safi: 1, subtype: 0 }, '0001 00 01'],
    ['IPv6, begin', { kind: 'route-refresh', afi: 2, safi: 1, subtype: 1 }, '0002 01 01'],
    ['IPv6, end', { kind: 'route-refresh', afi: 2, safi: 1, subtype: 2 }, '0002 02 01'],
    ['the highest numbers', { kind: 'route-refresh', afi: 65535, safi: 255, subtype: 255 }, 'ffff ff ff'],
  ];

  it.each(rows)('in octets: %s', (_, value, body) => {
    expect(toHex(encode(value, PLAIN))).toBe(toHex(message(5, body)));
    expect(decode(message(5, body), PLAIN)).toEqual({ ok: true, message: value, problems: [] });
  });

  it.each(['', '00', '0001', '0001 00', '0001 00 01 00', `0001 00 01 ${'00'.repeat(20)}`])(
    'of another length ends the session with 7/1 and comes back whole: "%s"',
    (body) => {
      const bytes = message(5, body);
      const decoded = decode(bytes, PLAIN);
      expect(decoded).toMatchObject({
        ok: false,
        problem: { disposition: 'session-reset', code: 7, subcode: 1 },
      });
      expect(!decoded.ok && toHex(decoded.problem.data)).toBe(toHex(bytes));
    },
  );

  it.each([
    ['the longest that comes back whole', 4075, 4075],
    ['one octet more', 4076, 4075],
    ['the longest', 4096, 4075],
    ['the longest extended message', 65535, 4075],
  ])('that is too long fits the NOTIFICATION that answers it: %s', (_, length, returned) => {
    const bytes = message(5, '00'.repeat(length - 19));
    const decoded = decode(bytes, { ...PLAIN, maximumLength: 65535 });
    const data = decoded.ok ? new Uint8Array(0) : decoded.problem.data;
    expect(toHex(data)).toBe(toHex(bytes.subarray(0, returned)));
    expect(encode(notification(7, 1, data), PLAIN).length).toBeLessThanOrEqual(4096);
  });
});

describe('a KEEPALIVE', () => {
  it('is a header', () => {
    expect(toHex(encode({ kind: 'keepalive' }, PLAIN))).toBe(`${'ff'.repeat(16)}001304`);
    expect(decode(message(4, ''), PLAIN)).toEqual({ ok: true, message: { kind: 'keepalive' }, problems: [] });
  });
});

describe('reading octets', () => {
  it('takes numbers in network byte order', () => {
    const reader = new OctetReader(hex('01 0203 fa56ea00 ff'));
    expect([reader.uint8(), reader.uint16(), reader.uint32(), reader.remaining]).toEqual([
      1, 0x203, 4_200_000_000, 1,
    ]);
    expect(reader.overrun).toBe(false);
  });

  it('gives zeros behind the end, and says so', () => {
    const reader = new OctetReader(hex('01'));
    expect([reader.uint32(), reader.overrun, reader.remaining]).toEqual([0x01000000, true, 0]);
    expect([reader.uint8(), reader.uint16()]).toEqual([0, 0]);
  });

  it.each([
    [0, '', false],
    [2, '0102', false],
    [4, '01020304', false],
    [5, '01020304', true],
  ])('takes %i octets of four', (length, octets, overrun) => {
    const reader = new OctetReader(hex('01020304'));
    expect([toHex(reader.take(length)), reader.overrun]).toEqual([octets, overrun]);
  });

  it('shows the next octet without taking it', () => {
    const reader = new OctetReader(hex('0102'));
    expect([reader.peek(), reader.peek(), reader.uint16(), reader.peek()]).toEqual([1, 1, 0x102, undefined]);
    expect(reader.overrun).toBe(false);
  });
});

describe('writing octets', () => {
  it.each([
    [0, '0000', '00000000'],
    [1, '0001', '00000001'],
    [0xfffe, 'fffe', '0000fffe'],
    [0x89abcdef, 'cdef', '89abcdef'],
  ])('of %i', (value, two, four) => {
    expect([toHex(uint16(value)), toHex(uint32(value)), toHex(uint32s([value, 1]))]).toEqual([
      two,
      four,
      `${four}00000001`,
    ]);
  });

  it('joins runs', () => {
    expect(toHex(joined([hex('01'), hex(''), hex('0203')]))).toBe('010203');
    expect(joined([])).toHaveLength(0);
  });
});
