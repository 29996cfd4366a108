// The checker of the soak: what it takes for wrong, and what it does not.

import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';

import { RouteClaims } from './route-claims.ts';
import { GRACE_MS, SILENCE_MS, Truth } from './truth.ts';

const PREFIX = '198.18.0.1/32';
const START = 1_000_000;

let truth: Truth;
let claims: RouteClaims;

beforeEach(() => {
  vi.useFakeTimers({ now: START });
  truth = new Truth();
  truth.announce(PREFIX, ['a', 'b']);
  truth.settle(PREFIX, ['a', 'b']);
  claims = new RouteClaims(truth);
  claims.take(PREFIX, ['a', 'b'], START);
});
afterEach(() => {
  vi.useRealTimers();
});

function said(): string[] {
  return claims.violations.map(({ atMs, text }) => `${atMs - START} ${text}`);
}

describe('a next hop', () => {
  test('that serves is right for ever', () => {
    claims.look(START + 1_000_000);
    expect(said()).toEqual([]);
  });

  test('that never served is wrong at once', () => {
    claims.take(PREFIX, ['a', 'c'], START + 1);
    claims.look(START + 2);
    expect(said()).toEqual([`1 ${PREFIX} leads to c, which does not serve it`]);
  });

  test('is right as soon as its endpoint is being written', () => {
    truth.announce(PREFIX, ['c']);
    claims.take(PREFIX, ['a', 'b', 'c'], START + 1);
    expect(said()).toEqual([]);
  });

  test('that was taken out is wrong after the grace', () => {
    truth.settle(PREFIX, ['b']);
    claims.look(START + GRACE_MS);
    expect(said()).toEqual([]);
    claims.look(START + GRACE_MS + 1);
    claims.look(START + GRACE_MS + 2);
    expect(said()).toEqual([`${GRACE_MS + 1} ${PREFIX} leads to a, which does not serve it`]);
  });

  test('that is put back by an old leader is wrong', () => {
    truth.settle(PREFIX, ['b']);
    claims.take(PREFIX, ['b'], START + 1);
    claims.take(PREFIX, ['a', 'b'], START + GRACE_MS + 1);
    expect(said()).toHaveLength(1);
  });

  test('on a silent node has more time', () => {
    truth.settle(PREFIX, ['b'], SILENCE_MS);
    claims.look(START + GRACE_MS + SILENCE_MS);
    expect(said()).toEqual([]);
    claims.look(START + GRACE_MS + SILENCE_MS + 1);
    expect(said()).toHaveLength(1);
  });
});

describe('a prefix', () => {
  test('that somebody serves may not be gone', () => {
    claims.take(PREFIX, [], START + 1);
    claims.look(START + 52);
    expect(said()).toEqual([`52 ${PREFIX} has had no next hop for 51 ms`]);
  });

  test('may blink, as some kernels make it do', () => {
    claims.take(PREFIX, [], START + 1);
    claims.take(PREFIX, ['a', 'b'], START + 51);
    claims.look(START + 1000);
    expect(said()).toEqual([]);
  });

  test('that came back between two looks was gone all the same', () => {
    claims.take(PREFIX, [], START + 1);
    claims.take(PREFIX, ['a', 'b'], START + 101);
    expect(said()).toEqual([`101 ${PREFIX} has had no next hop for 100 ms`]);
  });

  test('that nobody serves may go', () => {
    truth.settle(PREFIX, []);
    claims.take(PREFIX, [], START + 1);
    claims.look(START + 1000);
    expect(said()).toEqual([]);
  });
});

test('what is not as it should be yet is told', () => {
  expect(claims.differences()).toEqual([]);
  truth.settle(PREFIX, ['b']);
  expect(claims.differences()).toEqual([`${PREFIX} via [a b], not [b]`]);
});
