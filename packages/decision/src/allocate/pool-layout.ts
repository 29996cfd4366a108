// IPAddressPools -> which numbers each of them holds, which of them may give addresses, and which pool an
// address belongs to. Pools are judged by age: one that has an address of an older valid pool loses as a
// whole - it keeps what is in use and gives nothing new.
//
// Valid pools share no address, so an address has at most one pool that gives it. Nothing here knows what is
// in use.

import type { Pool } from '@herald/api';
import type { Address, AddressRange, Family, PersistentMap } from '@herald/net';
import { compareByAge, compareText } from '../peers/peer-order.ts';
import type { PerFamily } from '../world.ts';

/** Numbers from first to last, both included. */
export interface Span {
  readonly first: bigint;
  readonly last: bigint;
}

export interface LaidPool {
  readonly name: string;
  readonly pool: Pool;
  /** Ascending, neither overlapping nor adjacent. */
  readonly spans: PerFamily<readonly Span[]>;
  /** How many addresses it can give by itself when none is in use. */
  readonly capacity: PerFamily<bigint>;
  /** The older pool that has some of the same addresses; undefined when this pool may give. */
  readonly loserTo: string | undefined;
}

export interface PoolLayout {
  readonly byName: ReadonlyMap<string, LaidPool>;
  /** By name; the order in which pools without pins are tried. */
  readonly pools: readonly LaidPool[];
  /** Pools that give, then the losers by age: the first that holds an address owns it. */
  readonly owners: readonly LaidPool[];
}

export const EMPTY_LAYOUT: PoolLayout = { byName: new Map(), pools: [], owners: [] };

export function layPools(pools: PersistentMap<Pool>): PoolLayout {
  const winners: LaidPool[] = [];
  const losers: LaidPool[] = [];
  for (const pool of [...pools.values()].sort(compareByAge)) {
    const laid = layPool(pool, winners);
    (laid.loserTo === undefined ? winners : losers).push(laid);
  }
  const owners = [...winners, ...losers];
  const byName = owners.toSorted((a, b) => compareText(a.name, b.name));
  return { byName: new Map(byName.map((laid) => [laid.name, laid])), pools: byName, owners };
}

function layPool(pool: Pool, winners: readonly LaidPool[]): LaidPool {
  const spans = { 4: spansOf(pool.ranges, 4), 6: spansOf(pool.ranges, 6) };
  const loserTo = winners.find((older) => meet(older.spans[4], spans[4]) || meet(older.spans[6], spans[6]));
  const capacity = { 4: capacityOf(pool, 4, spans[4]), 6: capacityOf(pool, 6, spans[6]) };
  return { name: pool.name, pool, spans, capacity, loserTo: loserTo?.name };
}

function spansOf(ranges: readonly AddressRange[], family: Family): Span[] {
  const spans = ranges
    .filter((range) => range.family === family)
    .map((range) => ({ first: range.first.value, last: range.last.value }))
    .sort((a, b) => (a.first < b.first ? -1 : 1));
  const merged: Span[] = [];
  for (const span of spans) {
    const before = merged.at(-1);
    if (before !== undefined && span.first <= before.last + 1n) {
      merged[merged.length - 1] = {
        first: before.first,
        last: span.last > before.last ? span.last : before.last,
      };
    } else {
      merged.push(span);
    }
  }
  return merged;
}

function meet(spans: readonly Span[], others: readonly Span[]): boolean {
  return others.some((other) => {
    const near = spanAtOrAfter(spans, other.first);
    return near !== undefined && near.first <= other.last;
  });
}

/** The first span that does not end before `value`. */
export function spanAtOrAfter(spans: readonly Span[], value: bigint): Span | undefined {
  let low = 0;
  let high = spans.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((spans[middle]?.last ?? 0n) < value) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return spans[low];
}

export function holdsAddress(laid: LaidPool, address: Address): boolean {
  const span = spanAtOrAfter(laid.spans[address.family], address.value);
  return span !== undefined && span.first <= address.value;
}

export function poolOwning(layout: PoolLayout, address: Address): LaidPool | undefined {
  return layout.owners.find((laid) => holdsAddress(laid, address));
}

/** Whether the pool never gives this number by itself (a Service may still ask for it). */
export function isAvoided({ pool }: LaidPool, family: Family, value: bigint): boolean {
  return avoids(pool, family) && ((value & 0xffn) === 0n || (value & 0xffn) === 0xffn);
}

function avoids(pool: Pool, family: Family): boolean {
  return pool.avoidBuggyIPs && family === 4;
}

function capacityOf(pool: Pool, family: Family, spans: readonly Span[]): bigint {
  return spans.reduce((sum, { first, last }) => {
    const avoided = avoids(pool, family) ? avoidedUpTo(last) - avoidedUpTo(first - 1n) : 0n;
    return sum + (last - first + 1n - avoided);
  }, 0n);
}

/** How many of 0..value end in .0 or .255; value may be -1. */
function avoidedUpTo(value: bigint): bigint {
  return (value + 256n) / 256n + (value + 1n) / 256n;
}
