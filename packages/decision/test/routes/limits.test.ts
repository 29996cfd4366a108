// When there is more than a router can take: next hops for a prefix, sets of next hops, paths. Stable, spread
// evenly, the youngest first, and said.

import { describe, expect, test } from 'vitest';
import { decide, emptyMemory } from '../../src/index.ts';
import { decideScene, nodeName, node, pathsTo, sceneWorld, told } from './small-world.ts';
import type { NodeSpec, Scene, ServiceSpec } from './small-world.ts';

const V4 = '203.0.113.1/32';

function manyNodes(count: number, spec: (i: number) => NodeSpec = () => ({})): Record<string, NodeSpec> {
  return Object.fromEntries(Array.from({ length: count }, (_, i) => [nodeName(i + 1), spec(i)]));
}

const names = (count: number) => Array.from({ length: count }, (_, i) => nodeName(i + 1)).join(' ');
const split = (text: string | undefined) => (text ?? '').split(' ').filter(Boolean);

const limited = (max: number | undefined, services: Record<string, ServiceSpec>): Scene => ({
  peers: { tor: { maxNextHopSets: max }, free: {} },
  services: Object.fromEntries(
    Object.entries(services).map(([name, spec], i) => [
      name,
      { ips: `203.0.113.${i + 1}`, createdAt: i, ...spec },
    ]),
  ),
});

const hopsIn = (scene: Scene, name = 'tor') => Object.values(told(decideScene(scene).decision, name));

describe('more nodes than may be announced', () => {
  const scene: Scene = { nodes: manyNodes(60), services: { web: { on: names(60) } } };
  const chosen = (more: Scene, name = 'tor') =>
    split(told(decideScene({ ...scene, ...more }).decision, name)[V4]);

  const rows: (readonly [string, Scene, number])[] = [
    ['the limit of the peer, by default 16', {}, 16],
    ['a limit of the peer', { peers: { tor: { addPaths: { mode: 'Auto', maxPaths: 4 } } } }, 4],
    ['a limit of the advertisement', { ads: { it: { nextHops: { max: 3 } } } }, 3],
    ['the smaller of both', { ads: { it: { nextHops: { max: 30 } } } }, 16],
    ['a limit nobody reaches', { peers: { tor: { addPaths: { mode: 'Auto', maxPaths: 64 } } } }, 60],
    ['under Local', { services: { web: { on: names(60), policy: 'Local' } } }, 16],
    [
      'from all nodes',
      { services: { web: { on: 'a' } }, ads: { it: { nextHops: { from: 'AllNodes' } } } },
      16,
    ],
  ];
  test.each(rows)('%s', (_name, more, count) => {
    expect(new Set(chosen(more)).size).toBe(count);
  });

  test.each([['EndpointNodes'], ['AllNodes']] as const)(
    'losing one node changes one next hop, another none (%s)',
    (from) => {
      const world = sceneWorld({ ...scene, ads: { it: { nextHops: { from } } } });
      const start = decide(world, emptyMemory());
      const before = split(told(start.decision)[V4]);
      for (const name of split(names(60))) {
        const { decision } = decide({ ...world, nodes: world.nodes.delete(name) }, start.memory);
        const after = split(told(decision)[V4]);
        expect(after).toHaveLength(16);
        expect(after.filter((each) => !before.includes(each))).toHaveLength(before.includes(name) ? 1 : 0);
      }
    },
  );

  test('a node that comes back takes its old place', () => {
    const world = sceneWorld({ ...scene, ads: { it: { nextHops: { from: 'AllNodes' } } } });
    const start = decide(world, emptyMemory());
    let { memory } = start;
    for (const name of split(names(60))) {
      const away = decide({ ...world, nodes: world.nodes.set(name, node(name, { ready: 'False' })) }, memory);
      const back = decide(world, away.memory);
      expect(told(back.decision)).toEqual(told(start.decision));
      ({ memory } = back);
    }
  });

  test('zones get equal parts, whatever their size', () => {
    const zoned = manyNodes(60, (i) => ({ zone: i < 40 ? 'big' : i < 58 ? 'middle' : 'tiny' }));
    const counts = new Map<string, number>();
    for (const name of chosen({ nodes: zoned })) {
      const { zone = '' } = zoned[name] ?? {};
      counts.set(zone, (counts.get(zone) ?? 0) + 1);
    }
    expect(Object.fromEntries(counts)).toEqual({ big: 7, middle: 7, tiny: 2 });
  });

  test('a zone of its own for a new node makes room for it', () => {
    const world = sceneWorld({ ...scene, ads: { it: { nextHops: { from: 'AllNodes' } } } });
    const { memory } = decide(world, emptyMemory());
    const late = node('n61', { zone: 'other' });
    const { decision } = decide({ ...world, nodes: world.nodes.set('n61', late) }, memory);
    expect(split(told(decision)[V4])).toContain('n61');
  });

  test('prefixes spread over all nodes', () => {
    const services = Object.fromEntries(
      Array.from({ length: 200 }, (_, i) => [`s${i}`, { on: names(60), ips: `203.0.113.${i + 1}` }]),
    );
    const uses = new Map<string, number>();
    for (const hops of Object.values(told(decideScene({ ...scene, services }).decision))) {
      split(hops).forEach((name) => uses.set(name, (uses.get(name) ?? 0) + 1));
    }
    const mean = (200 * 16) / 60;
    expect(uses.size).toBe(60);
    expect(Math.min(...uses.values())).toBeGreaterThan(mean * 0.6);
    expect(Math.max(...uses.values())).toBeLessThan(mean * 1.4);
  });
});

