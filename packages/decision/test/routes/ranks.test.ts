// Ranks: which term a route's content is of, as routers see it in MED or LOCAL_PREF, and that nothing but a
// change of content changes it.

import { community } from '@herald/net';
import { describe, expect, test } from 'vitest';
import { decide, emptyMemory } from '../../src/index.ts';
import type { Decided, Decision, World } from '../../src/index.ts';
import { advertisement, decideScene, endpoints, pathsTo, peer, sceneWorld } from './small-world.ts';
import type { PeerSpec, Scene } from './small-world.ts';

const scene: Scene = { services: { web: { on: 'a' }, other: { on: 'b', ips: '203.0.113.2' } } };
const WEB = '203.0.113.1/32 a';
const OTHER = '203.0.113.2/32 b';
const term = (number: number) => 4_000_000_000 - number;

function med(decision: Decision, key: string, peerName = 'tor'): number | undefined {
  return pathsTo(decision, peerName)[key]?.attributes.med;
}

/** The World a moment later, with web's endpoint on another node too. */
function moved(world: World, on: string): World {
  const slice = world.endpointSlices.get('default/web-0')!;
  return {
    ...world,
    endpointSlices: world.endpointSlices.set('default/web-0', { ...slice, endpoints: endpoints(on) }),
  };
}

function lead(world: World, number: number): World {
  return { ...world, leadership: { leading: true, term: number } };
}

/** After a leader that gave the Lease up. */
function succeed(world: World, number: number): World {
  return { ...world, leadership: { leading: true, term: number, handedOver: true } };
}

function hearing(world: World, othersFreshUntilMs: number): World {
  return { ...world, freshness: { ...world.freshness, othersFreshUntilMs } };
}

function follow(world: World): World {
  return { ...world, leadership: { leading: false, term: 0 } };
}

/** Decides one World after the other. */
function history(worlds: readonly World[], from: Decided['memory'] = emptyMemory()): Decided {
  const [first, ...rest] = worlds;
  const start = decide(first ?? sceneWorld(scene), from);
  return rest.reduce<Decided>(({ memory }, world) => decide(world, memory), start);
}

function withDefault(of: World, spec: Parameters<typeof advertisement>[1]): World {
  return { ...of, advertisements: of.advertisements.set('default', advertisement('default', spec)) };
}

const at = (now: number, of: World): World => ({ ...of, now });

const rankedPref = (of: Partial<World['leadership']>) =>
  pathsTo(
    decideScene({
      ...scene,
      leadership: of,
      peers: { tor: { rank: { mode: 'LocalPref', base: undefined } } },
    }).decision,
  )[WEB]?.attributes.localPref ?? 0;

const standby = (standbyMode: World['settings']['standbyMode']): Scene => ({
  ...scene,
  settings: { standbyMode },
  leadership: { leading: false, term: 3 },
});

