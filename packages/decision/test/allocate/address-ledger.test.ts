// Who holds which address, written to directly: what is found, what a hold or release eases, who loses, and
// that a ledger closed and opened again knows the same. Also the map drafts that it is made of.

import fc from 'fast-check';
import { PersistentMap, address } from '@herald/net';
import { describe, expect, test } from 'vitest';
import { AddressLedger, EMPTY_LEDGER, recounted } from '../../src/allocate/address-ledger.ts';
import type { LedgerState } from '../../src/allocate/address-ledger.ts';
import { MapDraft } from '../../src/allocate/map-draft.ts';
import { layPools } from '../../src/allocate/pool-layout.ts';
import type { LaidPool } from '../../src/allocate/pool-layout.ts';
import type { Holder, SharingTerms } from '../../src/allocate/sharing.ts';
import { pool } from './simulated-cluster.ts';

const LAYOUT = layPools(
  PersistentMap.from([
    ['a', pool('a', { ranges: ['192.0.2.1-192.0.2.3', '2001:db8::1-2001:db8::2'] })],
    ['b', pool('b', { ranges: ['198.51.100.1'] })],
  ]),
);

function laid(name: string): LaidPool {
  const found = LAYOUT.byName.get(name);
  if (!found) {
    throw new Error(`no pool ${name}`);
  }
  return found;
}

const [A, B] = [laid('a'), laid('b')];
const terms = (key = '', port = 80): SharingTerms => ({ key, backend: 'Cluster', ports: [`TCP/${port}`] });
const holder = (name: string, of = terms(), more: Partial<Holder> = {}): Holder => ({
  serviceKey: name,
  uid: `uid-${name}`,
  createdAt: 0,
  term: 0,
  terms: of,
  standing: 'served',
  ...more,
});

const ONE = address('192.0.2.1');
const TWO = address('192.0.2.2');
const open = (state: LedgerState = EMPTY_LEDGER) => new AddressLedger(state, LAYOUT);
const found = (ledger: AddressLedger, of = terms(), name = 'new', inPool = A) =>
  ledger.find(inPool, 4, name, of)?.text;

describe('an address is found', () => {
  test('the lowest free one', () => {
    const ledger = open();
    expect(found(ledger)).toBe('192.0.2.1');
    ledger.hold(ONE, holder('x'));
    expect(found(ledger)).toBe('192.0.2.2');
    expect(found(ledger, terms(), 'new', B)).toBe('198.51.100.1');
  });

  test('finding takes nothing', () => {
    const ledger = open();
    expect([found(ledger), found(ledger)]).toEqual(['192.0.2.1', '192.0.2.1']);
    expect(ledger.touched).toBe(false);
  });

  test('a gap that was left', () => {
    const ledger = open();
    [ONE, TWO].forEach((each, i) => ledger.hold(each, holder(`x${i}`)));
    ledger.release(ONE, 'x0');
    expect(found(ledger)).toBe('192.0.2.1');
  });

  test('none when all are held', () => {
    const ledger = open();
    ledger.hold(address('198.51.100.1'), holder('x'));
    expect(found(ledger, terms(), 'new', B)).toBeUndefined();
  });

  const shares: (readonly [string, SharingTerms, string | undefined])[] = [
    ['the same key and another port', terms('k', 81), '192.0.2.1'],
    ['the same key and the same port', terms('k', 80), '192.0.2.2'],
    ['another key', terms('l', 81), '192.0.2.2'],
    ['no key', terms('', 81), '192.0.2.2'],
    ['another policy', { ...terms('k', 81), backend: 'Local|x' }, '192.0.2.2'],
  ];
  test.each(shares)('beside a holder with a key: %s', (_name, of, expected) => {
    const ledger = open();
    ledger.hold(ONE, holder('x', terms('k', 80)));
    expect(found(ledger, of)).toBe(expected);
  });

  test('the lowest of several that may be shared, and only in the pool asked', () => {
    const ledger = open();
    ledger.hold(address('192.0.2.3'), holder('x', terms('k', 81)));
    ledger.hold(TWO, holder('y', terms('k', 80)));
    expect(found(ledger, terms('k', 82))).toBe('192.0.2.2');
    expect(found(ledger, terms('k', 80))).toBe('192.0.2.3');
    expect(found(ledger, terms('k', 82), 'new', B)).toBe('198.51.100.1');
  });

  test('a Service is never in its own way', () => {
    const ledger = open();
    ledger.hold(ONE, holder('x', terms('k', 80)));
    expect(found(ledger, terms('k', 80), 'x')).toBe('192.0.2.1');
    expect(ledger.problemWith(ONE, 'x', terms('', 80))).toBeUndefined();
    expect(ledger.problemWith(ONE, 'y', terms('', 80))).toBe('AddressInUse');
  });
});

