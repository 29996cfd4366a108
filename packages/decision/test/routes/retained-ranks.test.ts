// A process that ends and another that begins: the ranks that bgpd retained are adopted where the content is the
// same, so that what is announced again is what bgpd has, path by path; where it is not, the rank is of now.

import { community } from '@herald/net';
import type { RouteTable } from '@herald/net';
import { describe, expect, test } from 'vitest';
import { decide, emptyMemory } from '../../src/index.ts';
import type { Decision, World } from '../../src/index.ts';
import { endpoints, pathsTo, retainedFrom, sceneWorld } from './small-world.ts';
import type { Scene } from './small-world.ts';

const SERVICES: NonNullable<Scene['services']> = {
  web: { on: 'a b' },
  other: { on: 'b c', ips: '203.0.113.2' },
};
const term = (number: number) => 4_000_000_000 - number;

function lead(world: World, number: number): World {
  return { ...world, leadership: { leading: true, term: number } };
}

function moved(world: World, on: string): World {
  const slice = world.endpointSlices.get('default/other-0')!;
  return {
    ...world,
    endpointSlices: world.endpointSlices.set('default/other-0', { ...slice, endpoints: endpoints(on) }),
  };
}

/** The earlier process: `web` is of term 8, `other` changed in term 9. */
function earlier(scene: Scene): Decision {
  const world = sceneWorld(scene);
  const { memory } = decide(lead(moved(world, 'c'), 8), emptyMemory());
  return decide(lead(world, 9), memory).decision;
}

function restarted(world: World, before: Decision): Decision {
  return decide({ ...world, retained: retainedFrom(before) }, emptyMemory()).decision;
}

function content(table: RouteTable): Record<string, readonly string[]> {
  return Object.fromEntries(
    [...table]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([prefix, { paths }]) => [
        prefix,
        paths.map(({ pathId, nextHop, attributes }) => `${pathId} ${nextHop.text} ${attributes.key}`),
      ]),
  );
}

function announced({ tables }: Decision) {
  return [content(tables.shared), ...Array.from(tables.views, ([name, table]) => [name, content(table)])];
}

const SCENES: Readonly<Record<string, Scene>> = {
  'one peer': {},
  'ranks in LOCAL_PREF': { peers: { tor: { rank: { mode: 'LocalPref', base: undefined } } } },
  'ranks from another base': { peers: { tor: { rank: { mode: 'MED', base: 4_100_000_000 } } } },
  'no ranks': { peers: { tor: { rank: { mode: 'None', base: undefined } } } },
  'two peers without ranks that are told the same': {
    peers: {
      tor: { rank: { mode: 'None', base: undefined } },
      other: {
        rank: { mode: 'None', base: undefined },
        nextHop: { type: 'InternalIP', cidrs: [], annotation: '' },
      },
    },
  },
  'a policy that owns MED': { ads: { default: { med: 7 } } },
  weights: { ads: { default: { nextHops: { weight: 'Endpoints' } } } },
  'communities and prepending': {
    ads: {
      default: { communities: ['65000:1', 'no-export', 'large:1:2:3'].map(community), asPathPrepend: 3 },
    },
  },
  'a view': { peers: { tor: {}, plain: { offers: { 4: false, 6: false } } } },
  'peers that are told different things': {
    peers: { tor: {}, other: {}, third: { localAs: 65_001 } },
    ads: { default: {}, more: { peers: ['other'], communities: [community('1:1')] } },
  },
  'a limit': { peers: { tor: { maxRoutes: 3 } } },
  'an aggregate': { ads: { default: { aggregation: { length: 24, unassigned: 'RouterDiscards' } } } },
};

describe('announced again as bgpd has it', () => {
  test.each(Object.entries(SCENES))('%s', (_name, more) => {
    const scene = { services: SERVICES, ...more };
    const before = earlier(scene);
    const world = sceneWorld(scene);
    expect(announced(restarted(lead(world, 9), before))).toEqual(announced(before));
    expect(announced(restarted(lead(world, 50), before))).toEqual(announced(before));
    const following = { ...world, leadership: { leading: false, term: 50 } };
    expect(announced(restarted(following, before))).toEqual(announced(before));
  });
});

