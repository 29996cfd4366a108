// Where bgpd keeps a peer, cell by cell: families x ADD-PATH mode x what the router was seen to receive; what a
// session shows of that; and the feed addresses of views.

import fc from 'fast-check';
import { PersistentMap, address } from '@herald/net';
import type { Address, Family } from '@herald/net';
import { describe, expect, test } from 'vitest';
import { placeFeeds } from '../../src/peers/feed-addresses.ts';
import type { FeedAddresses } from '../../src/peers/feed-addresses.ts';
import { judgePeer } from '../../src/peers/judge-peer.ts';
import { observeOffers, sightingKey } from '../../src/peers/observe-offers.ts';
import type { Sightings } from '../../src/peers/observe-offers.ts';
import { compareByAge, compareText, identityOf } from '../../src/peers/peer-order.ts';
import { placePeer } from '../../src/peers/place-peer.ts';
import type { PasswordReading } from '../../src/peers/read-password.ts';
import type { PerFamily, SessionState } from '../../src/world.ts';
import { UNKNOWN, established, peer } from './peer-objects.ts';

const FEED = address('127.1.0.1');
const place = (offer: PerFamily<boolean> | undefined) => ({ number: 7, feedAddress: FEED, offer });
const offer = (text: string): PerFamily<boolean> | undefined =>
  text === '?' ? undefined : { 4: text.includes('4'), 6: text.includes('6') };
const families = (text: string): readonly Family[] =>
  ([4, 6] as const).filter((family) => text.includes(`${family}`));

const shown = (of: PerFamily<boolean>) => ([4, 6] as const).filter((family) => of[family]).join('') || '-';

describe('a peer', () => {
  // Families, mode, offer seen ('?' none yet): where it is, several paths for, lacking.
  const rows: (readonly [string, 'Auto' | 'Disabled', string, string, string, string])[] = [
    ['4', 'Auto', '?', 'shared', '4', ''],
    ['4', 'Auto', '4', 'shared', '4', ''],
    ['4', 'Auto', '46', 'shared', '4', ''],
    ['4', 'Auto', '6', 'view', '-', '4'],
    ['4', 'Auto', '', 'view', '-', '4'],
    ['6', 'Auto', '?', 'shared', '6', ''],
    ['6', 'Auto', '6', 'shared', '6', ''],
    ['6', 'Auto', '4', 'view', '-', '6'],
    ['6', 'Auto', '', 'view', '-', '6'],
    ['46', 'Auto', '?', 'shared', '46', ''],
    ['46', 'Auto', '46', 'shared', '46', ''],
    ['46', 'Auto', '4', 'view', '4', '6'],
    ['46', 'Auto', '6', 'view', '6', '4'],
    ['46', 'Auto', '', 'view', '-', '46'],
    ['4', 'Disabled', '?', 'view', '-', ''],
    ['4', 'Disabled', '4', 'view', '-', ''],
    ['6', 'Disabled', '6', 'view', '-', ''],
    ['46', 'Disabled', '?', 'view', '-', ''],
    ['46', 'Disabled', '46', 'view', '-', ''],
    ['46', 'Disabled', '', 'view', '-', ''],
  ];

  test.each(rows)('of IPv%s, mode %s, offer %s: %s', (...[of, mode, seen, where, several, lacking]) => {
    const placement = placePeer(
      peer('tor', { families: families(of), addPaths: { mode, maxPaths: 16 } }),
      place(offer(seen)),
    );
    expect(placement.instance).toEqual(
      where === 'shared' ? { kind: 'shared' } : { kind: 'view', name: 'plain-7', feedAddress: FEED },
    );
    expect(shown(placement.addPath)).toBe(several);
    expect(placement.lacking.join('')).toBe(lacking);
  });

  test.each(rows)(
    'of IPv%s, mode %s, offer %s: is judged accordingly',
    (...[of, mode, seen, where, , lacking]) => {
      const it = peer('tor', { families: families(of), addPaths: { mode, maxPaths: 16 } });
      const verdict = judgePeer(it, placePeer(it, place(offer(seen))), { kind: 'none' }, 'speaks');
      expect(verdict).toMatchObject({
        accepted: true,
        reason: lacking ? 'NoAddPath' : 'Accepted',
        instance: where,
      });
      families(lacking).forEach((family) => expect(verdict.message).toContain(`IPv${family}`));
    },
  );
});

