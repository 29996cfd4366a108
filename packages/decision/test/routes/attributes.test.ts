// What routes say: attributes of advertisements, how overlapping ones meet, who is told what, path ids.

import { community, hash32, prefix } from '@herald/net';
import type { Path } from '@herald/net';
import { describe, expect, test } from 'vitest';
import { decide, emptyMemory } from '../../src/index.ts';
import {
  advertisement,
  decideScene,
  pathsTo,
  peer,
  reasons,
  routesTo,
  sceneWorld,
  tagsOf,
  told,
} from './small-world.ts';
import type { AdvertisementSpec, Scene } from './small-world.ts';

const V4 = '203.0.113.1/32';
const web: Scene = { services: { web: { on: 'a b' } } };

function said({ attributes }: Path | undefined = {} as Path) {
  const { communities, largeCommunities, localPref, med, asPath } = attributes;
  return {
    communities: communities.map(({ text }) => text),
    large: largeCommunities.map(({ text }) => text).filter((text) => !text.startsWith('4294967295:')),
    localPref,
    med,
    asPath,
  };
}

function saidFor(ads: Scene['ads'], node = 'a') {
  const { decision } = decideScene({ ...web, ads: ads ?? {} });
  return said(pathsTo(decision)[`${V4} ${node}`]);
}

const rack = (name: string) => [{ matchLabels: { rack: name }, matchExpressions: [] }];

const labelled = (key: string, value: string) => [{ matchLabels: { [key]: value }, matchExpressions: [] }];

const bandwidths = (scene: Scene, node: string) =>
  pathsTo(decideScene(scene).decision)[`${V4} ${node}`]?.attributes.linkBandwidth;

const sharedTags = (scene: Scene) =>
  [...decideScene({ ...web, ...scene }).decision.tables.shared.values()].map(({ paths }) =>
    paths.map(({ attributes }) => tagsOf(attributes.largeCommunities)),
  );

const numbersOf = (scene: Scene) =>
  Object.fromEntries(
    decideScene({ ...web, ...scene }).decision.sessions.peers.map(({ name, number }) => [name, number]),
  );

const idsIn = (scene: Scene, peerName = 'tor') =>
  Object.fromEntries(
    Object.entries(pathsTo(decideScene({ ...web, ...scene }).decision, peerName)).map(([key, { pathId }]) => [
      key,
      pathId,
    ]),
  );

const clashing = (scene: Scene) =>
  (decideScene(scene).decision.tables.shared.get(V4)?.paths ?? []).map(({ nextHop, pathId }) => [
    nextHop.text,
    pathId,
  ]);

describe('attributes', () => {
  const nothing = { communities: [], large: [], localPref: 100, med: 3_999_999_000, asPath: [] };
  const rows: (readonly [string, AdvertisementSpec, object])[] = [
    ['nothing asked for', {}, nothing],
    [
      'communities of each kind',
      { communities: ['no-export', '65000:2', '65000:1', '65000:1:2'].map(community) },
      { ...nothing, communities: ['65000:1', '65000:2', 'no-export'], large: ['65000:1:2'] },
    ],
    ['LOCAL_PREF', { localPref: 250 }, { ...nothing, localPref: 250 }],
    ['MED instead of a rank', { med: 7 }, { ...nothing, med: 7 }],
    ['MED 0 instead of a rank', { med: 0 }, { ...nothing, med: 0 }],
    ['prepending', { asPathPrepend: 3 }, { ...nothing, asPath: [64_500, 64_500, 64_500] }],
  ];
  test.each(rows)('%s', (_name, spec, expected) => {
    expect(saidFor({ default: spec })).toEqual(expected);
  });

  test('every node has the same', () => {
    expect(saidFor({ default: { med: 7, localPref: 5 } }, 'b')).toEqual(
      saidFor({ default: { med: 7, localPref: 5 } }, 'a'),
    );
  });

  test('a reserved community refuses the advertisement, and the others stay in force', () => {
    const { decision } = decideScene({
      ...web,
      ads: { bad: { communities: [community('4294967295:1:0')] }, good: { med: 5 } },
    });
    expect(said(pathsTo(decision)[`${V4} a`])).toMatchObject({ med: 5, large: [] });
    expect(decision.advertisements.get('bad')).toMatchObject({
      accepted: false,
      reason: 'ReservedCommunity',
      services: 0,
      prefixes: 0,
    });
    expect(decision.advertisements.get('good')).toMatchObject({
      accepted: true,
      reason: 'Accepted',
      services: 1,
      prefixes: 1,
    });
  });
});

