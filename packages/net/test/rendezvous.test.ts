// Rendezvous hashing: same choice everywhere, only the places of a lost member change hands, even spread.

import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { hashMembers, rendezvous, rendezvousAmong } from '../src/index.ts';

const WORKERS = Array.from({ length: 100 }, (_, i) => `worker-${i}`);
const KEYS = Array.from({ length: 200 }, (_, i) => `default/service-${i}`);

const names = fc.uniqueArray(fc.string({ maxLength: 6 }), { minLength: 1, maxLength: 30 });

describe('the choice', () => {
  const rows: [count: number, members: string[], chosen: number][] = [
    [0, ['a', 'b'], 0],
    [-1, ['a', 'b'], 0],
    [1, [], 0],
    [1, ['a'], 1],
    [2, ['a', 'b', 'c'], 2],
    [3, ['a', 'b', 'c'], 3],
    [9, ['a', 'b', 'c'], 3],
    [9, ['a', 'a', 'b', 'a'], 2],
  ];
  test.each(rows)('of %i among %j', (count, members, chosen) => {
    const choice = rendezvous('key', members, count);
    expect(choice).toHaveLength(chosen);
    expect(new Set(choice).size).toBe(chosen);
    expect(choice.every((member) => members.includes(member))).toBe(true);
  });

  // Computed with an independent implementation.
  const fixed: [key: string, choice: string[]][] = [
    ['192.0.2.1/32', ['worker-16', 'worker-74', 'worker-97', 'worker-7']],
    ['192.0.2.2/32', ['worker-85', 'worker-50', 'worker-98', 'worker-49']],
    ['2001:db8::1/128', ['worker-10', 'worker-86', 'worker-47', 'worker-0']],
  ];
  test.each(fixed)('for %s never changes between versions', (key, choice) => {
    expect(rendezvous(key, WORKERS, 4)).toEqual(choice);
  });

  it('does not depend on the order of the members', () => {
    fc.assert(
      fc.property(fc.string(), names, fc.nat({ max: 10 }), (key, members, count) => {
        expect(rendezvous(key, members.toReversed(), count)).toEqual(rendezvous(key, members, count));
      }),
    );
  });

  it('is the same with members hashed once', () => {
    const hashed = hashMembers(WORKERS);
    for (const key of KEYS) {
      expect(rendezvousAmong(key, hashed, 5)).toEqual(rendezvous(key, WORKERS, 5));
    }
  });

  it('of fewer is the beginning of the choice of more', () => {
    fc.assert(
      fc.property(fc.string(), names, fc.nat({ max: 30 }), (key, members, count) => {
        const all = rendezvous(key, members, members.length);
        expect(rendezvous(key, members, count)).toEqual(all.slice(0, count));
      }),
    );
  });

  it('among members whose hashes are equal takes the first names', () => {
    const colliding = { names: ['a', 'b', 'c'], hashes: Uint32Array.of(7, 7, 7) };
    expect(rendezvousAmong('key', colliding, 2)).toEqual(['a', 'b']);
  });
});

describe('stability', () => {
  it('removing one member changes only its own places', () => {
    fc.assert(
      fc.property(fc.string(), names, fc.nat({ max: 10 }), fc.nat(), (key, members, count, pick) => {
        const gone = members[pick % members.length];
        const before = rendezvous(key, members, count);
        const after = rendezvous(
          key,
          members.filter((member) => member !== gone),
          count,
        );
        const kept = before.filter((member) => member !== gone);
        expect(after.slice(0, kept.length)).toEqual(kept);
        expect(after.length - kept.length).toBeLessThanOrEqual(1);
      }),
    );
  });

  it('a new member takes at most one place', () => {
    fc.assert(
      fc.property(fc.string(), names, fc.nat({ max: 10 }), (key, members, count) => {
        const before = rendezvous(key, members, count);
        const after = rendezvous(key, [...members, 'newcomer'], count);
        const lost = before.filter((member) => !after.includes(member));
        const gained = after.filter((member) => !before.includes(member));
        expect(lost.length).toBeLessThanOrEqual(gained.length);
        expect(gained.every((member) => member === 'newcomer')).toBe(true);
      }),
    );
  });
});

function placesPerMember(keys: readonly string[], count: number): number[] {
  const places = new Map(WORKERS.map((member) => [member, 0]));
  for (const member of keys.flatMap((key) => rendezvous(key, WORKERS, count))) {
    places.set(member, (places.get(member) ?? 0) + 1);
  }
  return [...places.values()];
}

describe('spread', () => {
  // 200 keys x 20 places among 100 members: 40 each if even; 6 standard deviations of a binomial are 34.
  it('is even over many keys', () => {
    const places = placesPerMember(KEYS, 20);
    expect(Math.min(...places)).toBeGreaterThan(6);
    expect(Math.max(...places)).toBeLessThan(74);
  });

  it('differs between keys', () => {
    const choices = new Set(KEYS.map((key) => rendezvous(key, WORKERS, 4).join()));
    expect(choices.size).toBe(KEYS.length);
  });

  // About 40 of 4,000 keys have worker-0 first; if all of them went to one other, that one would be overrun.
  it('gives the places of a lost member to many others', () => {
    const hashed = hashMembers(WORKERS);
    const heirs = Array.from({ length: 4000 }, (_, i) => rendezvousAmong(`key-${i}`, hashed, 2))
      .filter(([first]) => first === 'worker-0')
      .map(([, second]) => second);
    expect(heirs.length).toBeGreaterThan(10);
    expect(new Set(heirs).size).toBeGreaterThan(heirs.length / 2);
  });
});
