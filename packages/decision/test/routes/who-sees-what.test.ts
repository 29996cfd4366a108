// Who is told what, as a matrix of peers and advertisements: a path in the shared table carries the tags of
// just those peers that it is for, and a view holds just what its peer is to be told. A path that somebody may
// not see is the one mistake that no router can mend.

import fc from 'fast-check';
import { community, hash32 } from '@herald/net';
import type { Path, PrefixRoutes } from '@herald/net';
import { describe, expect, test } from 'vitest';
import { decide, emptyMemory } from '../../src/index.ts';
import type { Decision } from '../../src/index.ts';
import {
  advertisement,
  decideScene,
  pathsTo,
  peer,
  retainedFrom,
  routesTo,
  sceneWorld,
  tagsOf,
  told,
} from './small-world.ts';
import type { AdvertisementSpec, PeerSpec, Scene } from './small-world.ts';

const P = '203.0.113.1/32';
const web = (ads: Scene['ads'], peers: Scene['peers'], more: Scene = {}): Scene => ({
  services: { web: { on: 'a b' } },
  ...more,
  ads: ads ?? {},
  peers: peers ?? {},
});

/** Communities that a peer hears with the prefix, from whichever node; undefined when it hears nothing. */
function heard(decision: Decision, name: string): string | undefined {
  const paths = Object.entries(pathsTo(decision, name)).filter(([key]) => key.startsWith(`${P} `));
  const said = paths.map(([, { attributes }]) => attributes.communities.map(({ text }) => text).join(' '));
  return new Set(said).size > 1 ? said.join(' | ') : said[0];
}

const say = (text: string, spec: AdvertisementSpec = {}): AdvertisementSpec => ({
  communities: text.split(' ').map(community),
  ...spec,
});
const to = (...peers: string[]): AdvertisementSpec => ({ peers });
const labelled = (value: string) => [{ matchLabels: { row: value }, matchExpressions: [] }];

const PLAIN: PeerSpec = { addPaths: { mode: 'Disabled', maxPaths: 16 } };

describe('three peers', () => {
  const rows: (readonly [string, Scene['ads'], Record<string, string | undefined>])[] = [
    ['one for all', { all: say('1:1') }, { x: '1:1', y: '1:1', z: '1:1' }],
    ['one for one', { one: say('1:1', to('x')) }, { x: '1:1', y: undefined, z: undefined }],
    ['one for two', { two: say('1:1', to('x', 'z')) }, { x: '1:1', y: undefined, z: '1:1' }],
    [
      'one for each',
      { a: say('1:1', to('x')), b: say('1:2', to('y')), c: say('1:3', to('z')) },
      { x: '1:1', y: '1:2', z: '1:3' },
    ],
    [
      'one for all and one for one',
      { all: say('1:1'), one: say('1:2', to('y')) },
      { x: '1:1', y: '1:1 1:2', z: '1:1' },
    ],
    ['one for all by name', { all: say('1:1', to('x', 'y', 'z')) }, { x: '1:1', y: '1:1', z: '1:1' }],
    ['by label', { row: say('1:1', { peerSelectors: labelled('1') }) }, { x: '1:1', y: '1:1', z: undefined }],
    [
      'by label or name',
      { row: say('1:1', { peerSelectors: labelled('2'), peers: ['x'] }) },
      { x: '1:1', y: undefined, z: '1:1' },
    ],
    ['one for nobody', { none: say('1:1', to('nobody')) }, { x: undefined, y: undefined, z: undefined }],
    [
      'two for overlapping peers',
      { one: say('1:1', to('x', 'y')), two: say('1:2', to('y', 'z')) },
      { x: '1:1', y: '1:1 1:2', z: '1:2' },
    ],
    [
      'a contradiction for one of them',
      { one: say('1:1', { ...to('x', 'y'), med: 1 }), two: say('1:2', { ...to('y', 'z'), med: 2 }) },
      { x: '1:1', y: undefined, z: '1:2' },
    ],
  ];

  const KINDS: (readonly [string, PeerSpec])[] = [
    ['shared', {}],
    ['in views', PLAIN],
    ['with limits', { maxRoutes: 100 }],
  ];

  describe.each(KINDS)('%s', (_kind, spec) => {
    const peers = {
      x: { ...spec, labels: { row: '1' } },
      y: { ...spec, labels: { row: '1' } },
      z: { ...spec, labels: { row: '2' } },
    };
    test.each(rows)('%s', (_name, ads, expected) => {
      const { decision } = decideScene(web(ads, peers));
      expect(Object.fromEntries(['x', 'y', 'z'].map((name) => [name, heard(decision, name)]))).toEqual(
        expected,
      );
    });
  });

  test.each(rows)('one in each kind of place: %s', (_name, ads, expected) => {
    const peers = {
      x: { labels: { row: '1' } },
      y: { ...PLAIN, labels: { row: '1' } },
      z: { maxNextHopSets: 50, labels: { row: '2' } },
    };
    const { decision } = decideScene(web(ads, peers));
    expect(Object.fromEntries(['x', 'y', 'z'].map((name) => [name, heard(decision, name)]))).toEqual(
      expected,
    );
  });
});

