// A decision taken in steps: paused anywhere, abandoned anywhere, or with another decision taken meanwhile, it
// is the decision that `decide` takes in one go, and nothing of the memory it began with has moved.

import { describe, expect, test } from 'vitest';
import { decide, deciding, emptyMemory } from '../src/index.ts';
import type { Decided, Decision, Memory, World } from '../src/index.ts';
import { allocate, allocating, emptyAllocationMemory } from '../src/allocate/allocate.ts';
import { finished } from '../src/steps.ts';
import type { Steps } from '../src/steps.ts';
import { endpoints, node, pathsTo, sceneWorld, service, told } from './routes/small-world.ts';
import type { Scene } from './routes/small-world.ts';

const scene: Scene = {
  settings: { joinDelayMs: 1000 },
  services: {
    one: { on: 'a b', ips: '203.0.113.1 2001:db8::1' },
    two: { on: 'b c', ips: '203.0.113.2', policy: 'Local' },
    three: { on: 'd', ips: '203.0.113.3', createdAt: 3 },
    bare: { on: 'a', ips: '' },
    lost: { on: 'a', ips: '198.18.0.1' },
  },
  peers: {
    tor: {},
    plain: { addPaths: { mode: 'Disabled', maxPaths: 16 } },
    small: { maxRoutes: 3, maxNextHopSets: 2 },
  },
  ads: { default: {}, wide: { nextHops: { from: 'AllNodes' }, peers: ['tor'] } },
};

const world = sceneWorld(scene);

const CHANGES: (readonly [string, (from: World) => World])[] = [
  ['nothing', (from) => from],
  ['a later moment', (from) => ({ ...from, now: 99 })],
  ['a node goes', (from) => ({ ...from, nodes: from.nodes.delete('b') })],
  ['a node comes', (from) => ({ ...from, nodes: from.nodes.set('e', node('e')) })],
  [
    'an endpoint moves',
    (from) => {
      const slice = from.endpointSlices.get('default/one-0');
      return slice
        ? {
            ...from,
            endpointSlices: from.endpointSlices.set(slice.key, { ...slice, endpoints: endpoints('d') }),
          }
        : from;
    },
  ],
  ['a Service goes', (from) => ({ ...from, services: from.services.delete('default/two') })],
  [
    'a Service comes',
    (from) => ({ ...from, services: from.services.set('default/new', service('new', { ips: '' })) }),
  ],
  [
    'the advertisements go',
    (from) => ({ ...from, advertisements: from.advertisements.with([], ['default', 'wide']) }),
  ],
  ['a peer goes', (from) => ({ ...from, peers: from.peers.delete('plain') })],
  ['the pool goes', (from) => ({ ...from, pools: from.pools.delete('wide') })],
  ['the lead is lost', (from) => ({ ...from, leadership: { leading: false, term: 1_000 } })],
  ['another setting', (from) => ({ ...from, settings: { ...from.settings, standbyMode: 'Warm' } })],
];

/** Everything that a Decision says, as plain values. */
function said(decision: Decision) {
  return {
    allocations: decision.allocations,
    tables: [...decision.tables.views.keys()].sort(),
    paths: ['tor', 'plain', 'small'].map((name) =>
      Object.entries(pathsTo(decision, name)).map(([key, { pathId, attributes }]) => [
        key,
        pathId,
        attributes.key,
      ]),
    ),
    services: [...decision.services].sort(([a], [b]) => (a < b ? -1 : 1)),
    peers: [...decision.peers].map(([name, { reason }]) => [name, reason]),
    pools: [...decision.pools].map(([name, { reason, counts }]) => [name, reason, counts]),
    advertisements: [...decision.advertisements],
    peerRoutes: [...decision.peerRoutes],
    unmet: [...decision.unmet],
    joining: decision.joining,
    wakeAtMs: decision.wakeAtMs,
  };
}

function stepsOf<T>(steps: Steps<T>): number {
  let count = 0;
  while (steps.next().done !== true) {
    count += 1;
  }
  return count;
}

/** Takes `pause` steps, lets somebody else do something, and carries on. */
function paused(from: World, memory: Memory, pause: number, meanwhile: () => void): Decided {
  const steps = deciding(from, memory);
  for (let step = 0; step < pause; step++) {
    const { done, value } = steps.next();
    if (done === true) {
      return value;
    }
  }
  meanwhile();
  return finished(steps);
}

describe('from nothing', () => {
  const whole = decide(world, emptyMemory());
  const count = stepsOf(deciding(world, emptyMemory()));

  test('there are places to pause at, more than there are Services', () => {
    expect(count).toBeGreaterThan(world.services.size);
  });

  test('paused at every step in turn: the same', () => {
    for (let pause = 0; pause <= count; pause++) {
      const { decision } = paused(world, emptyMemory(), pause, () => undefined);
      expect(said(decision)).toEqual(said(whole.decision));
    }
  });

  test('paused at every step, another decision taken meanwhile: the same', () => {
    const [, change] = CHANGES[4] ?? CHANGES[0] ?? ['', (from: World) => from];
    for (let pause = 0; pause <= count; pause++) {
      const { decision } = paused(world, emptyMemory(), pause, () => {
        decide(change(world), emptyMemory());
      });
      expect(said(decision)).toEqual(said(whole.decision));
    }
  });
});

