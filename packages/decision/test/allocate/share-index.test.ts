// The addresses under each sharing key: in order, kept from tick to tick, and a search that was in vain is not
// repeated - but its answer never differs from one that looks at all of them.

import fc from 'fast-check';
import { PersistentMap, address } from '@herald/net';
import type { Address } from '@herald/net';
import { expect, test } from 'vitest';
import { ShareIndexDraft } from '../../src/allocate/share-index.ts';
import type { SharedAddresses } from '../../src/allocate/share-index.ts';

const ALL = Array.from({ length: 6 }, (_, i) => address(`192.0.2.${i + 1}`));
const EMPTY: SharedAddresses = PersistentMap.empty();

test('lists are ascending, and a key without addresses is gone', () => {
  const draft = new ShareIndexDraft(EMPTY);
  [3, 1, 2].forEach((i) => draft.add('k', ALL[i]!));
  draft.add('l', ALL[0]!);
  draft.remove('l', ALL[0]!);
  const state = draft.commit();
  expect([...state.keys()]).toEqual(['k']);
  expect(state.get('k')?.map(({ text }) => text)).toEqual(['192.0.2.2', '192.0.2.3', '192.0.2.4']);
});

test('a draft leaves the state below as it is, and is that state when nothing was written', () => {
  const first = new ShareIndexDraft(EMPTY);
  first.add('k', ALL[0]!);
  const state = first.commit();
  const second = new ShareIndexDraft(state);
  expect(second.find('k', '', () => false)).toBeUndefined();
  expect(second.commit()).toBe(state);
  second.add('k', ALL[1]!);
  expect(state.get('k')).toHaveLength(1);
});

test('what was looked at in vain is not looked at again', () => {
  const draft = new ShareIndexDraft(EMPTY);
  ALL.slice(0, 5).forEach((each) => draft.add('k', each));
  const asked: string[] = [];
  const never = ({ text }: Address): boolean => asked.push(text) < 0;
  draft.find('k', 'w', never);
  draft.add('k', ALL[5]!);
  draft.find('k', 'w', never);
  expect(asked).toEqual(ALL.map(({ text }) => text));
});

test('a search answers the lowest address that fits, whatever was searched for before', () => {
  const step = fc.record({
    what: fc.constantFrom('add', 'add', 'remove', 'fill', 'empty', 'find', 'find', 'find'),
    at: fc.nat(ALL.length - 1),
    key: fc.constantFrom('k', 'l'),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const draft = new ShareIndexDraft(EMPTY);
      const full = new Set<string>();
      const listed = { k: new Set<Address>(), l: new Set<Address>() };
      for (const { what, at, key } of steps) {
        const it = ALL[at]!;
        if (what === 'add' && !draft.has(key, it)) {
          draft.add(key, it);
          listed[key].add(it);
        } else if (what === 'remove' && draft.has(key, it)) {
          draft.remove(key, it);
          listed[key].delete(it);
        } else if (what === 'fill') {
          full.add(it.text);
        } else if (what === 'empty') {
          full.delete(it.text);
          ['k', 'l'].forEach((each) => draft.loosen(each));
        }
        const fits = ({ text }: Address): boolean => !full.has(text);
        expect(draft.find(key, 'w', fits)).toBe(ALL.find((each) => listed[key].has(each) && fits(each)));
      }
    }),
  );
});