const isForEverybody = (scene: Scene) =>
  [...decideScene(scene).decision.tables.shared.values()].every(({ paths }) =>
    paths.every(({ attributes }) => tagsOf(attributes.largeCommunities).join() === '0'),
  );

describe('the tag for everybody', () => {
  const rows: (readonly [string, Scene, boolean])[] = [
    ['one open peer', web({ all: {} }, { x: {} }), true],
    ['two open peers', web({ all: {} }, { x: {}, y: {} }), true],
    [
      'two that differ in what they take: they are told the same',
      web({ all: {} }, { x: {}, y: { addPaths: { mode: 'Auto', maxPaths: 8 } } }),
      true,
    ],
    ['one of another family only', web({ all: {} }, { x: {}, y: { families: [6] } }), true],
    ['an advertisement that names its peers', web({ all: to('x') }, { x: {} }), false],
    [
      'an advertisement that selects its peers',
      web({ all: { peerSelectors: labelled('1') } }, { x: { labels: { row: '1' } } }),
      false,
    ],
    [
      'one that names its peers beside one that does not',
      web({ all: {}, more: to('x', 'y') }, { x: {}, y: {} }),
      false,
    ],
    [
      'a peer with next hops of its own',
      web(
        { all: {} },
        {
          x: { nextHop: { type: 'InternalIP', annotation: undefined, cidrs: [] } },
          y: { nextHop: { type: 'ExternalIP', annotation: undefined, cidrs: [] } },
        },
      ),
      false,
    ],
    ['a peer with a local AS number', web({ all: {} }, { x: { localAs: 65_001 } }), false],
    ['a peer with a rank of its own', web({ all: {} }, { x: { rank: { mode: 'MED', base: 5_000 } } }), false],
    ['a peer without a rank', web({ all: {} }, { x: { rank: { mode: 'None', base: undefined } } }), false],
    [
      'the usual base written out',
      web({ all: {} }, { x: { rank: { mode: 'MED', base: 4_000_000_000 } } }),
      true,
    ],
  ];
  test.each(rows)('%s', (_name, scene, expected) => {
    expect(isForEverybody(scene)).toBe(expected);
  });
});

describe('one path for each prefix in a view without ADD-PATH', () => {
  const rows: (readonly [string, Scene])[] = [
    ['several nodes', web({ all: {} }, { x: PLAIN })],
    ['all nodes', web({ all: { nextHops: { from: 'AllNodes' } } }, { x: PLAIN })],
    ['weights', web({ all: { nextHops: { weight: 'Endpoints' } } }, { x: PLAIN })],
    ['two advertisements', web({ one: { med: 1 }, two: { communities: [community('1:1')] } }, { x: PLAIN })],
    [
      'selected nodes',
      web(
        { one: { nodeSelectors: labelled('1') }, two: {} },
        { x: PLAIN },
        { nodes: { a: { labels: { row: '1' } }, b: {} } },
      ),
    ],
    [
      'both families',
      web({ all: {} }, { x: PLAIN }, { services: { web: { on: 'a b', ips: '203.0.113.1 2001:db8::1' } } }),
    ],
    ['a router that was seen not to take them', web({ all: {} }, { x: { offers: { 4: false, 6: false } } })],
  ];
  test.each(rows)('%s', (_name, scene) => {
    const { decision } = decideScene(scene);
    const routes = routesTo(decision, 'x');
    expect(routes.length).toBeGreaterThan(0);
    routes.forEach(({ paths }) => {
      expect(paths).toHaveLength(1);
      expect(paths.flatMap(({ attributes }) => tagsOf(attributes.largeCommunities))).toEqual([]);
    });
  });
});

