import { describe, expect, test } from 'vitest';

import { firstGeneration, instanceName, nextGeneration, peerIdentity } from '../src/generation.ts';
import type { Generation } from '../src/generation.ts';
import { inView, peer, plan } from './session-plan.ts';

const START = firstGeneration(1_000_000_000_000);
const TOR_1 = peer('tor-1', { number: 11 });
const TOR_2 = peer('tor-2', { number: 12 });

function since(generation: Generation, session = TOR_1): number | undefined {
  return generation.since.get(peerIdentity(session));
}

test('a process that starts within the same second as one that crashed shares no number with it', () => {
  const changes = [plan(TOR_1), plan(TOR_2), plan(TOR_1, TOR_2), plan()];
  const numbers = new Set([START.number]);
  let crashed = START;
  for (const next of changes) {
    crashed = nextGeneration(crashed, next);
    numbers.add(crashed.number);
  }
  // Ticks are at least 10 ms apart (signal.ts).
  const later = firstGeneration(1_000_000_000_000 + 10 * changes.length);
  expect(numbers.has(later.number)).toBe(false);
});

test.for([0, Date.UTC(2026, 0, 1), Date.UTC(2100, 0, 1), 2 ** 32 - 2 ** 24, 2 ** 32 - 2 ** 24 - 1])(
  'numbers of a process that starts at %d fit the four octets of a community, and are not 0',
  (nowMs) => {
    const { number } = firstGeneration(nowMs);
    expect(number).toBeGreaterThan(0);
    expect(number + 2 ** 24 - 1).toBeLessThan(2 ** 32);
  },
);

describe('the next generation', () => {
  const one = nextGeneration(START, plan(TOR_1));

  test.for([
    { what: 'the same peers', next: plan(TOR_1) },
    { what: 'another hold time', next: plan(peer('tor-1', { number: 11, holdTimeSeconds: 90 })) },
    { what: 'another password', next: plan(peer('tor-1', { number: 11, password: 'changed' })) },
  ])('is the same object for $what: tags do not depend on it', ({ next }) => {
    expect(nextGeneration(one, next)).toBe(one);
  });

  test('without peers stays the first one', () => {
    expect(nextGeneration(START, plan())).toBe(START);
  });

  test.for([
    { what: 'a peer comes', next: plan(TOR_1, TOR_2) },
    { what: 'a peer goes', next: plan() },
    { what: 'a peer is replaced by another of the same name', next: plan(peer('tor-1', { number: 13 })) },
    { what: 'a peer moves into a view', next: plan(inView('tor-1', 'plain-11', { number: 11 })) },
  ])('has the next number when $what', ({ next }) => {
    expect(nextGeneration(one, next).number).toBe(one.number + 1);
  });

  test('remembers since when each peer is known', () => {
    const two = nextGeneration(one, plan(TOR_1, TOR_2));
    expect(since(two, TOR_1)).toBe(one.number);
    expect(since(two, TOR_2)).toBe(two.number);
  });

  test('does not remember a peer that was away: tables were made without it meanwhile', () => {
    const away = nextGeneration(one, plan(TOR_2));
    const back = nextGeneration(away, plan(TOR_1, TOR_2));
    expect(since(back, TOR_1)).toBe(back.number);
  });

  test('does not depend on the order of peers', () => {
    const two = nextGeneration(one, plan(TOR_1, TOR_2));
    expect(nextGeneration(two, plan(TOR_2, TOR_1))).toBe(two);
  });
});

test.for([
  { session: TOR_1, name: 'default' },
  { session: inView('tor-1', 'plain-11'), name: 'plain-11' },
])("bgpd's name of the instance is $name", ({ session, name }) => {
  expect(instanceName(session)).toBe(name);
});