const preparedLedger = () => {
  const ledger = open();
  ledger.hold(ONE, holder('x', terms('k', 80)));
  ledger.hold(ONE, holder('y', terms('k', 81)));
  ledger.hold(address('2001:db8::1'), holder('x'));
  ledger.eased.clear();
  return ledger;
};

describe('what becomes easier', () => {
  const rows: (readonly [string, (ledger: AddressLedger) => void, readonly number[]])[] = [
    ['a new holder without a key', (ledger) => ledger.hold(TWO, holder('z')), []],
    [
      'a new holder with a key: it can be shared',
      (ledger) => ledger.hold(TWO, holder('z', terms('k', 9))),
      [4],
    ],
    ['one more under the same key', (ledger) => ledger.hold(ONE, holder('z', terms('k', 9))), []],
    ['the same again', (ledger) => ledger.hold(ONE, holder('x', terms('k', 80))), []],
    ['other terms', (ledger) => ledger.hold(ONE, holder('x', terms('k', 9))), [4]],
    ['one of two goes', (ledger) => ledger.release(ONE, 'x'), [4]],
    ['the holder of another family goes', (ledger) => ledger.release(address('2001:db8::1'), 'x'), [6]],
    ['somebody who never held it goes', (ledger) => ledger.release(ONE, 'z'), []],
    ['an address that nobody held is released', (ledger) => ledger.release(TWO, 'x'), []],
  ];
  test.each(rows)('%s', (_name, change, families) => {
    const ledger = preparedLedger();
    change(ledger);
    expect([...ledger.eased]).toEqual(families);
  });
});

describe('judging', () => {
  test('concerns the holders of touched addresses only', () => {
    const first = open();
    first.hold(ONE, holder('x'));
    first.hold(TWO, holder('y'));
    first.judge();
    const second = open(first.commit());
    second.hold(TWO, holder('z'));
    expect([...second.judge()].sort()).toEqual(['y', 'z']);
  });

  test('the one with the lesser claim loses, whoever came first, and only while the other one is there', () => {
    const first = open();
    first.hold(ONE, holder('x', terms(), { createdAt: 5 }));
    first.judge();
    const second = open(first.commit());
    second.hold(ONE, holder('elder', terms(), { createdAt: 1 }));
    second.judge();
    expect([second.isLoser(ONE, 'x'), second.isLoser(ONE, 'elder')]).toEqual([true, false]);
    const third = open(second.commit());
    third.release(ONE, 'elder');
    third.judge();
    expect(third.isLoser(ONE, 'x')).toBe(false);
  });

  test('another term of the same holder is judged', () => {
    const first = open();
    first.hold(ONE, holder('x', terms(), { term: 5 }));
    first.hold(ONE, holder('y', terms(), { term: 6 }));
    first.judge();
    const second = open(first.commit());
    second.hold(ONE, holder('y', terms(), { term: 4 }));
    second.judge();
    expect([first.isLoser(ONE, 'y'), second.isLoser(ONE, 'x')]).toEqual([true, true]);
  });

  test('nobody loses an address that nobody holds', () => {
    expect(open().isLoser(ONE, 'x')).toBe(false);
  });
});

