import {
  addressFromValue,
  largeCommunity,
  PersistentMap,
  type PrefixRoutes,
  type RouteTable,
} from '@herald/net';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  decode,
  diff,
  encode,
  pack,
  type Negotiated,
  type Refusal,
  type UpdateMessage,
} from '../../src/index.ts';
import { aTable } from '../arbitrary.ts';
import { expectedLines, ModelTable } from '../model-table.ts';
import { ADD_PATH, EXTENDED, PLAIN, toHex } from '../octets.ts';
import { attributes, manyIpv6Routes, manyRoutes, path, routes, tableOf } from '../tables.ts';

const EMPTY: RouteTable = PersistentMap.empty<PrefixRoutes>();

function packed(before: RouteTable, after: RouteTable, session: Negotiated): (UpdateMessage | Refusal)[] {
  const { families, addPathSend: addPath, maximumLength } = session;
  const changes = diff(before, after, after.changedKeys(before), { families, addPath });
  return [...pack(changes, { addPath, maximumLength })];
}

function updates(before: RouteTable, after: RouteTable, session: Negotiated): UpdateMessage[] {
  return packed(before, after, session).filter((item) => item.kind === 'update');
}

/** Sends by octets, as a peer would read them. */
function deliver(messages: readonly UpdateMessage[], session: Negotiated, model: ModelTable): void {
  for (const message of messages) {
    const bytes = encode(message, session);
    expect(bytes.length).toBeLessThanOrEqual(session.maximumLength);
    const decoded = decode(bytes, { ...session, addPathReceive: session.addPathSend });
    expect(decoded).toMatchObject({ ok: true, problems: [] });
    if (decoded.ok && decoded.message.kind === 'update') {
      model.apply(decoded.message);
    }
  }
}

describe('packed changes', () => {
  it.each([
    ['ADD-PATH', ADD_PATH],
    ['ADD-PATH and long messages', EXTENDED],
    ['single path', PLAIN],
    ['ADD-PATH for IPv4 only', { ...ADD_PATH, addPathSend: [4], addPathReceive: [4] } satisfies Negotiated],
    ['IPv6 only', { ...ADD_PATH, families: [6] } satisfies Negotiated],
  ])('turn any table into any other: %s', (_, session) => {
    fc.assert(
      fc.property(fc.array(aTable, { minLength: 1, maxLength: 4 }), (tables) => {
        const model = new ModelTable();
        let before = EMPTY;
        for (const after of tables) {
          deliver(updates(before, after, session), session, model);
          expect(model.lines).toEqual(expectedLines(after, session.addPathSend, session.families));
          before = after;
        }
      }),
      { numRuns: 150 },
    );
  });

  it('never leave a prefix without a path that has one before and after', () => {
    fc.assert(
      fc.property(aTable, aTable, (before, after) => {
        const model = new ModelTable();
        deliver(updates(EMPTY, before, ADD_PATH), ADD_PATH, model);
        deliver(updates(before, after, ADD_PATH), ADD_PATH, model);
        const stayed = [...after.keys()].filter((key) => before.has(key));
        expect(stayed.filter((key) => model.everGone.has(key))).toEqual([]);
      }),
    );
  });
});

