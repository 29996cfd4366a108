import { PersistentMap } from '@herald/net';
import { expect, test } from 'vitest';

import { keepEqual } from '../src/keep-equal.ts';

interface Value {
  readonly state: string;
  readonly families: readonly number[];
}

function value(state: string): Value {
  return { state, families: [4, 6] };
}

function mapOf(entries: Readonly<Record<string, Value>>): PersistentMap<Value> {
  return PersistentMap.from(Object.entries(entries));
}

const BEFORE = mapOf({ a: value('up'), b: value('down') });

test('equal content is the older map itself', () => {
  expect(keepEqual(mapOf({ b: value('down'), a: value('up') }), BEFORE)).toBe(BEFORE);
});

test.for([
  { what: 'an entry that changed', next: { a: value('up'), b: value('up') }, changed: ['b'] },
  { what: 'an entry that came', next: { a: value('up'), b: value('down'), c: value('up') }, changed: ['c'] },
  { what: 'an entry that went', next: { a: value('up') }, changed: ['b'] },
  { what: 'everything gone', next: {}, changed: ['a', 'b'] },
])('$what: only that is another reference', ({ next, changed }) => {
  const kept = keepEqual(mapOf(next), BEFORE);
  expect(kept.changedKeys(BEFORE).sort()).toEqual(changed);
  expect(Object.fromEntries(kept)).toEqual(next);
});

test('an empty map that was empty stays the same', () => {
  const empty = PersistentMap.empty<Value>();
  expect(keepEqual(mapOf({}), empty)).toBe(empty);
});
