// Which OPEN of a peer we refuse, and with what (RFC 4271 section 6.2, RFC 6286, RFC 6793); and the timers and
// words that follow from what was negotiated.

import { address } from '@herald/net';
import { describe, expect, it } from 'vitest';
import {
  administrativeShutdown,
  negotiate,
  notification,
  type Capability,
  type NotificationMessage,
  type OpenMessage,
} from '../../src/index.ts';
import { holdTimer, keepaliveTimer, notificationText, refresh } from '../../src/fsm/actions.ts';
import { openProblem } from '../../src/fsm/open-check.ts';
import { hex, PLAIN, toHex } from '../octets.ts';
import { line, open, REMOTE } from './lines.ts';

const LOCAL = open();
const FOUR: Capability = { kind: 'four-octet-asn', asn: 65000 };

describe('the OPEN of a peer', () => {
  const refused: [string, Partial<OpenMessage>, number, number, string, string][] = [
    ['another AS', { asn: 65001 }, 65000, 2, '', 'the peer is AS 65001, not 65000'],
    ['AS_TRANS for another AS', { asn: 23456 }, 65000, 2, '', 'the peer is AS 23456, not 65000'],
    ['a large AS', { asn: 4_200_000_001 }, 65000, 2, '', 'the peer is AS 4200000001, not 65000'],
    [
      'our identifier in our AS',
      { identifier: address('10.0.0.2') },
      65000,
      3,
      '',
      'the peer has our own identifier 10.0.0.2',
    ],
    [
      'no capability at all',
      { capabilities: [] },
      65000,
      7,
      '41040000fde8',
      'the peer has no four-octet AS numbers',
    ],
    [
      'every capability but four-octet AS numbers',
      { capabilities: [{ kind: 'route-refresh' }, { kind: 'multiprotocol', afi: 1, safi: 1 }] },
      65000,
      7,
      '41040000fde8',
      'the peer has no four-octet AS numbers',
    ],
  ];

  it.each(refused)('is refused for %s', (...[, fields, remoteAsn, subcode, data, text]) => {
    const problem = openProblem(LOCAL, { ...REMOTE, ...fields }, remoteAsn);
    expect(problem).toMatchObject({ disposition: 'session-reset', code: 2, subcode, text });
    expect(problem && toHex(problem.data)).toBe(data);
  });

  const accepted: [string, Partial<OpenMessage>, number][] = [
    ['the AS that is expected', {}, 65000],
    ['an external peer', { asn: 65001 }, 65001],
    ['our identifier in another AS (RFC 6286)', { asn: 65001, identifier: address('10.0.0.2') }, 65001],
    ['an identifier that is no unicast address', { identifier: address('255.255.255.255') }, 65000],
    ['hold time 0', { holdTimeSeconds: 0 }, 65000],
    ['nothing but four-octet AS numbers', { capabilities: [FOUR] }, 65000],
    [
      'families that we do not have',
      { capabilities: [FOUR, { kind: 'multiprotocol', afi: 1, safi: 128 }] },
      65000,
    ],
  ];

  it.each(accepted)('is accepted with %s', (_, fields, remoteAsn) => {
    expect(openProblem(LOCAL, { ...REMOTE, ...fields }, remoteAsn)).toBeUndefined();
  });

  it('is refused for its AS before its identifier, and for that before its capabilities', () => {
    const wrong = { ...REMOTE, identifier: LOCAL.identifier, capabilities: [] };
    expect(openProblem(LOCAL, { ...wrong, asn: 1 }, 65000)?.subcode).toBe(2);
    expect(openProblem(LOCAL, wrong, 65000)?.subcode).toBe(3);
  });
});

describe('the timers of a session', () => {
  it.each([
    [0, ['stop hold'], []],
    [3, ['start hold 3000'], ['start keepalive 1000']],
    [9, ['start hold 9000'], ['start keepalive 3000']],
    [30, ['start hold 30000'], ['start keepalive 10000']],
    [180, ['start hold 180000'], ['start keepalive 60000']],
    [65535, ['start hold 65535000'], ['start keepalive 21845000']],
  ])('with a hold time of %i s', (holdTimeSeconds, hold, keepalive) => {
    const negotiated = negotiate(LOCAL, { ...REMOTE, holdTimeSeconds });
    const used = { ...negotiated, holdTimeSeconds };
    expect([holdTimer(used)].map(line)).toEqual(hold);
    expect(keepaliveTimer(used).map(line)).toEqual(keepalive);
    expect(negotiated.holdTimeSeconds).toBe(Math.min(holdTimeSeconds, 30));
  });
});

describe('a request for a refresh', () => {
  it.each([
    ['IPv4, negotiated', 1, 1, 0, [4, 6], ['refresh 4']],
    ['IPv6, negotiated', 2, 1, 0, [4, 6], ['refresh 6']],
    ['IPv6, not negotiated', 2, 1, 0, [4], []],
    ['IPv4 multicast', 1, 2, 0, [4, 6], []],
    ['a family that nobody knows', 25, 65, 0, [4, 6], []],
    ['the begin of an answer', 1, 1, 1, [4, 6], []],
    ['the end of an answer', 1, 1, 2, [4, 6], []],
    ['an unknown subtype', 1, 1, 255, [4, 6], []],
  ] as const)('for %s', (...[, afi, safi, subtype, families, expected]) => {
    const actions = refresh({ kind: 'route-refresh', afi, safi, subtype }, { ...PLAIN, families });
    expect(actions.map(line)).toEqual(expected);
  });
});

describe('a NOTIFICATION in words', () => {
  const rows: [NotificationMessage, string][] = [
    [notification(4, 0), 'code 4 subcode 0'],
    [notification(6, 2), 'code 6 subcode 2'],
    [administrativeShutdown('maintenance at noon'), 'code 6 subcode 2: maintenance at noon'],
    [notification(6, 4, hex('03 627965')), 'code 6 subcode 4: bye'],
    [notification(6, 1, hex('03 627965')), 'code 6 subcode 1'],
    [notification(6, 9, hex('06 02 03 627965')), 'hard reset, code 6 subcode 2: bye'],
    [notification(6, 9, hex('04 00')), 'hard reset, code 4 subcode 0'],
    [notification(6, 9), 'code 6 subcode 9'],
    [notification(6, 9, hex('06 09 04 00')), 'hard reset, hard reset, code 4 subcode 0'],
    [notification(255, 255), 'code 255 subcode 255'],
  ];

  it.each(rows)('%o', (message, text) => {
    expect(notificationText(message)).toBe(text);
  });
});
