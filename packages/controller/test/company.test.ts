// The other replicas as a decision sees them.

import type { HeraldReplicaStatus } from '@herald/api';
import { expect, test } from 'vitest';

import { companyOf, NOBODY_ELSE } from '../src/company.ts';

const SAID: HeraldReplicaStatus = { node: 'cp-1', ordinal: 7, role: 'Leader' };

test('who leads, and who says that it is there', () => {
  const statuses = new Map<string, HeraldReplicaStatus>([
    ['a', SAID],
    ['from before ordinals were said', { node: 'cp-2' }],
    ['just made', {}],
  ]);
  expect(companyOf('a', statuses, NOBODY_ELSE)).toEqual({
    leader: 'a',
    others: new Map([['a', { node: 'cp-1', ordinal: 7 }]]),
  });
});

test('the same object while nothing of it changes', () => {
  const first = companyOf('a', new Map([['a', SAID]]), NOBODY_ELSE);
  expect(companyOf('a', new Map([['a', { ...SAID, term: 9 }]]), first)).toBe(first);
  expect(companyOf('', new Map([['a', SAID]]), first)).not.toBe(first);
  expect(companyOf('a', new Map([['a', { ...SAID, node: 'cp-3' }]]), first)).not.toBe(first);
  expect(companyOf('', new Map(), NOBODY_ELSE)).toBe(NOBODY_ELSE);
});