describe.each(CHANGES)('%s', (_name, change) => {
  const start = decide(world, emptyMemory());
  const next = change(world);
  const whole = decide(next, start.memory);
  const count = stepsOf(deciding(next, start.memory));

  test('paused at every step: the same', () => {
    for (let pause = 0; pause <= count; pause++) {
      const { decision } = paused(next, start.memory, pause, () => undefined);
      expect(said(decision)).toEqual(said(whole.decision));
    }
  });

  test('abandoned at every step: the memory is as good as before', () => {
    for (let pause = 0; pause <= count; pause++) {
      const steps = deciding(next, start.memory);
      for (let step = 0; step < pause; step++) {
        steps.next();
      }
      steps.return(undefined as never);
    }
    expect(said(decide(world, start.memory).decision)).toEqual(said(start.decision));
    expect(said(decide(next, start.memory).decision)).toEqual(said(whole.decision));
  });

  test('paused while every other change is decided from the same memory: neither disturbs the other', () => {
    for (const [, other] of CHANGES) {
      const expected = said(decide(other(world), start.memory).decision);
      let meanwhile: Decision | undefined;
      const { decision } = paused(next, start.memory, Math.floor(count / 2), () => {
        meanwhile = decide(other(world), start.memory).decision;
      });
      expect(said(decision)).toEqual(said(whole.decision));
      expect(meanwhile && said(meanwhile)).toEqual(expected);
    }
  });

  test('the decision before still says what it said', () => {
    const before = said(start.decision);
    const routes = told(start.decision);
    decide(next, start.memory);
    expect(said(start.decision)).toEqual(before);
    expect(told(start.decision)).toEqual(routes);
  });

  test('its memory goes on like any other', () => {
    const interrupted = paused(next, start.memory, Math.floor(count / 3), () => undefined);
    const onward = [interrupted, whole].map(({ memory }) => said(decide(world, memory).decision));
    expect(onward[0]).toEqual(onward[1]);
  });
});

describe('the smallest change costs few steps', () => {
  const big = sceneWorld({
    services: Object.fromEntries(
      Array.from({ length: 60 }, (_, i) => [
        `s${i}`,
        { on: i % 2 === 0 ? 'a' : 'b', ips: `203.0.113.${i + 1}` },
      ]),
    ),
  });
  const { memory } = decide(big, emptyMemory());
  const scratch = stepsOf(deciding(big, emptyMemory()));

  test('nothing: hardly any', () => {
    expect(stepsOf(deciding({ ...big, now: 1 }, memory))).toBeLessThan(10);
  });

  test('one endpoint: of one Service', () => {
    const slice = big.endpointSlices.get('default/s0-0');
    const slices = slice
      ? big.endpointSlices.set(slice.key, { ...slice, endpoints: endpoints('c') })
      : big.endpointSlices;
    expect(stepsOf(deciding({ ...big, endpointSlices: slices }, memory))).toBeLessThan(scratch / 6);
  });

  test('one node: of the Services on it', () => {
    const nodes = big.nodes.set('c', node('c', { ready: 'False' }));
    expect(stepsOf(deciding({ ...big, nodes }, memory))).toBeLessThan(scratch / 6);
  });
});

describe('allocation in steps', () => {
  const fresh = sceneWorld({
    services: Object.fromEntries(
      Array.from({ length: 9 }, (_, i) => [`s${i}`, { ips: i % 3 === 0 ? '203.0.113.1' : '' }]),
    ),
  });
  const whole = allocate(fresh, emptyAllocationMemory());

  test('paused at every step: the same writes', () => {
    const count = stepsOf(allocating(fresh, emptyAllocationMemory()));
    expect(count).toBeGreaterThan(9);
    for (let pause = 0; pause <= count; pause++) {
      const steps = allocating(fresh, emptyAllocationMemory());
      for (let step = 0; step < pause; step++) {
        steps.next();
      }
      const again = allocate(fresh, emptyAllocationMemory());
      const { allocations, refusals } = pause < count ? finished(steps) : again;
      expect(allocations).toEqual(whole.allocations);
      expect([...refusals]).toEqual([...whole.refusals]);
    }
  });

  test('no address is given to two, whoever was paused', () => {
    const given = whole.allocations.flatMap(({ addresses }) => addresses.map(({ text }) => text));
    expect(given.length).toBeGreaterThan(5);
    expect(new Set(given).size).toBe(given.length);
  });
});

function* countingTo(to: number): Steps<number> {
  for (let i = 0; i < to; i++) {
    yield;
  }
  return to;
}

test('finished gives what a generator returns, paused or not', () => {
  expect([0, 1, 5].map((to) => finished(countingTo(to)))).toEqual([0, 1, 5]);
});