describe('an UPDATE', () => {
  it('has exactly the octets of a path with everything', () => {
    const of = attributes({
      asPath: [65001],
      med: 4_000_000_000,
      largeCommunities: [largeCommunity(4_294_967_295, 1, 0)],
      linkBandwidth: { asn: 65000, bytesPerSecond: 125_000 },
    });
    const [message] = updates(EMPTY, tableOf(routes('198.51.100.7/32', path(7, '192.0.2.1', of))), ADD_PATH);
    expect(message && toHex(encode(message, ADD_PATH)).slice(38)).toBe(
      [
        '0000003c', // nothing withdrawn, 60 octets of attributes
        '40010100', // ORIGIN IGP
        '40020602010000fde9', // AS_PATH
        '400304c0000201', // NEXT_HOP
        '800404ee6b2800', // MULTI_EXIT_DISC
        '40050400000064', // LOCAL_PREF
        'c010080004fde847f42400', // link bandwidth, transitive
        'c0200cffffffff0000000100000000', // LARGE_COMMUNITIES
        '0000000720c6336407', // path 7, 198.51.100.7/32
      ].join(''),
    );
  });

  it('always has LOCAL_PREF and MED, also when they are zero', () => {
    const zero = attributes({ localPref: 0, med: 0 });
    const [message] = updates(EMPTY, tableOf(routes('198.51.100.7/32', path(1, '192.0.2.1', zero))), PLAIN);
    expect(message?.attributes).toMatchObject({ localPref: 0, med: 0, origin: 'igp', asPath: [] });
  });

  it('splits an AS path of more than 255 into segments', () => {
    const long = attributes({ asPath: Array.from({ length: 600 }, (_, i) => i + 1) });
    const [message] = updates(
      EMPTY,
      tableOf(routes('198.51.100.7/32', path(1, '192.0.2.1', long))),
      ADD_PATH,
    );
    expect(message?.attributes.asPath?.map(({ asns }) => asns.length)).toEqual([255, 255, 90]);
  });

  it.each([
    [
      '20 next hops',
      20,
      manyRoutes(1000, ...Array.from({ length: 20 }, (_, i) => path(i, `192.0.2.${i + 1}`))),
    ],
    [
      'one next hop and class under two references',
      1,
      manyRoutes(3, path(1, '192.0.2.1')).with(manyRoutes(2, path(1, '192.0.2.1'))),
    ],
    ['two families', 2, manyRoutes(9, path(1, '192.0.2.1')).with(manyIpv6Routes(9, path(1, '2001:db8::1')))],
  ])('holds all prefixes of a next hop and class: %s give %i', (_, count, table) => {
    expect(updates(EMPTY, table, EXTENDED)).toHaveLength(count);
    const expected = [...table.values()].flatMap(({ paths }) => paths).length;
    const said = updates(EMPTY, table, EXTENDED).flatMap(({ announced, reach }) =>
      announced.concat(reach?.nlri ?? []),
    );
    expect(said).toHaveLength(expected);
  });

  it.each([
    ['4096 IPv4', ADD_PATH, manyRoutes(5000, path(1, '192.0.2.1'))],
    ['65535 IPv4', EXTENDED, manyRoutes(20_000, path(1, '192.0.2.1'))],
    ['4096 IPv6', ADD_PATH, manyIpv6Routes(2000, path(1, '2001:db8::1'))],
    ['65535 IPv6', EXTENDED, manyIpv6Routes(9000, path(1, '2001:db8::1'))],
  ])('is filled up to the negotiated length: %s', (_, session, table) => {
    for (const messages of [updates(EMPTY, table, session), updates(table, EMPTY, session)]) {
      const lengths = messages.map((message) => encode(message, session).length);
      expect(lengths.length).toBeGreaterThan(1);
      expect(Math.max(...lengths)).toBeLessThanOrEqual(session.maximumLength);
      expect(Math.min(...lengths.slice(0, -1))).toBeGreaterThan(session.maximumLength - 42);
    }
  });

  it('announces before it withdraws', () => {
    const before = tableOf(
      routes('198.51.100.1/32', path(1, '192.0.2.1')),
      routes('2001:db8::1/128', path(1, '2001:db8::1')),
    );
    const after = tableOf(
      routes('198.51.100.1/32', path(2, '192.0.2.2')),
      routes('2001:db8::1/128', path(2, '2001:db8::2')),
    );
    const order = updates(before, after, ADD_PATH).map(({ announced, withdrawn, reach, unreach }) =>
      [announced.length > 0 && '+4', withdrawn.length > 0 && '-4', reach && '+6', unreach && '-6'].filter(
        Boolean,
      ),
    );
    expect(order.flat().map(String).toSorted()).toEqual(['+4', '+6', '-4', '-6']);
    expect(order.flat().map((each) => String(each)[0])).toEqual(['+', '+', '-', '-']);
  });
});