describe('a router without ADD-PATH', () => {
  const scene: Scene = {
    services: Object.fromEntries(
      Array.from({ length: 200 }, (_, i) => [
        `s${i}`,
        { on: 'a b c d', ips: `203.0.113.${i + 1} 2001:db8::${i + 1}` },
      ]),
    ),
  };

  test('gets one next hop for each prefix, and prefixes spread over the nodes', () => {
    const routes = told(
      decideScene({ ...scene, peers: { tor: { offers: { 4: false, 6: false } } } }).decision,
    );
    const uses = new Map<string, number>();
    for (const hops of Object.values(routes)) {
      expect(split(hops)).toHaveLength(1);
      uses.set(hops, (uses.get(hops) ?? 0) + 1);
    }
    expect(Object.keys(routes)).toHaveLength(400);
    expect(Math.min(...uses.values())).toBeGreaterThan(70);
  });

  test('for one family only: all paths for the other', () => {
    const { decision } = decideScene({ ...scene, peers: { tor: { offers: { 4: true, 6: false } } } });
    expect(decision.tables.views.size).toBe(1);
    expect(told(decision)[V4]).toBe('a b c d');
    expect(split(told(decision)['2001:db8::1/128'])).toHaveLength(1);
  });

  test('keeps its policies, and others what they have', () => {
    const { decision } = decideScene({
      ...scene,
      peers: { tor: {}, plain: { addPaths: { mode: 'Disabled', maxPaths: 16 } } },
      ads: {
        default: { peers: ['tor'] },
        theirs: { peers: ['plain'], med: 7, nodeSelectors: [{ matchLabels: {}, matchExpressions: [] }] },
      },
    });
    expect(told(decision, 'tor')[V4]).toBe('a b c d');
    expect(Object.values(pathsTo(decision, 'plain')).every(({ attributes }) => attributes.med === 7)).toBe(
      true,
    );
  });
});

