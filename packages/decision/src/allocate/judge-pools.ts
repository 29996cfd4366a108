// What people are told about each pool: accepted or not and why, and how much of it is in use and free, by
// family. A pool that lost to an older one has nothing available, whatever is free in it.

import { sameProjected } from '@herald/api';
import type { Family, PersistentMap } from '@herald/net';
import type { AddressLedger } from './address-ledger.ts';
import type { FamilyCount, PoolVerdict } from './allocation.ts';
import type { LaidPool, PoolLayout } from './pool-layout.ts';

const FAMILIES: readonly Family[] = [4, 6];

/** Verdicts that did not change are the same references, and so is the map. */
export function judgePools(
  layout: PoolLayout,
  ledger: AddressLedger,
  before: PersistentMap<PoolVerdict>,
): PersistentMap<PoolVerdict> {
  const verdicts = layout.pools.map((laid): [string, PoolVerdict] => {
    const verdict = judgePool(laid, ledger);
    const known = before.get(laid.name);
    return [laid.name, known !== undefined && sameProjected(known, verdict) ? known : verdict];
  });
  const gone = [...before.keys()].filter((name) => !layout.byName.has(name));
  return before.with(verdicts, gone);
}

function judgePool(laid: LaidPool, ledger: AddressLedger): PoolVerdict {
  const counts = { 4: countFamily(laid, 4, ledger), 6: countFamily(laid, 6, ledger) };
  if (laid.loserTo !== undefined) {
    const message = `The older pool ${laid.loserTo} has some of the same addresses: this one gives no new ones.`;
    return { accepted: false, reason: 'PoolOverlaps', message, counts };
  }
  const spent = FAMILIES.filter((family) => laid.spans[family].length > 0 && counts[family].available === 0);
  if (spent.length > 0) {
    return { accepted: true, reason: 'PoolExhausted', message: spentSentence(spent), counts };
  }
  return { accepted: true, reason: 'Accepted', message: 'The pool gives addresses.', counts };
}

function spentSentence(families: readonly Family[]): string {
  return `The pool has no free ${families.map((family) => `IPv${family}`).join(' and no free ')} address.`;
}

function countFamily(laid: LaidPool, family: Family, ledger: AddressLedger): FamilyCount {
  const { assigned, given } = ledger.countOf(laid, family);
  const free = laid.loserTo === undefined ? laid.capacity[family] - BigInt(given) : 0n;
  const capped = free > BigInt(Number.MAX_SAFE_INTEGER) ? Number.MAX_SAFE_INTEGER : Number(free);
  return { assigned, available: capped };
}
