// A prefix whose rank changes: its paths are said close to each other however large the table is, because a router uses
// those that it has already and no others. Everything else is packed over the whole batch, as tightly as can be.

import { PersistentMap, type Path, type PrefixRoutes, type RouteTable } from '@herald/net';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BLOCK_PATHS } from '../../src/feed/blocks.ts';
import { Outbox } from '../../src/feed/outbox.ts';
import type { UpdateMessage } from '../../src/index.ts';
import { aTable } from '../arbitrary.ts';
import { expectedLines, ModelTable } from '../model-table.ts';
import { ADD_PATH, EXTENDED } from '../octets.ts';
import { attributes, manyIpv6Routes, manyRoutes, path, routes } from '../tables.ts';
import { prefixesOf, taken } from './taken.ts';

const HOPS = 20;
const PREFIXES = 3000;

function hops(med: number, count = HOPS): Path[] {
  const of = attributes({ med });
  return Array.from({ length: count }, (_, i) => path(i, `192.0.2.${i + 1}`, of));
}

function settled(table: RouteTable): Outbox {
  const outbox = new Outbox(EXTENDED, table, undefined);
  taken(outbox);
  return outbox;
}

function changed(before: RouteTable, after: RouteTable): UpdateMessage[] {
  const outbox = settled(before);
  outbox.set(after);
  return taken(outbox);
}

/** Prefix -> how many paths of others are said between its first path and its last. */
function strangers(messages: readonly UpdateMessage[]): Map<string, number> {
  const places = new Map<string, number[]>();
  messages.flatMap(prefixesOf).forEach((prefix, place) => {
    places.set(prefix, [...(places.get(prefix) ?? []), place]);
  });
  return new Map(Array.from(places, ([prefix, of]) => [prefix, between(of)]));
}

function between(places: readonly number[]): number {
  return (places.at(-1) ?? 0) - (places[0] ?? 0) + 1 - places.length;
}

describe('another rank', () => {
  it('of a large table is said in blocks of whole prefixes', () => {
    const messages = changed(manyRoutes(PREFIXES, ...hops(10)), manyRoutes(PREFIXES, ...hops(9)));
    const spread = strangers(messages);
    expect(spread.size).toBe(PREFIXES);
    expect(messages.flatMap(prefixesOf)).toHaveLength(PREFIXES * HOPS);
    expect(Math.max(...spread.values())).toBeLessThan(BLOCK_PATHS);
  });

  it.each([
    ['more next hops', hops(9, HOPS + 5)],
    ['fewer next hops', hops(9, HOPS - 5)],
    ['other next hops', hops(9, HOPS).map((hop) => ({ ...hop, pathId: hop.pathId + 100 }))],
  ])('and %s go together', (_, paths) => {
    const messages = changed(manyRoutes(PREFIXES, ...hops(10)), manyRoutes(PREFIXES, ...paths));
    expect(Math.max(...strangers(messages).values())).toBeLessThan(BLOCK_PATHS);
    expect(messages.flatMap(prefixesOf)).toHaveLength(PREFIXES * paths.length);
  });

  it('of a prefix with more paths than a block has is not split by another prefix', () => {
    const many = Array.from({ length: BLOCK_PATHS + 1 }, (_, i) => ({ ...path(i, '192.0.2.1'), pathId: i }));
    const after = many.map((each) => ({ ...each, attributes: attributes({ med: 9 }) }));
    const messages = changed(manyRoutes(3, ...many), manyRoutes(3, ...after));
    expect([...strangers(messages).values()]).toEqual([0, 0, 0]);
  });

  it('comes after what else changes', () => {
    const before = manyRoutes(200, ...hops(10)).with(manyIpv6Routes(200, path(1, '2001:db8::1')));
    const after = manyRoutes(200, ...hops(9)).with(manyIpv6Routes(200, path(2, '2001:db8::2')));
    const said = changed(before, after).flatMap(({ reach, unreach, announced }) => [
      ...(reach === undefined && unreach === undefined ? [] : ['6']),
      ...(announced.length > 0 ? ['4'] : []),
    ]);
    expect(said.lastIndexOf('6')).toBeLessThan(said.indexOf('4'));
  });
});

describe('the same rank', () => {
  it.each([
    ['a first table', PersistentMap.empty<PrefixRoutes>(), manyRoutes(1000, ...hops(10))],
    ['another weight', manyRoutes(1000, ...hops(10)), manyRoutes(1000, ...weighted())],
  ])('is packed over all prefixes: %s', (_, before, after) => {
    const messages = changed(before, after).filter((message) => prefixesOf(message).length > 0);
    expect(messages).toHaveLength(HOPS);
  });
});

function weighted(): Path[] {
  const of = attributes({ linkBandwidth: { asn: 1, bytesPerSecond: 1 } });
  return hops(10).map((each) => ({ ...each, attributes: of }));
}

describe('blocks', () => {
  it('say the same, and leave no prefix without a path that keeps one', () => {
    const med = fc.constantFrom(9, 10);
    fc.assert(
      fc.property(aTable, aTable, med, fc.nat(5000), (one, other, rank, size) => {
        const model = new ModelTable();
        const first = one.with(manyRoutes(size, ...hops(10, 3)));
        const outbox = new Outbox(ADD_PATH, first, undefined);
        const read = (): void => taken(outbox).forEach((message) => model.apply(message));
        read();
        const second = other.with(manyRoutes(size, ...hops(rank, 2), path(9, '192.0.2.9')));
        outbox.set(second.set('198.51.100.7/32', routes('198.51.100.7/32', ...hops(rank))));
        read();
        const wanted = second.set('198.51.100.7/32', routes('198.51.100.7/32', ...hops(rank)));
        expect(model.lines).toEqual(expectedLines(wanted));
        expect([...model.everGone].filter((key) => first.has(key) && wanted.has(key))).toEqual([]);
      }),
      { numRuns: 25 },
    );
  });
});
