// The order of what is said: announcements before withdrawals, in each set of changes and each message by message,
// so that a prefix that has a path before and after is never without one in between.

import { PersistentMap, type Family, type PrefixRoutes, type RouteTable } from '@herald/net';
import { describe, expect, it } from 'vitest';
import { diff, pack, type Change, type UpdateMessage } from '../../src/index.ts';
import { Outbox } from '../../src/feed/outbox.ts';
import { ModelTable } from '../model-table.ts';
import { ADD_PATH, PLAIN } from '../octets.ts';
import { attributes, manyIpv6Routes, manyRoutes, path, routes, tableOf } from '../tables.ts';
import { linesOf, saidBy, taken } from './taken.ts';

const EMPTY: RouteTable = PersistentMap.empty<PrefixRoutes>();
const P = '198.51.100.7/32';
const Q = '198.51.100.8/32';
const SIX = '2001:db8::7/128';
const A = path(1, '192.0.2.1');
const B = path(2, '192.0.2.2');
const C = path(3, '192.0.2.3');
const A6 = path(1, '2001:db8::1');
const B6 = path(2, '2001:db8::2');

/** "+prefix id", "-prefix id" in the order of the octets. */
function said(before: RouteTable, after: RouteTable, addPath: readonly Family[] = [4, 6]): string[] {
  const changes = diff(before, after, after.changedKeys(before).toSorted(), { families: [4, 6], addPath });
  const items = [...pack(changes, { addPath, maximumLength: 4096 })];
  return items.flatMap((item) => (item.kind === 'update' ? idLines(item) : [`refused ${item.reason}`]));
}

function idLines({ announced, reach, withdrawn, unreach }: UpdateMessage): string[] {
  return [
    ...[...announced, ...(reach?.nlri ?? [])].map(({ pathId, prefix }) => `+${prefix.text} ${pathId}`),
    ...[...withdrawn, ...(unreach?.nlri ?? [])].map(({ pathId, prefix }) => `-${prefix.text} ${pathId}`),
  ];
}

interface Row {
  readonly name: string;
  readonly before: RouteTable;
  readonly after: RouteTable;
  readonly addPath?: readonly Family[];
  readonly expected: readonly string[];
}

const ROWS: readonly Row[] = [
  {
    name: 'another next hop under another identifier',
    before: tableOf(routes(P, A)),
    after: tableOf(routes(P, B)),
    expected: [`+${P} 2`, `-${P} 1`],
  },
  {
    name: 'one of two next hops goes',
    before: tableOf(routes(P, A, B)),
    after: tableOf(routes(P, B)),
    expected: [`-${P} 1`],
  },
  {
    name: 'all next hops change',
    before: tableOf(routes(P, A, B)),
    after: tableOf(routes(P, C)),
    expected: [`+${P} 3`, `-${P} 1`, `-${P} 2`],
  },
  {
    name: 'the same identifier with another next hop is replaced, not withdrawn',
    before: tableOf(routes(P, A)),
    after: tableOf(routes(P, path(1, '192.0.2.9'))),
    expected: [`+${P} 1`],
  },
  {
    name: 'the same identifier with other attributes is replaced, not withdrawn',
    before: tableOf(routes(P, A)),
    after: tableOf(routes(P, path(1, '192.0.2.1', attributes({ med: 99 })))),
    expected: [`+${P} 1`],
  },
  {
    name: 'another prefix goes while this one comes',
    before: tableOf(routes(P, A)),
    after: tableOf(routes(Q, A)),
    expected: [`+${Q} 1`, `-${P} 1`],
  },
  {
    name: 'IPv6 announces before IPv4 withdraws',
    before: tableOf(routes(P, A), routes(SIX, A6)),
    after: tableOf(routes(SIX, B6)),
    expected: [`+${SIX} 2`, `-${P} 1`, `-${SIX} 1`],
  },
  {
    name: 'without identifiers a prefix that stays is never withdrawn',
    before: tableOf(routes(P, A, B), routes(Q, A)),
    after: tableOf(routes(P, C)),
    addPath: [],
    expected: [`+${P} 0`, `-${Q} 0`],
  },
  {
    name: 'identifiers in one family only',
    before: tableOf(routes(P, A), routes(SIX, A6)),
    after: tableOf(routes(P, B), routes(SIX, B6)),
    addPath: [6],
    expected: [`+${P} 0`, `+${SIX} 2`, `-${SIX} 1`],
  },
  {
    name: 'everything goes',
    before: tableOf(routes(P, A, B), routes(SIX, A6)),
    after: EMPTY,
    expected: [`-${P} 1`, `-${P} 2`, `-${SIX} 1`],
  },
  {
    name: 'a path that cannot be said replaces one that could',
    before: tableOf(routes(P, A)),
    after: tableOf(routes(P, path(1, '2001:db8::1'))),
    expected: ['refused NextHopOfOtherFamily', `-${P} 1`],
  },
  {
    name: 'a path that cannot be said beside one that can',
    before: EMPTY,
    after: tableOf(routes(P, A, path(2, '2001:db8::1'))),
    expected: [`+${P} 1`, 'refused NextHopOfOtherFamily', `-${P} 2`],
  },
];