describe('counts', () => {
  test('an address counts once however many hold it, until the last one goes', () => {
    const ledger = open();
    const count = () => ledger.countOf(A, 4).assigned;
    ledger.hold(ONE, holder('x', terms('k', 80)));
    ledger.hold(ONE, holder('y', terms('k', 81)));
    const both = count();
    ledger.release(ONE, 'x');
    const one = count();
    ledger.release(ONE, 'y');
    expect([both, one, count()]).toEqual([1, 1, 0]);
  });

  test('are made anew for other pools', () => {
    const ledger = open();
    ledger.hold(ONE, holder('x'));
    ledger.hold(TWO, holder('y'));
    const other = layPools(PersistentMap.from([['c', pool('c', { ranges: ['192.0.2.2-192.0.2.9'] })]]));
    const moved = new AddressLedger(recounted(ledger.commit(), other), other);
    const [c] = other.pools;
    expect(c && moved.countOf(c, 4)).toEqual({ assigned: 1, given: 1 });
    expect(c && moved.find(c, 4, 'z', terms())?.text).toBe('192.0.2.3');
  });
});

describe('closed and opened again at any point', () => {
  const texts = ['192.0.2.1', '192.0.2.2', '192.0.2.3'];
  const step = fc.record({
    what: fc.constantFrom('hold', 'hold', 'release'),
    text: fc.constantFrom(...texts),
    name: fc.constantFrom('x', 'y', 'z'),
    key: fc.constantFrom('', 'k', 'l'),
    port: fc.integer({ min: 1, max: 3 }),
    close: fc.boolean(),
  });

  test('the ledger answers the same as one that was never closed', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 20 }), (history) => {
        const whole = open();
        let closing = open();
        for (const { what, text, name, key, port, close } of history) {
          for (const ledger of [whole, closing]) {
            if (what === 'hold') {
              ledger.hold(address(text), holder(name, terms(key, port)));
            } else {
              ledger.release(address(text), name);
            }
          }
          closing = close ? open(closing.commit()) : closing;
        }
        for (const key of ['', 'k', 'l']) {
          for (const port of [1, 2, 3]) {
            expect(found(closing, terms(key, port))).toBe(found(whole, terms(key, port)));
          }
        }
        expect(closing.countOf(A, 4)).toEqual(whole.countOf(A, 4));
        texts.forEach((text) =>
          expect(closing.useOf(address(text))?.holders).toEqual(whole.useOf(address(text))?.holders),
        );
      }),
    );
  });
});

const byKey = ([a]: readonly [string, unknown], [b]: readonly [string, unknown]) => (a < b ? -1 : 1);

describe('a map draft', () => {
  const BASE = PersistentMap.from([
    ['a', 1],
    ['b', 2],
  ] as const);

  test('reads its writes, and the map below stays as it is', () => {
    const draft = new MapDraft<number>(BASE);
    draft.set('a', 9);
    draft.set('b', undefined);
    draft.set('c', 3);
    expect(['a', 'b', 'c', 'd'].map((key) => draft.get(key))).toEqual([9, undefined, 3, undefined]);
    expect([...BASE].sort(byKey)).toEqual([
      ['a', 1],
      ['b', 2],
    ]);
    expect([...draft.commit()].sort(byKey)).toEqual([
      ['a', 9],
      ['c', 3],
    ]);
  });

  test('of nothing new is the same map, and untouched', () => {
    const draft = new MapDraft<number>(BASE);
    draft.set('a', 1);
    draft.set('x', undefined);
    expect(draft.touched).toBe(false);
    expect(draft.commit()).toBe(BASE);
  });

  test('keeps the last of several writes', () => {
    const draft = new MapDraft<number>(BASE);
    [5, undefined, 7].forEach((value) => draft.set('a', value));
    expect([...draft.writes()]).toEqual([['a', 7]]);
  });

  test('commits to what a plain map would hold', () => {
    const write = fc.tuple(fc.constantFrom('a', 'b', 'c', 'd'), fc.option(fc.nat(3), { nil: undefined }));
    fc.assert(
      fc.property(fc.array(write), (writes) => {
        const draft = new MapDraft<number>(BASE);
        const plain = new Map<string, number>(BASE);
        for (const [key, value] of writes) {
          draft.set(key, value);
          if (value === undefined) {
            plain.delete(key);
          } else {
            plain.set(key, value);
          }
        }
        expect([...draft.commit()].sort(byKey)).toEqual([...plain].sort(byKey));
      }),
    );
  });
});