describe('the first thing that applies is the reason', () => {
  const fault: PasswordReading = { kind: 'fault', reason: 'SecretMissing', message: 'It is gone.' };
  const good: PasswordReading = { kind: 'password', password: 'x' };
  const rows: (readonly [PasswordReading, boolean, string, string])[] = [
    [good, false, '4', 'Accepted'],
    [good, false, '', 'NoAddPath'],
    [good, true, '4', 'PeerShutdown'],
    [good, true, '', 'PeerShutdown'],
    [fault, false, '4', 'SecretMissing'],
    [fault, false, '', 'SecretMissing'],
    [fault, true, '4', 'SecretMissing'],
    [fault, true, '', 'SecretMissing'],
  ];
  test.each(rows)('password %o, shut down %s, offer %s: %s', (reading, shutdown, seen, reason) => {
    const it = peer('tor', { shutdown });
    const verdict = judgePeer(it, placePeer(it, place(offer(seen))), reading, 'speaks');
    expect(verdict.reason).toBe(reason);
    expect(verdict.accepted).toBe(reading.kind !== 'fault');
    expect(verdict.message).not.toBe('');
  });
});

describe('what a session shows', () => {
  const tor = peer('tor', { families: [4, 6] });
  const key = sightingKey(tor);
  const see = (session: SessionState | undefined, before: Sightings | undefined, of = tor) => {
    const sessions = PersistentMap.from(session ? [['tor', session] as const] : []);
    return observeOffers([of], sessions, before);
  };
  const known = (text: string): Sightings => new Map([[key, { offer: offer(text), inherited: undefined }]]);
  const shownOf = (sightings: Sightings, at = key) => {
    const found = sightings.get(at)?.offer;
    return found ? shown(found) : '?';
  };

  const rows: (readonly [string, SessionState | undefined, string, string])[] = [
    ['no session', undefined, '?', '?'],
    ['no session, but one was seen', undefined, '4', '4'],
    ['a session that comes up', UNKNOWN, '?', '?'],
    ['a session that comes up again', UNKNOWN, '4', '4'],
    ['established, all offered', established([4, 6], [4, 6]), '?', '46'],
    ['established, nothing offered', established([4, 6], []), '?', '-'],
    ['established, one offered', established([4, 6], [6]), '?', '6'],
    ['established, another offer than before', established([4, 6], [6]), '4', '6'],
    [
      'established, but nothing known of the offer',
      established([4, 6], [], { addPathReceive: undefined }),
      '4',
      '4',
    ],
    ['one family is not carried: nothing shown about it', established([4], [4]), '?', '46'],
    ['one family is not carried: what was seen of it stays', established([4], [4]), '4', '4'],
    ['no family is carried', established([], []), '6', '6'],
    [
      'an offer of a session that is down again counts no more',
      { ...established([4, 6], []), state: 'Idle' },
      '46',
      '46',
    ],
  ];
  test.each(rows)('%s', (_name, session, before, expected) => {
    expect(shownOf(see(session, known(before)))).toBe(expected);
  });

  test('is forgotten with another address, port or set of families', () => {
    for (const other of [
      peer('tor', { families: [4, 6], at: '10.0.0.9' }),
      peer('tor', { families: [4, 6], port: 1_179 }),
      peer('tor', { families: [4] }),
      peer('tor', { families: [4, 6], uid: 'another' }),
    ]) {
      const sightings = see(undefined, known('4'), other);
      expect(shownOf(sightings, sightingKey(other))).toBe('?');
      expect([...sightings.keys()]).toEqual([sightingKey(other)]);
    }
  });

  test('a session inherited from another router says nothing until it is another session', () => {
    const session = established([4, 6], []);
    const moved = peer('tor', { families: [4, 6], at: '10.0.0.9' });
    const first = see(session, known('46'), moved);
    const second = see({ ...session, lastError: 'x' }, first, moved);
    const third = see({ ...session, sinceMs: 2_000 }, second, moved);
    expect([first, second, third].map((each) => shownOf(each, sightingKey(moved)))).toEqual(['?', '?', '-']);
  });

  test('the first look of a process believes what it finds', () => {
    expect(shownOf(see(established([4, 6], []), undefined))).toBe('-');
  });
});

