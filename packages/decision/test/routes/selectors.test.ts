// Selectors of an advertisement in every operator, for what each of them selects: pools, Services, peers and
// nodes. The same table of selectors and labels is put to all four, so that none of them reads one differently.

import { describe, expect, test } from 'vitest';
import type { LabelExpression, LabelSelector } from '@herald/api';
import { decide, emptyMemory } from '../../src/index.ts';
import { decideScene, node, peer, sceneWorld, service, told } from './small-world.ts';
import type { AdvertisementSpec, Scene } from './small-world.ts';

type Labels = Readonly<Record<string, string>>;

const is = (key: string, operator: LabelExpression['operator'], ...values: string[]): LabelSelector => ({
  matchLabels: {},
  matchExpressions: [{ key, operator, values }],
});
const equal = (matchLabels: Labels, ...matchExpressions: LabelExpression[]): LabelSelector => ({
  matchLabels,
  matchExpressions,
});

const NONE: Labels = {};
const ONE: Labels = { tier: 'gold' };
const TWO: Labels = { tier: 'silver', zone: 'x' };

/** Selectors, and whether they match labels NONE, ONE and TWO. */
const TABLE: (readonly [string, readonly LabelSelector[], boolean, boolean, boolean])[] = [
  ['an empty selector', [equal({})], true, true, true],
  ['a label', [equal({ tier: 'gold' })], false, true, false],
  ['a label with another value', [equal({ tier: 'lead' })], false, false, false],
  ['a label with the empty value', [equal({ tier: '' })], false, false, false],
  ['two labels', [equal({ tier: 'silver', zone: 'x' })], false, false, true],
  ['two labels, one of them wrong', [equal({ tier: 'silver', zone: 'y' })], false, false, false],
  ['In one value', [is('tier', 'In', 'gold')], false, true, false],
  ['In several values', [is('tier', 'In', 'gold', 'silver')], false, true, true],
  ['In no value that exists', [is('tier', 'In', 'lead')], false, false, false],
  ['NotIn one value: also without the label', [is('tier', 'NotIn', 'gold')], true, false, true],
  ['NotIn several values', [is('tier', 'NotIn', 'gold', 'silver')], true, false, false],
  ['NotIn a value that nobody has', [is('tier', 'NotIn', 'lead')], true, true, true],
  ['Exists', [is('tier', 'Exists')], false, true, true],
  ['Exists, another key', [is('zone', 'Exists')], false, false, true],
  ['DoesNotExist', [is('tier', 'DoesNotExist')], true, false, false],
  ['DoesNotExist, another key', [is('zone', 'DoesNotExist')], true, true, false],
  ['a key from the prototype exists nowhere', [is('toString', 'Exists')], false, false, false],
  [
    'a label and an expression: both have to hold',
    [equal({ tier: 'silver' }, { key: 'zone', operator: 'In', values: ['x'] })],
    false,
    false,
    true,
  ],
  [
    'a label and an expression that does not hold',
    [equal({ tier: 'silver' }, { key: 'zone', operator: 'DoesNotExist', values: [] })],
    false,
    false,
    false,
  ],
  [
    'two expressions that exclude each other',
    [
      equal(
        {},
        { key: 'tier', operator: 'Exists', values: [] },
        { key: 'tier', operator: 'DoesNotExist', values: [] },
      ),
    ],
    false,
    false,
    false,
  ],
  ['two selectors: one has to match', [equal({ tier: 'gold' }), equal({ zone: 'x' })], false, true, true],
  ['two selectors that match nothing', [equal({ tier: 'lead' }), equal({ zone: 'y' })], false, false, false],
  ['one that matches nothing and one for all', [equal({ tier: 'lead' }), equal({})], true, true, true],
];

const CASES = [NONE, ONE, TWO] as const;

interface Kind {
  readonly what: string;
  readonly ad: (selectors: readonly LabelSelector[]) => AdvertisementSpec;
  readonly scene: (labels: Labels) => Scene;
}

const KINDS: readonly Kind[] = [
  {
    what: 'pools',
    ad: (poolSelectors) => ({ poolSelectors }),
    scene: (labels) => ({
      pools: { it: { ranges: '203.0.113.0/24', labels } },
      services: { web: { on: 'a' } },
    }),
  },
  {
    what: 'Services',
    ad: (serviceSelectors) => ({ serviceSelectors }),
    scene: (labels) => ({ services: { web: { on: 'a', labels } } }),
  },
  {
    what: 'peers',
    ad: (peerSelectors) => ({ peerSelectors }),
    scene: (labels) => ({ peers: { tor: { labels } }, services: { web: { on: 'a' } } }),
  },
  {
    what: 'nodes',
    ad: (nodeSelectors) => ({ nodeSelectors }),
    scene: (labels) => ({ nodes: { a: { labels } }, services: { web: { on: 'a' } } }),
  },
];