describe('advertisements that overlap', () => {
  const rows: (readonly [string, AdvertisementSpec, AdvertisementSpec, object])[] = [
    [
      'unite communities',
      { communities: [community('1:1'), community('1:2')] },
      { communities: [community('1:2'), community('1:3')] },
      { communities: ['1:1', '1:2', '1:3'] },
    ],
    [
      'agree where only one says something',
      { localPref: 200 },
      { med: 9, asPathPrepend: 1 },
      { localPref: 200, med: 9, asPath: [64_500] },
    ],
    [
      'agree where both say the same',
      { localPref: 200, med: 1 },
      { localPref: 200, med: 1 },
      { localPref: 200, med: 1 },
    ],
  ];
  test.each(rows)('%s', (_name, one, two, expected) => {
    expect(saidFor({ one, two })).toMatchObject(expected);
    expect(saidFor({ two: one, one: two })).toMatchObject(expected);
  });

  const contradictions: (readonly [string, AdvertisementSpec, AdvertisementSpec])[] = [
    ['LOCAL_PREF', { localPref: 200 }, { localPref: 300 }],
    ['MED', { med: 0 }, { med: 1 }],
    ['prepending', { asPathPrepend: 1 }, { asPathPrepend: 2 }],
    ['number of next hops', { nextHops: { max: 1 } }, { nextHops: { max: 2 } }],
  ];
  test.each(contradictions)(
    'contradict each other in %s: nothing is announced, nothing guessed',
    (_name, one, two) => {
      const { decision } = decideScene({ ...web, ads: { one, two } });
      expect(told(decision)).toEqual({});
      expect(reasons(decision)).toEqual({ web: 'AdvertisementConflict' });
      for (const name of ['one', 'two']) {
        const refused = { reason: 'AdvertisementConflict', services: 1, prefixes: 0 };
        expect(decision.advertisements.get(name)).toMatchObject(refused);
      }
    },
  );

  test('a contradiction for one peer leaves the other peers alone, and is said', () => {
    const { decision } = decideScene({
      ...web,
      peers: { tor: {}, other: {} },
      ads: { one: { med: 1 }, two: { med: 2, peers: ['other'] } },
    });
    expect(told(decision, 'tor')).toEqual({ [V4]: 'a b' });
    expect(told(decision, 'other')).toEqual({});
    expect(decision.services.get('default/web')).toMatchObject({
      announced: true,
      remarks: ['AdvertisementConflict'],
    });
  });

  test('a contradiction ends with the advertisement that made it', () => {
    const world = sceneWorld({ ...web, ads: { one: { med: 1 }, two: { med: 2 } } });
    const { memory } = decide(world, emptyMemory());
    const { decision } = decide({ ...world, advertisements: world.advertisements.delete('two') }, memory);
    expect(told(decision)).toEqual({ [V4]: 'a b' });
    expect(decision.advertisements.get('one')?.reason).toBe('Accepted');
    expect(decision.advertisements.has('two')).toBe(false);
  });

  test('on different nodes they do not meet: each node has its own attributes', () => {
    const scene: Scene = {
      ...web,
      nodes: { a: { labels: { rack: '1' } }, b: { labels: { rack: '2' } } },
      ads: {
        one: { nodeSelectors: rack('1'), localPref: 200 },
        two: { nodeSelectors: rack('2'), localPref: 50 },
      },
    };
    const paths = pathsTo(decideScene(scene).decision);
    expect(said(paths[`${V4} a`])).toMatchObject({ localPref: 200 });
    expect(said(paths[`${V4} b`])).toMatchObject({ localPref: 50 });
  });

  test('all nodes of one rack, and nodes with endpoints of any', () => {
    const { decision } = decideScene({
      services: { web: { on: 'c' } },
      nodes: { a: { labels: { rack: '1' } }, b: { labels: { rack: '1' } }, c: {}, d: {} },
      ads: {
        default: {},
        rack: {
          nodeSelectors: [{ matchLabels: { rack: '1' }, matchExpressions: [] }],
          nextHops: { from: 'AllNodes' },
          med: 3,
        },
      },
    });
    expect(told(decision)).toEqual({ [V4]: 'a b c' });
    expect(said(pathsTo(decision)[`${V4} a`])).toMatchObject({ med: 3 });
    expect(said(pathsTo(decision)[`${V4} c`]).med).toBeGreaterThan(1000);
  });
});

