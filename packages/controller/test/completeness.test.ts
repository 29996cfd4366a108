import type { HeldPath } from '@herald/frr';
import { address, PersistentMap, prefix, type PrefixRoutes } from '@herald/net';
import { describe, expect, it } from 'vitest';

import { missingPaths, Patience } from '../src/completeness.ts';
import { PLAIN_ATTRIBUTES } from './plain-attributes.ts';

function heldPath(prefixText: string, nextHop: string): HeldPath {
  return {
    prefix: prefixText,
    nextHop,
    pathId: 1,
    med: 0,
    selected: true,
    communities: [],
    largeCommunities: [],
  } as unknown as HeldPath;
}

describe('patience', () => {
  it.each([
    ['as many paths as expected', 10, 10, 'complete'],
    ['more: stale ones are not gone yet', 12, 10, 'complete'],
    ['fewer', 9, 10, 'waiting'],
  ] as const)('%s', (_, held, expected, outcome) => {
    expect(new Patience().judge('default', held, expected, 0)).toBe(outcome);
  });

  it('ends after five seconds of the same instance, and not before', () => {
    const patience = new Patience();
    expect(patience.judge('default', 9, 10, 1000)).toBe('waiting');
    expect(patience.judge('plain-7', 9, 10, 5000)).toBe('waiting');
    expect(patience.judge('default', 9, 10, 5999)).toBe('waiting');
    expect(patience.judge('default', 9, 10, 6000)).toBe('given-up');
    expect(patience.judge('plain-7', 9, 10, 9999)).toBe('waiting');
  });

  it.each([
    ['after it was complete', 10],
    ['after it was given up', 9],
  ])('starts anew %s', (_, held) => {
    const patience = new Patience();
    patience.judge('default', 9, 10, 0);
    expect(patience.judge('default', held, 10, 5000)).not.toBe('waiting');
    expect(patience.judge('default', 9, 10, 60_000)).toBe('waiting');
    expect(patience.judge('default', 9, 10, 64_999)).toBe('waiting');
    expect(patience.judge('default', 9, 10, 65_000)).toBe('given-up');
  });
});

function routes(text: string, ...hops: string[]): [string, PrefixRoutes] {
  const paths = hops.map((hop, index) => ({
    pathId: index + 1,
    nextHop: address(hop),
    attributes: PLAIN_ATTRIBUTES,
  }));
  return [text, { prefix: prefix(text), paths }];
}

describe('what is missing is named', () => {
  const table = PersistentMap.from([
    routes('203.0.113.1/32', '192.0.2.101', '192.0.2.102'),
    routes('2001:db8:53::1/128', '2001:db8:2::101'),
    routes('192.0.0.8/32', '192.0.0.8'),
  ]);
  const ALL = [
    heldPath('203.0.113.1/32', '192.0.2.101'),
    heldPath('203.0.113.1/32', '192.0.2.102'),
    heldPath('2001:db8:53::1/128', '2001:db8:2::101'),
  ];

  it.each([
    ['nothing, without the marker too', ALL, []],
    ['one path', ALL.slice(1), ['203.0.113.1/32 via 192.0.2.101']],
    ['a family', ALL.slice(0, 2), ['2001:db8:53::1/128 via 2001:db8:2::101']],
    [
      'everything, sorted',
      [],
      [
        '2001:db8:53::1/128 via 2001:db8:2::101',
        '203.0.113.1/32 via 192.0.2.101',
        '203.0.113.1/32 via 192.0.2.102',
      ],
    ],
    ['nothing, beside paths of before', [...ALL, heldPath('203.0.113.9/32', '192.0.2.101')], []],
  ])('%s', (_, paths, missing) => {
    expect(missingPaths(table, paths)).toEqual(missing);
  });
});