describe.each(KINDS)('$what', ({ ad, scene }) => {
  test.each(TABLE)('%s', (_name, selectors, ...expected) => {
    const announced = CASES.map(
      (labels) =>
        told(decideScene({ ...scene(labels), ads: { it: ad(selectors) } }).decision)['203.0.113.1/32'],
    );
    expect(announced).toEqual(expected.map((yes) => (yes ? 'a' : undefined)));
  });

  test('an empty list selects everything', () => {
    const { decision } = decideScene({ ...scene(ONE), ads: { it: ad([]) } });
    expect(told(decision)).toEqual({ '203.0.113.1/32': 'a' });
  });
});

describe('names beside selectors: either is enough', () => {
  const rows: (readonly [string, AdvertisementSpec, string | undefined])[] = [
    ['pool by name', { pools: ['wide'] }, 'a'],
    ['pool by another name', { pools: ['other'] }, undefined],
    ['pool by name, though no label', { pools: ['wide'], poolSelectors: [equal({ no: 'no' })] }, 'a'],
    ['pool by label, though not by name', { pools: ['other'], poolSelectors: [equal({})] }, 'a'],
    ['pool by neither', { pools: ['other'], poolSelectors: [equal({ no: 'no' })] }, undefined],
    ['peer by name', { peers: ['tor'] }, 'a'],
    ['peer by another name', { peers: ['other'] }, undefined],
    ['peer by name, though no label', { peers: ['tor'], peerSelectors: [equal({ no: 'no' })] }, 'a'],
    ['peer by label, though not by name', { peers: ['other'], peerSelectors: [equal({})] }, 'a'],
    ['peer by neither', { peers: ['other'], peerSelectors: [equal({ no: 'no' })] }, undefined],
    ['pool and peer', { pools: ['wide'], peers: ['tor'] }, 'a'],
    ['pool, but not peer', { pools: ['wide'], peers: ['other'] }, undefined],
    ['peer, but not pool', { pools: ['other'], peers: ['tor'] }, undefined],
    [
      'everything has to match, and does',
      {
        pools: ['wide'],
        peers: ['tor'],
        serviceSelectors: [is('none', 'DoesNotExist')],
        nodeSelectors: [is('none', 'DoesNotExist')],
      },
      'a',
    ],
    [
      'everything has to match, and the node does not',
      {
        pools: ['wide'],
        peers: ['tor'],
        serviceSelectors: [is('none', 'DoesNotExist')],
        nodeSelectors: [is('none', 'Exists')],
      },
      undefined,
    ],
  ];
  test.each(rows)('%s', (_name, it, expected) => {
    const { decision } = decideScene({ services: { web: { on: 'a' } }, ads: { it } });
    expect(told(decision)['203.0.113.1/32']).toBe(expected);
  });
});

describe('why a Service is not announced when a selector does not match', () => {
  const nobody = [equal({ no: 'no' })];
  const rows: (readonly [string, AdvertisementSpec, string])[] = [
    ['pools', { poolSelectors: nobody }, 'NoAdvertisement'],
    ['Services', { serviceSelectors: nobody }, 'NoAdvertisement'],
    ['peers', { peerSelectors: nobody }, 'NoPeer'],
    ['nodes', { nodeSelectors: nobody }, 'NoNextHop'],
  ];
  test.each(rows)('%s', (_name, it, reason) => {
    const { decision } = decideScene({ services: { web: { on: 'a' } }, ads: { it } });
    expect(decision.services.get('default/web')).toMatchObject({ announced: false, reason });
  });
});

describe('labels that change', () => {
  const gold = [equal({ tier: 'gold' })];
  const scene: Scene = {
    nodes: { a: { labels: ONE }, b: { labels: ONE } },
    services: { web: { on: 'a b', labels: ONE }, other: { on: 'a b', labels: ONE, ips: '203.0.113.2' } },
    peers: { tor: { labels: ONE } },
    ads: { it: { serviceSelectors: gold, peerSelectors: gold, nodeSelectors: gold } },
  };
  const world = sceneWorld(scene);
  const start = decide(world, emptyMemory());

  test('of a node take it away everywhere', () => {
    const nodes = world.nodes.set('a', node('a', { labels: TWO }));
    const { decision } = decide({ ...world, nodes }, start.memory);
    expect(told(decision)).toEqual({ '203.0.113.1/32': 'b', '203.0.113.2/32': 'b' });
  });

  test('of a Service take only its routes away', () => {
    const services = world.services.set('default/web', service('web', { labels: TWO }));
    const { decision } = decide({ ...world, services }, start.memory);
    expect(told(decision)).toEqual({ '203.0.113.2/32': 'a b' });
    const [text] = ['203.0.113.2/32'];
    expect(decision.tables.shared.get(text)).toBe(start.decision.tables.shared.get(text));
  });

  test('of a peer take all its routes away, and give them back', () => {
    const peers = world.peers.set('tor', peer('tor', { labels: TWO }, 0));
    const without = decide({ ...world, peers }, start.memory);
    expect(told(without.decision)).toEqual({});
    expect(told(decide(world, without.memory).decision)).toEqual(told(start.decision));
  });

  test('that nobody selects change nothing', () => {
    const nodes = world.nodes.set('a', node('a', { labels: { ...ONE, 'kubernetes.io/os': 'linux' } }));
    const { decision } = decide({ ...world, nodes }, start.memory);
    expect(decision.tables.shared).toBe(start.decision.tables.shared);
  });
});