describe('for all peers and advertisements', () => {
  const NAMES = ['w', 'x', 'y', 'z'];
  const anyPeer: fc.Arbitrary<PeerSpec> = fc.record(
    {
      families: fc.constantFrom([4, 6], [4], [6]),
      addPaths: fc.constantFrom<NonNullable<PeerSpec['addPaths']>>(
        { mode: 'Auto', maxPaths: 16 },
        { mode: 'Auto', maxPaths: 1 },
        { mode: 'Disabled', maxPaths: 16 },
      ),
      maxRoutes: fc.constantFrom(undefined, 2),
      localAs: fc.constantFrom(undefined, 65_001),
    },
    { requiredKeys: [] },
  );
  const anyAd = fc.record({ peers: fc.subarray(NAMES), all: fc.boolean() });
  const scenes = fc
    .tuple(
      fc.dictionary(fc.constantFrom(...NAMES), anyPeer, { minKeys: 1 }),
      fc.array(anyAd, { minLength: 1, maxLength: 3 }),
    )
    .map(([peers, ads]): { scene: Scene; allowed: (name: string) => string[] } => {
      const specs = ads.map(
        ({ peers: named, all }, i) => [`ad${i}`, say(`9:${i}`, all ? {} : to('nobody', ...named))] as const,
      );
      return {
        scene: web(Object.fromEntries(specs), peers, {
          services: { web: { on: 'a b', ips: '203.0.113.1 2001:db8::1' } },
        }),
        allowed: (name) =>
          specs.flatMap(([, { peers: named = [] }], i) =>
            named.length === 0 || named.includes(name) ? [`9:${i}`] : [],
          ),
      };
    });

  test('no peer hears anything of an advertisement that is not for it, and all of those that are', () => {
    fc.assert(
      fc.property(scenes, ({ scene, allowed }) => {
        const { decision } = decideScene(scene);
        for (const name of Object.keys(scene.peers ?? {})) {
          for (const { attributes } of routesTo(decision, name).flatMap(({ paths }) => paths)) {
            expect(attributes.communities.map(({ text }) => text)).toEqual(allowed(name));
          }
        }
      }),
    );
  });

  test('paths of one prefix in one table have ids of their own', () => {
    fc.assert(
      fc.property(scenes, ({ scene }) => {
        const { shared, views } = decideScene(scene).decision.tables;
        for (const { paths } of [shared, ...views.values()].flatMap((table): PrefixRoutes[] => [
          ...table.values(),
        ])) {
          expect(new Set(paths.map(({ pathId }) => pathId)).size).toBe(paths.length);
          expect(paths.every(({ pathId }) => pathId > 0)).toBe(true);
        }
      }),
    );
  });
});

const pathIds = (decision: Decision, name = 'x') =>
  Object.fromEntries(
    Object.entries(pathsTo(decision, name)).map(([key, { pathId }]: [string, Path]) => [key, pathId]),
  );

describe('a path id does not depend on', () => {
  const base = web({ all: { communities: [community('1:1')] } }, { x: {} });
  const expected = pathIds(decideScene(base).decision);
  const earlier = { ...base, leadership: { term: 3 } };

  const rows: (readonly [string, Scene])[] = [
    ['the term', { leadership: { term: 77 } }],
    ['who leads', { leadership: { leading: false } }],
    ['the ordinal of a standby', { leadership: { leading: false }, ordinal: 5 }],
    ['the UID of the peer', { peers: { x: { uid: 'another' } } }],
    ['other peers', { peers: { x: {}, y: {}, z: PLAIN } }],
    ['a base of the rank', { peers: { x: { rank: { mode: 'MED', base: 9_000 } } } }],
    ['a view', { peers: { x: { offers: { 4: true, 6: false } } } }],
    ['limits', { peers: { x: { maxRoutes: 50, maxNextHopSets: 50 } } }],
    ['weights', { ads: { all: { communities: [community('1:1')], nextHops: { weight: 'Endpoints' } } } }],
    ['what the advertisement says', { ads: { all: { communities: [community('2:2')], asPathPrepend: 2 } } }],
    ['other Services', { services: { web: { on: 'a b' }, other: { on: 'a', ips: '203.0.113.2' } } }],
    ['the number of endpoints', { services: { web: { on: 'a a a b' } } }],
    ['ranks that bgpd retained', { retained: retainedFrom(decideScene(earlier).decision) }],
  ];
  test.each(rows)('%s', (_name, more) => {
    const found = pathIds(decideScene({ ...base, ...more }).decision);
    Object.entries(expected).forEach(([key, id]) => expect(found[key]).toBe(id));
  });

  test('and is another for another node, and for an advertisement of another name', () => {
    expect(expected[`${P} a`]).not.toBe(expected[`${P} b`]);
    const renamed = pathIds(decideScene({ ...base, ads: { other: {} } }).decision);
    expect(renamed[`${P} a`]).not.toBe(expected[`${P} a`]);
    expect(expected[`${P} a`]).toBe(hash32('10.0.0.1|all MED'));
  });
});

const numberOfX = (of: Decision) => of.sessions.peers.find(({ name }) => name === 'x')?.number;

describe('over time', () => {
  const world = sceneWorld(web({ all: say('1:1'), some: say('1:2', to('x')) }, { x: {}, y: {} }));
  const start = decide(world, emptyMemory());

  test('a peer that comes with the name of one that went has another tag', () => {
    const without = decide({ ...world, peers: world.peers.delete('x') }, start.memory);
    const heir = { ...peer('x', {}, 0), uid: 'heir' };
    const after = decide({ ...world, peers: world.peers.set('x', heir) }, without.memory);
    expect(numberOfX(after.decision)).not.toBe(numberOfX(start.decision));
    expect(heard(after.decision, 'x')).toBe('1:1 1:2');
    expect(told(without.decision, 'x')).toEqual({});
  });

  test('an advertisement narrowed to another peer moves with all it says', () => {
    const moved = advertisement('some', say('1:2', to('y')));
    const { decision } = decide(
      { ...world, advertisements: world.advertisements.set('some', moved) },
      start.memory,
    );
    expect([heard(decision, 'x'), heard(decision, 'y')]).toEqual(['1:1', '1:1 1:2']);
  });
});