describe('a path that cannot be said', () => {
  const tooMany = attributes({
    largeCommunities: Array.from({ length: 400 }, (_, i) => largeCommunity(65000, 1, i)),
  });

  it.each([
    [
      'IPv4 by an IPv6 next hop',
      routes('198.51.100.7/32', path(1, '2001:db8::1')),
      ADD_PATH,
      'NextHopOfOtherFamily',
    ],
    [
      'IPv6 by an IPv4 next hop',
      routes('2001:db8::7/128', path(1, '192.0.2.1')),
      ADD_PATH,
      'NextHopOfOtherFamily',
    ],
    [
      'attributes beyond the message',
      routes('198.51.100.7/32', path(1, '192.0.2.1', tooMany)),
      ADD_PATH,
      'AttributesTooLong',
    ],
  ])('is refused, and withdrawn instead: %s', (_, entry, session, reason) => {
    const items = packed(EMPTY, tableOf(entry), session);
    expect(items).toMatchObject([
      { kind: 'refusal', reason, prefix: { text: entry.prefix.text } },
      { kind: 'update' },
    ]);
    const [, message] = items;
    const run = message?.kind === 'update' ? [...message.withdrawn, ...(message.unreach?.nlri ?? [])] : [];
    expect(run.map(({ pathId, prefix }) => `${prefix.text} ${pathId}`)).toEqual([`${entry.prefix.text} 1`]);
  });

  it('does not keep the others back, and fits a longer message', () => {
    const bad = routes('198.51.100.7/32', path(1, '192.0.2.1', tooMany));
    const good = routes('198.51.100.8/32', path(1, '192.0.2.1'));
    expect(updates(EMPTY, tableOf(bad, good), ADD_PATH).flatMap(({ announced }) => announced)).toHaveLength(
      1,
    );
    expect(updates(EMPTY, tableOf(bad, good), EXTENDED).flatMap(({ announced }) => announced)).toHaveLength(
      2,
    );
  });

  it('does not leave its older version with the peer', () => {
    const model = new ModelTable();
    const old = tableOf(routes('198.51.100.7/32', path(1, '192.0.2.1')));
    deliver(updates(EMPTY, old, ADD_PATH), ADD_PATH, model);
    deliver(
      updates(old, tableOf(routes('198.51.100.7/32', path(1, '2001:db8::1'))), ADD_PATH),
      ADD_PATH,
      model,
    );
    expect(model.lines).toEqual([]);
  });
});

describe('packing', () => {
  it('makes messages only when they are asked for', () => {
    let read = 0;
    const table = manyRoutes(50, path(1, '192.0.2.1'));
    const counted = [...table.values()].map(({ prefix, paths }) => ({
      prefix,
      announced: paths,
      withdrawn: [],
      isReranked: false,
    }));
    const changes = new Proxy(counted, {
      get(target, key, receiver): unknown {
        read += key === 'length' ? 0 : 1;
        return Reflect.get(target, key, receiver);
      },
    });
    const messages = pack(changes, { addPath: [4], maximumLength: 4096 });
    expect(read).toBe(0);
    expect(messages.next().value).toMatchObject({ kind: 'update' });
    expect(read).toBeGreaterThan(0);
  });

  it('says the right next hop for each of many', () => {
    const hops = Array.from({ length: 40 }, (_, i) => addressFromValue(4, 0xc0000200n + BigInt(i + 1)).text);
    const table = tableOf(...hops.map((hop, i) => routes(`198.51.100.${i}/32`, path(i, hop))));
    const model = new ModelTable();
    deliver(updates(EMPTY, table, ADD_PATH), ADD_PATH, model);
    expect(model.lines).toEqual(expectedLines(table));
  });
});