describe('changes are said in this order', () => {
  it.each(ROWS)('$name', ({ before, after, addPath, expected }) => {
    expect(said(before, after, addPath)).toEqual(expected);
  });

  it('however many messages they need', () => {
    const before = manyRoutes(3000, A).with(manyIpv6Routes(1000, A6));
    const after = manyRoutes(3000, B).with(manyIpv6Routes(1000, B6));
    const signs = said(before, after).map((line) => line[0]);
    expect(signs).toHaveLength(8000);
    expect(signs.lastIndexOf('+')).toBeLessThan(signs.indexOf('-'));
  });
});

const change = (prefixText: string, ...ids: number[]): Change => {
  const entry = routes(prefixText, A);
  return { prefix: entry.prefix, announced: entry.paths, withdrawn: ids, isReranked: false };
};

describe('packing', () => {
  it('of no changes says nothing', () => {
    expect([...pack([], { addPath: [4, 6], maximumLength: 4096 })]).toEqual([]);
  });

  it('keeps the prefixes of a group in the order of the changes', () => {
    const texts = ['10.0.0.9/32', '10.0.0.1/32', '10.0.0.5/32'];
    const [message] = pack(
      texts.map((text) => change(text)),
      { addPath: [4], maximumLength: 4096 },
    );
    expect(message?.kind === 'update' && linesOf(message)).toEqual(texts.map((text) => `+${text}`));
  });

  it('puts every withdrawal of a family into one message while it fits', () => {
    const changes = [change(P, 7, 8, 9), change(Q, 7)];
    const items = [...pack(changes, { addPath: [4], maximumLength: 4096 })];
    expect(items.flatMap((item) => (item.kind === 'update' ? [idLines(item)] : []))).toEqual([
      [`+${P} 1`, `+${Q} 1`],
      [`-${P} 7`, `-${P} 8`, `-${P} 9`, `-${Q} 7`],
    ]);
  });

  it.each([
    ['next hops', path(1, '192.0.2.1'), path(1, '192.0.2.2'), 2],
    ['MEDs', path(1, '192.0.2.1'), path(1, '192.0.2.1', attributes({ med: 11 })), 2],
    ['local preferences', path(1, '192.0.2.1'), path(1, '192.0.2.1', attributes({ localPref: 99 })), 2],
    ['AS paths', path(1, '192.0.2.1'), path(1, '192.0.2.1', attributes({ asPath: [1] })), 2],
    [
      'weights',
      path(1, '192.0.2.1'),
      path(1, '192.0.2.1', attributes({ linkBandwidth: { asn: 1, bytesPerSecond: 1 } })),
      2,
    ],
    ['identifiers', path(1, '192.0.2.1'), path(2, '192.0.2.1'), 1],
    ['references', path(1, '192.0.2.1'), path(1, '192.0.2.1'), 1],
  ])('puts different %s apart only if they differ on the wire', (...[, one, other, messages]) => {
    const table = tableOf(routes(P, one), routes(Q, other));
    const changes = diff(EMPTY, table, [P, Q], { families: [4], addPath: [4] });
    expect([...pack(changes, { addPath: [4], maximumLength: 4096 })]).toHaveLength(messages);
  });
});

describe('an outbox', () => {
  it.each([
    ['with path identifiers', ADD_PATH],
    ['with one path', PLAIN],
  ])('never leaves a prefix without a path that keeps one, over many batches: %s', (_, session) => {
    const outbox = new Outbox(session, manyRoutes(3000, A), undefined);
    const model = new ModelTable();
    for (const next of [manyRoutes(3000, B), manyRoutes(3000, B, C), manyRoutes(3000, A)]) {
      taken(outbox, 2).forEach((message) => {
        model.apply(message);
      });
      outbox.set(next);
    }
    taken(outbox).forEach((message) => {
      model.apply(message);
    });
    expect(model.size).toBe(3000);
    expect([...model.everGone]).toEqual([]);
  });

  it('takes back what was announced when the table is overtaken by the old one', () => {
    const first = tableOf(routes(P, A));
    const outbox = new Outbox(ADD_PATH, first, undefined);
    saidBy(outbox);
    outbox.set(first.set(Q, routes(Q, A)));
    expect(saidBy(outbox)).toEqual([`+${Q}`]);
    outbox.set(first);
    expect(saidBy(outbox)).toEqual([`-${Q}`]);
    expect(outbox.isDone).toBe(true);
  });

  it('is not done before it was asked, nor while something is wanted', () => {
    const outbox = new Outbox(ADD_PATH, EMPTY, undefined);
    expect(outbox.isDone).toBe(false);
    saidBy(outbox);
    expect(outbox.isDone).toBe(true);
    outbox.set(tableOf(routes(P, A)));
    expect(outbox.isDone).toBe(false);
    outbox.next();
    expect(outbox.isDone).toBe(false);
    expect(outbox.next()).toBeUndefined();
    expect(outbox.isDone).toBe(true);
  });

  it('says a family again in full, once for each request, and nothing of the other', () => {
    const table = tableOf(routes(P, A), routes(SIX, A6));
    const outbox = new Outbox(ADD_PATH, table, undefined);
    saidBy(outbox);
    for (const [family, line] of [
      [4, `+${P}`],
      [6, `+${SIX}`],
    ] as const) {
      outbox.refresh(family);
      expect(saidBy(outbox)).toEqual([line]);
      expect(saidBy(outbox)).toEqual([]);
    }
  });
});