describe('selection', () => {
  const scene: Scene = {
    nodes: { a: { labels: { rack: '1' } }, b: { labels: { rack: '2' } } },
    pools: {
      gold: { ranges: '203.0.113.0/28', labels: { tier: 'gold' } },
      rest: { ranges: '203.0.113.16/28' },
    },
    services: {
      one: { on: 'a b', ips: '203.0.113.1', labels: { app: 'one' } },
      two: { on: 'a b', ips: '203.0.113.17' },
    },
    peers: { tor: { labels: { side: 'left' } }, other: {} },
  };
  const ONE = '203.0.113.1/32';
  const TWO = '203.0.113.17/32';
  const both = { [ONE]: 'a b', [TWO]: 'a b' };

  const rows: (readonly [string, AdvertisementSpec, Record<string, string>, Record<string, string>])[] = [
    ['everything', {}, both, both],
    ['pool', { pools: ['rest'] }, { [TWO]: 'a b' }, { [TWO]: 'a b' }],
    ['pool that does not exist', { pools: ['none'] }, {}, {}],
    ['pool label', { poolSelectors: labelled('tier', 'gold') }, { [ONE]: 'a b' }, { [ONE]: 'a b' }],
    ['pool or pool label', { pools: ['rest'], poolSelectors: labelled('tier', 'gold') }, both, both],
    ['Service label', { serviceSelectors: labelled('app', 'one') }, { [ONE]: 'a b' }, { [ONE]: 'a b' }],
    ['peer', { peers: ['other'] }, {}, both],
    ['peer label', { peerSelectors: labelled('side', 'left') }, both, {}],
    ['peer or peer label', { peers: ['other'], peerSelectors: labelled('side', 'left') }, both, both],
    ['peer that does not exist', { peers: ['none'] }, {}, {}],
    [
      'node label',
      { nodeSelectors: labelled('rack', '2') },
      { [ONE]: 'b', [TWO]: 'b' },
      { [ONE]: 'b', [TWO]: 'b' },
    ],
    ['node label that no node has', { nodeSelectors: labelled('rack', '3') }, {}, {}],
  ];
  test.each(rows)('by %s', (_name, spec, tor, other) => {
    const { decision } = decideScene({ ...scene, ads: { it: spec } });
    expect(told(decision, 'tor')).toEqual(tor);
    expect(told(decision, 'other')).toEqual(other);
  });

  test('a node that is relabelled leaves', () => {
    const world = sceneWorld({ ...scene, ads: { it: { nodeSelectors: labelled('rack', '2') } } });
    const { memory } = decide(world, emptyMemory());
    const moved = { ...world.nodes.get('b')!, labels: { rack: '1' } };
    const joined = { ...world.nodes.get('a')!, labels: { rack: '2' } };
    const { decision } = decide(
      {
        ...world,
        nodes: world.nodes.with([
          ['a', joined],
          ['b', moved],
        ]),
      },
      memory,
    );
    expect(told(decision)).toEqual({ [ONE]: 'a', [TWO]: 'a' });
  });

  test('a selector changed to match nothing takes only its own routes', () => {
    const ads = { one: { serviceSelectors: labelled('app', 'one') }, rest: { pools: ['rest'] } };
    const world = sceneWorld({ ...scene, ads });
    const start = decide(world, emptyMemory());
    const none = advertisement('one', { serviceSelectors: labelled('app', 'none') });
    const { decision } = decide(
      { ...world, advertisements: world.advertisements.set('one', none) },
      start.memory,
    );
    expect(told(decision)).toEqual({ [TWO]: 'a b' });
    expect(decision.tables.shared.get(TWO)).toBe(start.decision.tables.shared.get(TWO));
    expect(decision.advertisements.get('one')).toMatchObject({
      accepted: true,
      reason: 'SelectsNothing',
      services: 0,
    });
  });

  test('of two pools with one address the older one names it', () => {
    const pools = {
      younger: { ranges: '203.0.113.0/24', createdAt: 2 },
      older: { ranges: '203.0.113.0/24', createdAt: 1 },
    };
    const byPool = (name: string) =>
      told(decideScene({ ...scene, pools, ads: { it: { pools: [name] } } }).decision);
    expect(byPool('older')).toEqual(both);
    expect(byPool('younger')).toEqual({});
  });
});