describe('rank of a prefix', () => {
  const world = sceneWorld(scene);

  test('leading: the term; standing by: the ordinal', () => {
    expect(med(decideScene({ ...scene, leadership: { term: 7 } }).decision, WEB)).toBe(term(7));
    expect(med(decideScene({ ...scene, leadership: { leading: false }, ordinal: 2 }).decision, WEB)).toBe(
      4_100_000_002,
    );
  });

  const rows: (readonly [string, readonly World[], number, number])[] = [
    ['a take-over changes none', [follow(world), lead(world, 9)], 4_100_000_000, 4_100_000_000],
    ['a new term changes none', [lead(world, 8), lead(world, 9)], term(8), term(8)],
    ['losing the lead changes none', [lead(world, 8), follow(world)], term(8), term(8)],
    [
      'what changes takes the current term, alone',
      [lead(world, 8), lead(moved(world, 'a c'), 9)],
      term(9),
      term(8),
    ],
    [
      'what changes while following is a standby again',
      [lead(world, 8), follow(moved(world, 'a c'))],
      4_100_000_000,
      term(8),
    ],
    [
      'what changes and changes back has changed',
      [lead(world, 8), lead(moved(world, 'a c'), 9), lead(world, 9)],
      term(9),
      term(8),
    ],
    [
      'what was gone is new when it comes back',
      [lead(world, 8), lead(moved(world, ''), 9), lead(world, 10)],
      term(10),
      term(8),
    ],
    [
      'an endpoint more on the same node changes nothing',
      [lead(world, 8), lead(moved(world, 'a a'), 9)],
      term(8),
      term(8),
    ],
  ];
  test.each(rows)('%s', (_name, worlds, web, other) => {
    const { decision } = history(worlds);
    expect(med(decision, WEB)).toBe(web);
    expect(med(decision, OTHER)).toBe(other);
  });

  test('who steps aside takes what it ranked as a standby with it, and nothing else', () => {
    const tied = follow(moved(world, 'a c'));
    const aside = { ...tied, replica: { ...tied.replica, ordinal: 5 } };
    const { decision, memory } = history([lead(world, 8), tied, aside]);
    expect(med(decision, WEB)).toBe(4_100_000_005);
    expect(med(decision, OTHER)).toBe(term(8));
    const later = decide({ ...aside, now: 1000 }, memory);
    expect(later.decision.tables).toBe(decision.tables);
  });

  test('a weight is content, where it is announced', () => {
    const weighted = sceneWorld({ ...scene, ads: { default: { nextHops: { weight: 'Endpoints' } } } });
    expect(med(history([lead(weighted, 8), lead(moved(weighted, 'a a'), 9)]).decision, WEB)).toBe(term(9));
  });

  const policies: (readonly [string, (of: World) => World, number])[] = [
    ['a community added', (of) => withDefault(of, { communities: [community('1:1')] }), 9],
    [
      'an advertisement that says the same',
      (of) => ({ ...of, advertisements: of.advertisements.set('more', advertisement('more', {})) }),
      8,
    ],
    ['a peer that comes', (of) => ({ ...of, peers: of.peers.set('new', peer('new', {}, 5)) }), 8],
    [
      'a peer that comes with rules of its own',
      (of) => ({ ...of, peers: of.peers.set('new', peer('new', { localAs: 65_001 }, 5)) }),
      8,
    ],
    [
      'an advertisement for another peer only',
      (of) => ({
        ...of,
        advertisements: of.advertisements.set('more', advertisement('more', { peers: ['none'], med: 4 })),
      }),
      8,
    ],
    [
      'a pool that comes',
      (of) => ({
        ...of,
        pools: of.pools.set('more', { ...of.pools.get('wide')!, name: 'more', ranges: [] }),
      }),
      8,
    ],
  ];
  test.each(policies)('%s', (_name, change, expected) => {
    const { decision } = history([lead(world, 8), change(lead(world, 9))]);
    expect(med(decision, WEB)).toBe(term(expected));
  });

  test('what changes for one peer does not change for the others', () => {
    const two = sceneWorld({ ...scene, peers: { tor: {}, other: {} } });
    const more = advertisement('more', { peers: ['other'], communities: [community('1:1')] });
    const { decision } = history([
      lead(two, 8),
      { ...lead(two, 9), advertisements: two.advertisements.set('more', more) },
    ]);
    expect(med(decision, WEB, 'tor')).toBe(term(8));
    expect(med(decision, WEB, 'other')).toBe(term(9));
  });

  test('a peer that moves to a view of its own keeps the rank of what it is told, unless that changes', () => {
    const shared = sceneWorld(scene);
    const plain = sceneWorld({ ...scene, peers: { tor: { offers: { 4: false, 6: false } } } });
    const { decision } = history([lead(shared, 8), { ...lead(shared, 9), sessions: plain.sessions }]);
    expect(decision.tables.views.size).toBe(1);
    expect(med(decision, WEB)).toBe(term(8));
  });
});

describe('a take-over just after a change', () => {
  const world = sceneWorld(scene);
  const DOUBT_MS = world.settings.doubtMs;
  const STANDBY = 4_100_000_000;

  const changed = moved(world, 'c');
  /** Follows, and web changes meanwhile. */
  const following = (changesMs: number): readonly World[] => [
    at(0, follow(world)),
    at(changesMs, follow(changed)),
  ];

  const rows: (readonly [string, readonly World[], number, number])[] = [
    [
      'outranks what the leader of before may still say',
      [...following(1000), at(7000, lead(changed, 9))],
      term(9),
      STANDBY,
    ],
    [
      'leaves alone what a leader that handed over has seen, while all others are fresh',
      [...following(1000), at(1500, hearing(succeed(changed, 9), Infinity))],
      STANDBY,
      STANDBY,
    ],
    [
      'outranks what somebody who is not heard may still say, whoever handed over',
      [...following(1000), at(1500, hearing(succeed(changed, 9), 400))],
      term(9),
      STANDBY,
    ],
    [
      'outranks what a replica that falls silent later may still say',
      [
        ...following(1000),
        at(1500, hearing(succeed(changed, 9), Infinity)),
        at(12_000, hearing(succeed(changed, 9), 1600)),
      ],
      term(9),
      STANDBY,
    ],
    [
      'outranks whatever a replica says that was never heard',
      [
        ...following(1000),
        at(60_000, hearing(succeed(changed, 9), Infinity)),
        at(70_000, hearing(succeed(changed, 9), -Infinity)),
      ],
      term(9),
      term(9),
    ],
    [
      'outranks what somebody says who is not heard since before the change, however long ago that was',
      [...following(50_000), at(90_000, hearing(lead(changed, 9), 49_000))],
      term(9),
      STANDBY,
    ],
    [
      'leaves alone what that leader has seen as well',
      [...following(1000), at(1001 + DOUBT_MS, lead(changed, 9))],
      STANDBY,
      STANDBY,
    ],
    [
      'leaves alone what this replica found when it began',
      [at(0, follow(world)), at(10, lead(world, 9))],
      STANDBY,
      STANDBY,
    ],
    [
      'leaves alone what it ranked when it led before',
      [
        at(0, lead(world, 8)),
        at(1000, lead(moved(world, 'c'), 8)),
        at(2000, follow(moved(world, 'c'))),
        at(3000, lead(moved(world, 'c'), 9)),
      ],
      term(8),
      term(8),
    ],
  ];
  test.each(rows)('%s', (_name, worlds, web, other) => {
    const { decision } = history(worlds);
    const key = Object.keys(pathsTo(decision, 'tor')).find((path) => path.startsWith('203.0.113.1/32'));
    expect(med(decision, key ?? '')).toBe(web);
    expect(med(decision, OTHER)).toBe(other);
  });
});

