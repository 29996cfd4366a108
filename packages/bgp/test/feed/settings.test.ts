// What follows from the settings of a feed: its OPEN, what it says when bgpd gives less, and its state in words.

import { describe, expect, it } from 'vitest';
import type { Family } from '@herald/net';
import { capabilityOf, decode, encode, negotiate, type SessionState } from '../../src/index.ts';
import {
  feedOpen,
  feedState,
  shortfalls,
  type FeedSettings,
  type StartKind,
} from '../../src/feed/settings.ts';
import { PLAIN, toHex } from '../octets.ts';
import { remoteOpen, SETTINGS } from './scripted-feed.ts';

describe('the OPEN of a feed', () => {
  it('has exactly these octets', () => {
    const capabilities = [
      '01040001000101040002000102000600', // IPv4, IPv6, route refresh, extended message
      '41040000fde8', // AS 65000
      '45080001010200020102', // ADD-PATH, send, both families
      '400acfff0001018000020180', // graceful restart: R and N, 4095 s, both families forwarding
    ];
    const length = capabilities.join('').length / 2;
    const bytes = encode(feedOpen(SETTINGS, 'restarted'), PLAIN);
    expect(toHex(bytes.subarray(19))).toBe(
      ['04fde8001e0a000002', (length + 2).toString(16), '02', length.toString(16), ...capabilities].join(''),
    );
  });

  it.each([
    ['send', true],
    ['none', false],
  ] as const)('offers ADD-PATH: %s', (addPath, isOffered) => {
    const offered = capabilityOf(feedOpen({ ...SETTINGS, addPath }, 'restarted'), 'add-path');
    expect(offered?.families.map(({ afi, mode }) => `${afi} ${mode}`)).toEqual(
      isOffered ? ['1 send', '2 send'] : undefined,
    );
  });

  it.each([
    ['restarted', 0, true],
    ['restarted', 4095, true],
    ['reconnecting', 120, false],
  ] as const)('says how it starts: %s, %i s', (start: StartKind, restartTimeSeconds, restarting) => {
    const open = feedOpen({ ...SETTINGS, restartTimeSeconds }, start);
    expect(capabilityOf(open, 'graceful-restart')).toMatchObject({
      restarting,
      notification: true,
      restartTimeSeconds,
      families: [{ forwarding: true }, { forwarding: true }],
    });
  });

  it.each([65000, 4_200_000_000])('has AS %i in both places', (asn) => {
    const open = feedOpen({ ...SETTINGS, asn }, 'restarted');
    expect(capabilityOf(open, 'four-octet-asn')).toEqual({ kind: 'four-octet-asn', asn });
    expect(decode(encode(open, PLAIN), PLAIN)).toMatchObject({ ok: true, message: { asn } });
  });

  it.each([0, 3, 30, 65535])('has the hold time %i', (holdTimeSeconds) => {
    expect(feedOpen({ ...SETTINGS, holdTimeSeconds }, 'restarted').holdTimeSeconds).toBe(holdTimeSeconds);
  });

  it('agrees with a bgpd on what bgpd needs to keep the routes', () => {
    expect(negotiate(feedOpen(SETTINGS, 'restarted'), remoteOpen())).toMatchObject({
      peering: 'internal',
      families: [4, 6],
      addPathSend: [4, 6],
      addPathReceive: [],
      maximumLength: 65535,
      asnOctets: 4,
    });
  });
});

describe('what a session lacks', () => {
  const rows: [string, FeedSettings['addPath'], readonly Family[], readonly Family[], string[]][] = [
    ['nothing', 'send', [4, 6], [4, 6], []],
    ['nothing, with one path', 'none', [4, 6], [], []],
    ['IPv6', 'send', [4], [4], ['FamilyNotNegotiated: bgpd does not take IPv6 routes']],
    ['IPv4', 'none', [6], [], ['FamilyNotNegotiated: bgpd does not take IPv4 routes']],
    [
      'every family',
      'send',
      [],
      [],
      [
        'FamilyNotNegotiated: bgpd does not take IPv4 routes',
        'FamilyNotNegotiated: bgpd does not take IPv6 routes',
      ],
    ],
    [
      'ADD-PATH for IPv6',
      'send',
      [4, 6],
      [4],
      ['AddPathNotNegotiated: bgpd does not take several paths for an IPv6 prefix: it gets the first only'],
    ],
    [
      'IPv6, and ADD-PATH for IPv4',
      'send',
      [4],
      [],
      [
        'FamilyNotNegotiated: bgpd does not take IPv6 routes',
        'AddPathNotNegotiated: bgpd does not take several paths for an IPv4 prefix: it gets the first only',
      ],
    ],
  ];

  it.each(rows)('%s', (...[, addPath, families, addPathFamilies, expected]) => {
    const said = shortfalls({ ...SETTINGS, addPath }, families, addPathFamilies);
    expect(said.map(({ reason, text }) => `${reason}: ${text}`)).toEqual(expected);
  });
});

describe('the state of a feed', () => {
  const negotiated = PLAIN;
  const rows: [SessionState, string][] = [
    [{ kind: 'idle' }, 'idle'],
    [{ kind: 'connect', attempts: 0 }, 'connecting'],
    [{ kind: 'active', attempts: 5 }, 'connecting'],
    [{ kind: 'open-sent', attempts: 0 }, 'open-sent'],
    [{ kind: 'open-confirm', attempts: 0, negotiated }, 'open-confirm'],
    [{ kind: 'established', attempts: 0, negotiated }, 'established'],
  ];

  it.each(rows)('%o is %s', (state, kind) => {
    for (const endOfRibSent of [false, true]) {
      expect(feedState(state, 1000, endOfRibSent)).toEqual(
        kind === 'established' ? { kind, sinceMs: 1000, endOfRibSent } : { kind },
      );
    }
  });
});
