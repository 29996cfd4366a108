// What a replica that has lost contact tells its routers: nothing where a fresh one serves, everything elsewhere.

import * as fc from 'fast-check';
import { PersistentMap } from '@herald/net';
import { describe, expect, test } from 'vitest';
import { ALONE, decide, emptyMemory } from '../../src/index.ts';
import type { Decision, Memory, World } from '../../src/index.ts';
import { routesTo, sceneWorld } from '../routes/small-world.ts';

const START = 1_000_000;
/** As long as a fresh replica has to serve before it is relied on, and as long as who came back stays. */
const SETTLED = 10_000;
const RESTLESS = 30_000;

const PLAIN = { address: '192.0.2.3', offers: { 4: false, 6: false } };
const WORLD = sceneWorld({
  services: { web: { on: 'a b' } },
  peers: { tor: { address: '192.0.2.1' }, other: { address: '192.0.2.2' }, plain: PLAIN },
});
const NAMES = ['other', 'plain', 'tor'];

interface Moment {
  readonly at: number;
  readonly stale?: boolean;
  /** Last numbers of the routers that a fresh replica serves. */
  readonly served?: string;
}

function worldAt({ at, stale = true, served = '' }: Moment): World {
  const routers = served.split(' ').filter((text) => text !== '');
  const covered = PersistentMap.from(routers.map((last) => [`192.0.2.${last}`, 'herald-b'] as const));
  return { ...WORLD, now: START + at, freshness: { ...ALONE, stale, covered } };
}

function told(decision: Decision): string {
  return NAMES.filter((name) => routesTo(decision, name).length > 0).join(' ');
}

function history(moments: readonly Moment[]): readonly Decision[] {
  let memory: Memory = emptyMemory();
  return moments.map((moment) => {
    const decided = decide(worldAt(moment), memory);
    memory = decided.memory;
    return decided.decision;
  });
}

const ALL = NAMES.join(' ');

interface Row {
  readonly what: string;
  readonly moments: readonly Moment[];
  /** After the last moment. */
  readonly tells: string;
}

const rows: readonly Row[] = [
  { what: 'stale, and nobody else answers: fail-static', moments: [{ at: 0 }, { at: 1e6 }], tells: ALL },
  {
    what: 'fresh, whoever else serves',
    moments: [
      { at: 0, stale: false, served: '1 2 3' },
      { at: 1e6, stale: false, served: '1 2 3' },
    ],
    tells: ALL,
  },
  {
    what: 'stale, and a fresh one serves for long enough',
    moments: [
      { at: 0, stale: false, served: '1 2 3' },
      { at: SETTLED, served: '1 2 3' },
    ],
    tells: '',
  },
  {
    what: 'a fresh one serves only now',
    moments: [{ at: 0 }, { at: 5000, served: '1 2 3' }, { at: 5000 + SETTLED - 1, served: '1 2 3' }],
    tells: ALL,
  },
  {
    what: 'a fresh one serves one of the routers in the shared table',
    moments: [
      { at: 0, served: '1' },
      { at: SETTLED, served: '1' },
    ],
    tells: 'other plain',
  },
  {
    what: 'a fresh one serves the router with a view',
    moments: [
      { at: 0, served: '3' },
      { at: SETTLED, served: '3' },
    ],
    tells: 'other tor',
  },
  {
    what: 'fresh again: at once',
    moments: [
      { at: 0, served: '1 2 3' },
      { at: SETTLED, served: '1 2 3' },
      { at: SETTLED + 1, stale: false, served: '1 2 3' },
    ],
    tells: ALL,
  },
  {
    what: 'the fresh one is gone: at once',
    moments: [
      { at: 0, served: '1 2 3' },
      { at: SETTLED, served: '1 2 3' },
      { at: SETTLED + 1, served: '2 3' },
    ],
    tells: 'tor',
  },
  {
    what: 'who came back stays for a while',
    moments: [
      { at: 0, served: '1' },
      { at: SETTLED, served: '1' },
      { at: SETTLED + 1000 },
      { at: SETTLED + 1001, served: '1' },
      { at: SETTLED + 1000 + RESTLESS - 1, served: '1' },
    ],
    tells: ALL,
  },
  {
    what: 'and not for ever',
    moments: [
      { at: 0, served: '1' },
      { at: SETTLED, served: '1' },
      { at: SETTLED + 1000 },
      { at: SETTLED + 1001, served: '1' },
      { at: SETTLED + 1000 + RESTLESS, served: '1' },
    ],
    tells: 'other plain',
  },
  {
    what: 'a clock that is set back has settled nothing',
    moments: [
      { at: 0, served: '1' },
      { at: -500_000, served: '1' },
      { at: 1, served: '1' },
    ],
    tells: 'other plain',
  },
];