describe('maxNextHopSets', () => {
  const four = { s1: { on: 'a' }, s2: { on: 'b' }, s3: { on: 'c' }, s4: { on: 'a' } };

  const rows: (readonly [string, Scene, string[]])[] = [
    ['room for all', limited(3, four), ['a', 'b', 'c', 'a']],
    [
      'the youngest share the set of all nodes, an old set stays in use',
      limited(2, four),
      ['a', 'a b c d', 'a b c d', 'a'],
    ],
    ['room for one', limited(1, four), ['a b c d', 'a b c d', 'a b c d', 'a b c d']],
    [
      'Local cannot share',
      limited(2, { s1: { on: 'a' }, s2: { on: 'b', policy: 'Local' }, s3: { on: 'c' } }),
      ['a b c d', 'b', 'a b c d'],
    ],
    [
      'age is not order of names',
      limited(2, { s1: { on: 'a', createdAt: 9 }, s2: { on: 'b' }, s3: { on: 'c' } }),
      ['a b c d', 'b', 'a b c d'],
    ],
  ];
  test.each(rows)('%s', (_name, scene, expected) => {
    expect(hopsIn(scene)).toEqual(expected);
    expect(hopsIn(scene, 'free')).toEqual(Object.values(scene.services ?? {}).map(({ on }) => on));
  });

  test('is counted and said', () => {
    const { decision } = decideScene(limited(2, four));
    expect(decision.peerRoutes.get('tor')?.nextHopSets).toBe(2);
    expect(decision.peerRoutes.get('free')?.nextHopSets).toBe(3);
    expect(decision.services.get('default/s2')?.remarks).toEqual(['NextHopSetLimit']);
    expect(decision.services.get('default/s1')?.remarks).toEqual([]);
  });

  test('the shared set follows the nodes', () => {
    const world = sceneWorld(limited(2, four));
    const { memory } = decide(world, emptyMemory());
    const less = decide({ ...world, nodes: world.nodes.set('d', node('d', { ready: 'False' })) }, memory);
    expect(Object.values(told(less.decision))).toEqual(['a', 'a b c', 'a b c', 'a']);
    const more = decide({ ...world, nodes: world.nodes.set('e', node('e')) }, less.memory);
    expect(Object.values(told(more.decision))).toEqual(['a', 'a b c d e', 'a b c d e', 'a']);
  });

  test('room that comes is used, oldest first', () => {
    const world = sceneWorld(limited(2, four));
    const { memory } = decide(world, emptyMemory());
    const { decision } = decide({ ...world, services: world.services.delete('default/s3') }, memory);
    expect(Object.values(told(decision))).toEqual(['a', 'b', 'a']);
  });
});

describe('maxRoutes', () => {
  const services = {
    old: { on: 'a b c', ips: '203.0.113.1', createdAt: 1 },
    middle: { on: 'a b c', ips: '203.0.113.2', createdAt: 2 },
    young: { on: 'a b c', ips: '203.0.113.3', createdAt: 3 },
  };
  const widths = (maxRoutes: number) =>
    Object.values(told(decideScene({ services, peers: { tor: { maxRoutes } } }).decision)).map(
      (text) => split(text).length,
    );

  const rows: (readonly [number, number[]])[] = [
    [10, [3, 3, 3]],
    [9, [3, 3, 3]],
    [8, [3, 3, 2]],
    [6, [3, 2, 1]],
    [3, [1, 1, 1]],
    [2, [1, 1]],
    [1, [1]],
  ];
  test.each(rows)('%d: every prefix a path, then all paths of the oldest', (maxRoutes, expected) => {
    expect(widths(maxRoutes)).toEqual(expected);
  });

  test('is counted and said, and others are told everything', () => {
    const { decision } = decideScene({ services, peers: { tor: { maxRoutes: 2 }, free: {} } });
    expect(decision.peerRoutes.get('tor')).toEqual({
      prefixes: 2,
      paths: 2,
      nextHopSets: 2,
      trimmedPaths: 7,
    });
    expect(decision.peerRoutes.get('free')).toMatchObject({ prefixes: 3, paths: 9, trimmedPaths: 0 });
    expect(decision.services.get('default/young')).toMatchObject({ announced: true, remarks: ['MaxRoutes'] });
  });

  test('a Service that no peer has room for is not announced', () => {
    const { decision } = decideScene({ services, peers: { tor: { maxRoutes: 2 } } });
    expect(decision.services.get('default/young')).toMatchObject({ announced: false, reason: 'MaxRoutes' });
  });

  test('one Service more changes only the youngest routes', () => {
    const world = sceneWorld({ services, peers: { tor: { maxRoutes: 8 } } });
    const start = decide(world, emptyMemory());
    const more = sceneWorld({
      services: { ...services, new: { on: 'a', ips: '203.0.113.4', createdAt: 4 } },
      peers: { tor: { maxRoutes: 8 } },
    });
    const { decision } = decide(
      { ...world, services: more.services, endpointSlices: more.endpointSlices },
      start.memory,
    );
    expect(decision.tables.shared.changedKeys(start.decision.tables.shared).sort()).toEqual([
      '203.0.113.3/32',
      '203.0.113.4/32',
    ]);
  });
});