describe('verdicts on advertisements', () => {
  const rows: (readonly [string, AdvertisementSpec, Scene['peers'], string])[] = [
    ['LOCAL_PREF for external peers only', { localPref: 5 }, { tor: {} }, 'LocalPrefNotSent'],
    [
      'LOCAL_PREF for an internal peer too',
      { localPref: 5 },
      { tor: {}, rr: { remoteAs: 'internal' } },
      'Accepted',
    ],
    [
      'an aggregate whose unassigned addresses would loop',
      { aggregation: { length: 24 } },
      { tor: {} },
      'AggregateUnsafe',
    ],
    ['no peer', { peers: ['none'] }, { tor: {} }, 'SelectsNothing'],
    ['no Service', { pools: ['none'] }, { tor: {} }, 'SelectsNothing'],
  ];
  test.each(rows)('%s', (_name, spec, peers, reason) => {
    const { decision } = decideScene({ ...web, peers: peers ?? {}, ads: { it: spec } });
    expect(decision.advertisements.get('it')?.reason).toBe(reason);
  });

  test('a Service whose endpoints are gone for the moment is selected as before', () => {
    const ads = { it: {} };
    const start = decideScene({ ...web, ads });
    const { decision } = decide(sceneWorld({ services: { web: { on: 'a:off b:off' } }, ads }), start.memory);
    const verdicts = [start.decision, decision].map(({ advertisements }) => advertisements.get('it'));
    expect(verdicts).toMatchObject([
      { reason: 'Accepted', services: 1, prefixes: 1 },
      { reason: 'Accepted', services: 1, prefixes: 0 },
    ]);
  });
});

describe('weights', () => {
  const weighted: Scene = {
    services: { web: { on: 'a a a b c:off' } },
    ads: { it: { nextHops: { weight: 'Endpoints' } } },
  };

  test('three to one for three endpoints and one', () => {
    expect(bandwidths(weighted, 'a')).toEqual({ asn: 64_500, bytesPerSecond: 375_000 });
    expect(bandwidths(weighted, 'b')).toEqual({ asn: 64_500, bytesPerSecond: 125_000 });
  });

  test('a four-octet AS number does not fit the community', () => {
    expect(bandwidths({ ...weighted, settings: { asn: 4_200_000_000 } }, 'b')?.asn).toBe(23_456);
  });

  test('none unless asked for', () => {
    expect(bandwidths({ ...weighted, ads: { it: {} } }, 'a')).toBeUndefined();
  });

  test('nodes without endpoints weigh as one', () => {
    const all: Scene = { ...weighted, ads: { it: { nextHops: { weight: 'Endpoints', from: 'AllNodes' } } } };
    expect(bandwidths(all, 'd')?.bytesPerSecond).toBe(125_000);
    expect(bandwidths(all, 'a')?.bytesPerSecond).toBe(375_000);
  });

  test('a weight that changes keeps the path id', () => {
    const before = pathsTo(decideScene(weighted).decision)[`${V4} a`];
    const after = pathsTo(decideScene({ ...weighted, services: { web: { on: 'a b' } } }).decision)[`${V4} a`];
    expect(after?.pathId).toBe(before?.pathId);
    expect(after?.attributes).not.toEqual(before?.attributes);
  });
});