describe('how a peer is told', () => {
  const rows: (readonly [string, PeerSpec, Scene, { med: number; localPref: number }])[] = [
    ['MED', {}, {}, { med: term(1000), localPref: 100 }],
    ['MED from another base', { rank: { mode: 'MED', base: 5000 } }, {}, { med: 4000, localPref: 100 }],
    ['MED never below zero', { rank: { mode: 'MED', base: 10 } }, {}, { med: 0, localPref: 100 }],
    [
      'MED of a standby from another base',
      { rank: { mode: 'MED', base: 5000 } },
      { leadership: { leading: false }, ordinal: 1 },
      { med: 100_005_001, localPref: 100 },
    ],
    [
      'LOCAL_PREF',
      { rank: { mode: 'LocalPref', base: undefined } },
      {},
      { med: 0, localPref: 1_000_001_000 },
    ],
    [
      'LOCAL_PREF from another base',
      { rank: { mode: 'LocalPref', base: 500 } },
      {},
      { med: 0, localPref: 1500 },
    ],
    [
      'LOCAL_PREF of a standby',
      { rank: { mode: 'LocalPref', base: 500 } },
      { leadership: { leading: false }, ordinal: 2 },
      { med: 0, localPref: 498 },
    ],
    ['not at all', { rank: { mode: 'None', base: undefined } }, {}, { med: 0, localPref: 100 }],
    ['not where a policy owns MED', {}, { ads: { default: { med: 3 } } }, { med: 3, localPref: 100 }],
    [
      'not where a policy owns LOCAL_PREF',
      { rank: { mode: 'LocalPref', base: undefined } },
      { ads: { default: { localPref: 9 } } },
      { med: 0, localPref: 9 },
    ],
    [
      'MED, where a policy owns LOCAL_PREF',
      {},
      { ads: { default: { localPref: 9 } } },
      { med: term(1000), localPref: 9 },
    ],
  ];
  test.each(rows)('%s', (_name, tor, more, expected) => {
    const { decision } = decideScene({ ...scene, peers: { tor }, ...more });
    expect(pathsTo(decision)[WEB]?.attributes).toMatchObject(expected);
  });

  test('a later term is preferred to an earlier one, and both to a standby', () => {
    expect(rankedPref({ term: 9 })).toBeGreaterThan(rankedPref({ term: 8 }));
    expect(rankedPref({ term: 1 })).toBeGreaterThan(rankedPref({ leading: false }));
  });
});

describe('standby modes', () => {
  test.each([
    ['Hot', 2],
    ['Warm', 0],
    ['Cold', 0],
  ] as const)('%s: a standby announces %d prefixes', (mode, prefixes) => {
    const { decision } = decideScene(standby(mode));
    expect(decision.tables.shared.size).toBe(prefixes);
    expect(decision.services.get('default/web')?.announced).toBe(true);
  });

  test.each(['Warm', 'Cold'] as const)('%s: a take-over announces all in the new term', (mode) => {
    const world = sceneWorld(standby(mode));
    const { decision } = history([world, lead(world, 12)]);
    expect(med(decision, WEB)).toBe(term(12));
    expect(decision.peerRoutes.get('tor')).toMatchObject({ prefixes: 2, paths: 2 });
  });

  test('Warm: losing the lead takes all away, and views stay as empty tables', () => {
    const world = sceneWorld({
      ...standby('Warm'),
      peers: { tor: {}, plain: { offers: { 4: false, 6: false } } },
    });
    const { decision, memory } = history([lead(world, 12), follow(world)]);
    expect(decision.tables.shared.size).toBe(0);
    expect([...decision.tables.views.values()].map(({ size }) => size)).toEqual([0]);
    expect(decide(follow(world), memory).decision.tables).toBe(decision.tables);
  });
});