function meds(decision: Decision, name = 'tor'): Record<string, number> {
  const paths = Object.entries(pathsTo(decision, name));
  return Object.fromEntries(paths.map(([key, { attributes }]) => [key, attributes.med]));
}

describe('the rank of now', () => {
  const scene: Scene = { services: SERVICES };
  const world = lead(sceneWorld(scene), 50);
  const before = earlier(scene);
  const OLD = { '203.0.113.1/32 a': term(8), '203.0.113.1/32 b': term(8) };

  test.each<readonly [string, string, Record<string, number>]>([
    ['a next hop more', 'b c d', { '203.0.113.2/32 b': 50, '203.0.113.2/32 c': 50, '203.0.113.2/32 d': 50 }],
    ['a next hop less', 'b', { '203.0.113.2/32 b': 50 }],
    ['another next hop', 'b d', { '203.0.113.2/32 b': 50, '203.0.113.2/32 d': 50 }],
    ['the same', 'b c', { '203.0.113.2/32 b': 9, '203.0.113.2/32 c': 9 }],
  ])('%s', (_name, on, expected) => {
    const other = Object.entries(expected).map(([key, number]) => [key, term(number)]);
    expect(meds(restarted(moved(world, on), before))).toEqual({ ...OLD, ...Object.fromEntries(other) });
  });

  test('what bgpd has not: nothing to adopt', () => {
    const none = decide(world, emptyMemory()).decision;
    expect(new Set(Object.values(meds(none)))).toEqual(new Set([term(50)]));
  });

  test('another community, and nobody else has it', () => {
    const coloured = sceneWorld({ ...scene, ads: { default: { communities: [community('1:1')] } } });
    expect(new Set(Object.values(meds(restarted(lead(coloured, 50), before))))).toEqual(new Set([term(50)]));
  });

  test('for the peer whose content changed, alone', () => {
    const two: Scene = { ...scene, peers: { tor: {}, other: {} } };
    const more = { default: {}, more: { peers: ['other'], communities: [community('1:1')] } };
    const decision = restarted(lead(sceneWorld({ ...two, ads: more }), 50), earlier(two));
    expect(meds(decision, 'tor')).toMatchObject(OLD);
    expect(new Set(Object.values(meds(decision, 'other')))).toEqual(new Set([term(50)]));
  });

  test('a peer more changes no rank of what others are told already', () => {
    const two = sceneWorld({ ...scene, peers: { tor: {}, new: {} } });
    expect(meds(restarted(lead(two, 50), before), 'tor')).toMatchObject(OLD);
  });

  test('paths of one prefix that were left with different ranks are no content of one term', () => {
    const retained = retainedFrom(before);
    const later = retainedFrom(decide(lead(world, 49), emptyMemory()).decision);
    const prefix = '203.0.113.1/32';
    const [first] = retained.get('')?.get(prefix) ?? [];
    const [, second] = later.get('')?.get(prefix) ?? [];
    const mixed = new Map([['', new Map([[prefix, [first!, second!]]])]]);
    const { decision } = decide({ ...world, retained: mixed }, emptyMemory());
    expect(meds(decision)['203.0.113.1/32 a']).toBe(term(50));
  });

  test('what is adopted is adopted once', () => {
    const kept = { ...world, retained: retainedFrom(before) };
    const { memory } = decide(moved(kept, ''), emptyMemory());
    expect(meds(decide(kept, memory).decision)['203.0.113.2/32 b']).toBe(term(50));
  });

  test('what changes after a restart takes the term', () => {
    const kept = { ...world, retained: retainedFrom(before) };
    const { memory } = decide(kept, emptyMemory());
    expect(meds(decide(moved(kept, 'c'), memory).decision)).toEqual({ ...OLD, '203.0.113.2/32 c': term(50) });
  });
});