describe('export tags', () => {
  const peers = { tor: {}, other: {} };

  test('everybody is one tag', () => {
    expect(sharedTags({ peers })).toEqual([[[0], [0]]]);
  });

  test('an advertisement for some peers names them, even if they are all there are', () => {
    const scene = { peers, ads: { it: { peers: ['tor', 'other'] } } };
    const { tor = 0, other = 0 } = numbersOf(scene);
    const both = [tor, other].sort((a, b) => a - b);
    expect(sharedTags(scene)).toEqual([[both, both]]);
  });

  test('peers with rules of their own are named, and what they are told is theirs alone', () => {
    const scene: Scene = {
      peers: {
        ...peers,
        narrow: { nextHop: { type: 'InternalIP', annotation: undefined, cidrs: [prefix('10.0.0.1/32')] } },
      },
    };
    const { decision } = decideScene({ ...web, ...scene });
    expect(told(decision, 'narrow')).toEqual({ [V4]: 'a' });
    expect(told(decision, 'tor')).toEqual({ [V4]: 'a b' });
    expect(sharedTags(scene).flat(2)).not.toContain(0);
  });

  test('peers of one family are not asked for a tag of the other', () => {
    const scene: Scene = { peers: { tor: {}, six: { families: [6] } } };
    expect(sharedTags(scene)).toEqual([[[0], [0]]]);
  });

  test('a peer that comes changes tags only, and never what others are told', () => {
    const world = sceneWorld({ ...web, peers: { tor: {} }, ads: { it: { peers: ['tor'] } } });
    const start = decide(world, emptyMemory());
    const { decision } = decide(
      { ...world, peers: world.peers.set('new', peer('new', {}, 7)) },
      start.memory,
    );
    expect(routesTo(decision, 'new')).toEqual([]);
    expect(pathsTo(decision, 'tor')).toEqual(pathsTo(start.decision, 'tor'));
  });

  test('views carry no tags', () => {
    const { decision } = decideScene({ ...web, peers: { plain: { offers: { 4: false, 6: false } } } });
    const [path] = routesTo(decision, 'plain').flatMap(({ paths }) => paths);
    expect(path && tagsOf(path.attributes.largeCommunities)).toEqual([]);
  });
});

describe('path ids', () => {
  const before = idsIn({});

  test('come from next hop and class', () => {
    expect(before).toEqual({
      [`${V4} a`]: hash32('10.0.0.1|default MED'),
      [`${V4} b`]: hash32('10.0.0.2|default MED'),
    });
  });

  const rows: (readonly [string, Scene])[] = [
    ['a community', { ads: { default: { communities: [community('1:1')] } } }],
    ['a term', { leadership: { term: 5 } }],
    ['standing by', { leadership: { leading: false } }],
    ['a peer', { peers: { tor: {}, other: {} } }],
    ['another node', { services: { web: { on: 'a b c' } } }],
    ['weights', { ads: { default: { nextHops: { weight: 'Endpoints' } } } }],
  ];
  test.each(rows)('%s does not change them', (_name, scene) => {
    expect(idsIn(scene)).toMatchObject(before);
  });

  test('groups that are told different things of one next hop have a path each', () => {
    const scene: Scene = {
      ...web,
      peers: { tor: {}, other: {} },
      ads: { default: {}, more: { peers: ['other'], communities: [community('1:1')] } },
    };
    const { decision } = decideScene(scene);
    const paths = decision.tables.shared.get(V4)?.paths ?? [];
    expect(paths).toHaveLength(4);
    expect(new Set(paths.map(({ pathId }) => pathId)).size).toBe(4);
    expect(paths.map(({ pathId }) => pathId)).toEqual(
      paths.map(({ pathId }) => pathId).toSorted((a, b) => a - b),
    );
    expect(idsIn(scene, 'tor')).toEqual(before);
  });

  test('groups that are told the same share the path', () => {
    const { decision } = decideScene({
      ...web,
      peers: { tor: {}, other: {} },
      ads: { one: { peers: ['tor'] }, two: { peers: ['other'] } },
    });
    expect(decision.tables.shared.get(V4)?.paths).toHaveLength(2);
    expect(told(decision, 'tor')).toEqual({ [V4]: 'a b' });
    expect(told(decision, 'other')).toEqual({ [V4]: 'a b' });
  });

  test('that clash move apart, the same way for every audience and order of names', () => {
    const [one, two] = ['10.0.230.130', '10.1.95.30'];
    expect(hash32(`${one}|default MED`)).toBe(hash32(`${two}|default MED`));
    const expected = [
      [one, 2_798_616_917],
      [two, 2_798_616_918],
    ];
    expect(clashing({ ...web, nodes: { a: { ips: one }, b: { ips: two } } })).toEqual(expected);
    expect(clashing({ ...web, nodes: { a: { ips: two }, b: { ips: one } } })).toEqual(expected);
    expect(
      clashing({
        ...web,
        nodes: { a: { ips: two }, b: { ips: one } },
        peers: { tor: {}, other: { maxRoutes: 100 } },
      }),
    ).toEqual(expected);
  });

  test('equal paths of different prefixes are one object', () => {
    const { decision } = decideScene({
      services: { one: { on: 'a' }, two: { on: 'a', ips: '203.0.113.2' } },
    });
    const [one, two] = [...decision.tables.shared.values()];
    expect(one?.paths[0]).toBe(two?.paths[0]);
  });
});