const feedsFor = (
  numbers: Readonly<Record<string, number>>,
  known: FeedAddresses = new Map<string, Address>(),
) =>
  placeFeeds(
    Object.keys(numbers).map((uid) => peer(uid, { uid })),
    new Map(Object.entries(numbers)),
    known,
  );

const feedTexts = (of: FeedAddresses) => Object.fromEntries([...of].map(([uid, { text }]) => [uid, text]));

describe('feed addresses', () => {
  const rows: (readonly [string, Record<string, number>, Record<string, string>])[] = [
    ['the first', { a: 65_534 }, { a: '127.1.0.1' }],
    ['the last', { a: 65_533 }, { a: '127.1.255.254' }],
    ['across a byte', { a: 254, b: 255 }, { a: '127.1.0.255', b: '127.1.1.0' }],
    ['far above', { a: 65_534 * 3 + 9 }, { a: '127.1.0.10' }],
    [
      'a taken one is passed on',
      { a: 4, b: 4 + 65_534, c: 4 },
      { a: '127.1.0.5', b: '127.1.0.6', c: '127.1.0.7' },
    ],
    ['and round the end', { a: 65_533, b: 65_533 }, { a: '127.1.255.254', b: '127.1.0.1' }],
    ['none', {}, {}],
  ];
  test.each(rows)('%s', (_name, numbers, expected) => {
    expect(feedTexts(feedsFor(numbers))).toEqual(expected);
  });

  test('stay when others come and go, also a passed-on one', () => {
    const before = feedsFor({ a: 4, b: 4 });
    const after = feedsFor({ b: 4, c: 4 }, before);
    expect(feedTexts(after)).toEqual({ b: '127.1.0.6', c: '127.1.0.5' });
    expect(after.get('b')).toBe(before.get('b'));
  });

  test('are the same object when nobody comes or goes', () => {
    const before = feedsFor({ a: 4, b: 9 });
    expect(feedsFor({ b: 9, a: 4 }, before)).toBe(before);
  });

  test('are never shared, and always in 127.1.0.0/16', () => {
    const numbers = fc.dictionary(fc.string({ minLength: 1, maxLength: 4 }), fc.nat(4_294_967_295), {
      maxKeys: 20,
    });
    fc.assert(
      fc.property(numbers, numbers, (first, second) => {
        const of = feedTexts(feedsFor(second, feedsFor(first)));
        const list = Object.values(of);
        expect(list).toHaveLength(Object.keys(second).length);
        expect(new Set(list).size).toBe(list.length);
        list.forEach((text) => expect(text).toMatch(/^127\.1\.\d+\.\d+$/));
        expect(list.includes('127.1.0.0') || list.includes('127.1.255.255')).toBe(false);
      }),
    );
  });
});

describe('order', () => {
  test.each([
    [{ createdAt: 1 }, { createdAt: 2 }, -1],
    [{ createdAt: 2, name: 'a' }, { createdAt: 1, name: 'b' }, 1],
    [{ name: 'a' }, { name: 'b' }, -1],
    [{ name: 'b' }, { name: 'a' }, 1],
    [{ name: 'a' }, { name: 'a' }, 0],
    [{ name: 'B' }, { name: 'a' }, -1],
  ])('of %o and %o', (one, two, sign) => {
    expect(Math.sign(compareByAge(peer('x', one), peer('x', two)))).toBe(sign);
  });

  test.each([
    ['a', 'b', -1],
    ['b', 'a', 1],
    ['a', 'a', 0],
    ['', 'a', -1],
    ['a-10', 'a-9', -1],
    ['é', 'z', 1],
  ])('of the texts %j and %j', (one, two, sign) => {
    expect(compareText(one, two)).toBe(sign);
  });

  test('identity is the UID, or the name where there is none', () => {
    expect(identityOf(peer('a', { uid: 'u' }))).toBe('u');
    expect(identityOf(peer('a', { uid: '' }))).toBe('name:a');
  });
});