test.each(rows)('$what', ({ moments, tells }) => {
  const last = history(moments).at(-1);
  expect(last && told(last)).toBe(tells);
});

describe('a peer that was withdrawn', () => {
  const [before, after] = history([
    { at: 0, served: '1' },
    { at: SETTLED, served: '1' },
  ]);

  test('keeps its session as it is', () => {
    expect(after?.sessions).toBe(before?.sessions);
  });

  test('says why, and who serves', () => {
    expect(after?.peers.get('tor')).toMatchObject({ accepted: true, reason: 'StaleReplica' });
    expect(after?.peers.get('tor')?.message).toContain('herald-b');
    expect(after?.peers.get('other')).toBe(before?.peers.get('other'));
  });

  test('is told nothing that is for everybody', () => {
    const tags = [...(after?.tables.shared.values() ?? [])].flatMap(({ paths }) =>
      paths.flatMap(({ attributes }) => attributes.largeCommunities.map(({ text }) => text)),
    );
    const number = after?.sessions.peers.find(({ name }) => name === 'other')?.number;
    expect(new Set(tags)).toEqual(new Set([`4294967295:1:${number}`]));
  });

  test('and the next decision changes nothing', () => {
    const [, second, third] = history([
      { at: 0, served: '1' },
      { at: SETTLED, served: '1' },
      { at: SETTLED + 50, served: '1' },
    ]);
    expect(third?.tables).toBe(second?.tables);
    expect(third?.peers).toBe(second?.peers);
  });
});

test('the next decision is asked for when a fresh replica will have served for long enough', () => {
  const [, second] = history([
    { at: 0, stale: false },
    { at: 10, served: '1' },
  ]);
  expect(second?.wakeAtMs).toBe(START + 10 + SETTLED);
});

test('a standby that hands over goes on announcing; one that never announced does not begin to', () => {
  const warm = { ...WORLD, settings: { ...WORLD.settings, standbyMode: 'Warm' as const } };
  const standby = { ...warm, leadership: { leading: false, term: 7 } };
  const leaving = { ...standby, freshness: { ...standby.freshness, handsOver: true } };
  expect(told(decide(standby, emptyMemory()).decision)).toBe('');
  expect(told(decide(leaving, decide(warm, emptyMemory()).memory).decision)).toBe(ALL);
});

test('whatever happens: silent only when stale and served, and at most once in a while', () => {
  const moment = fc.record({
    step: fc.integer({ min: 1, max: 4000 }),
    stale: fc.boolean(),
    served: fc.constantFrom('', '1', '1 2', '1 2 3'),
  });
  fc.assert(
    fc.property(fc.array(moment, { minLength: 1, maxLength: 40 }), (steps) => {
      let at = 0;
      const moments = steps.map(({ step, ...rest }): Moment => ({ ...rest, at: (at += step) }));
      const silent = history(moments).map((decision) => !told(decision).includes('tor'));
      let last: number | undefined;
      silent.forEach((isSilent, index) => {
        const { stale = true, served = '', at: now } = moments[index] ?? { at: 0 };
        const allowed = stale && served.includes('1');
        expect(isSilent && !allowed).toBe(false);
        if (!isSilent && silent[index - 1] === true) {
          last = now;
        }
        if (isSilent && silent[index - 1] !== true && last !== undefined) {
          expect(now - last).toBeGreaterThanOrEqual(RESTLESS);
        }
      });
    }),
    { numRuns: 30 },
  );
});
