// What bgpd says that it holds, in the words of a decision. The rows are what FRR 10.3 printed.

import { community, exportTag, pathAttributes } from '@herald/net';
import type { Community, LargeCommunity, PathAttributes, StandardCommunity } from '@herald/net';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { feedAttributes } from '../src/index.ts';
import { decidedAttributes } from '../src/plan/dressing.ts';
import { RetainedPaths } from '../src/state/retained-paths.ts';

const PATH = {
  aspath: { string: 'Local', segments: [], length: 0 },
  rxedFromRrClient: true,
  origin: 'IGP',
  metric: 3_971_039_205,
  locPrf: 100,
  valid: true,
  addpathRxId: 2_111_204_365,
  nexthops: [{ ip: '192.0.2.101', afi: 'ipv4', metric: 0, accessible: true, used: true }],
};
const ALL = {
  ...PATH,
  community: { string: '65000:1', list: ['65000:1'] },
  extendedCommunity: { string: 'LB:64512:125000 (1.000 Mbps)' },
  largeCommunity: {
    string: '1:2:3 4294967295:1:0 4294967295:3:1 4294967295:3:2 4294967295:4:4294967041',
    list: ['1:2:3', '4294967295:1:0', '4294967295:3:1', '4294967295:3:2', '4294967295:4:4294967041'],
  },
};

function decided(fields: Partial<PathAttributes>, communities: readonly Community[] = []): PathAttributes {
  return pathAttributes({
    asPath: [],
    localPref: 100,
    med: 3_971_039_205,
    linkBandwidth: undefined,
    ...fields,
    communities: communities.filter((each): each is StandardCommunity => each.kind === 'standard'),
    largeCommunities: communities.filter((each): each is LargeCommunity => each.kind === 'large'),
  });
}

describe('a path that bgpd holds', () => {
  it.each<[string, unknown, PathAttributes]>([
    ['without communities', PATH, decided({})],
    [
      'with all that a feed can carry',
      ALL,
      decided(
        { asPath: [0, 0, 0], linkBandwidth: { asn: 64_512, bytesPerSecond: 125_000 } },
        ['65000:1', 'no-export', 'large:1:2:3'].map(community).concat(exportTag(0)),
      ),
    ],
  ])('%s', (_name, path, attributes) => {
    expect(new RetainedPaths().of([path])).toEqual([
      { nextHop: '192.0.2.101', attributes, pathId: 2_111_204_365 },
    ]);
  });

  it('is the same object where it is the same', () => {
    const retained = new RetainedPaths();
    expect(retained.of([ALL])?.[0]).toBe(retained.of([{ ...ALL, valid: false }])?.[0]);
    expect(retained.of([ALL])?.[0]).not.toBe(retained.of([{ ...ALL, addpathRxId: 7 }])?.[0]);
  });

  it.each<[string, unknown]>([
    ['no path', []],
    ['not a list', { paths: [PATH] }],
    ['no MED', [{ ...PATH, metric: undefined }]],
    ['no LOCAL_PREF', [PATH, { ...PATH, locPrf: undefined }]],
    ['no next hop', [{ ...PATH, nexthops: [] }]],
    ['a community that cannot be read', [PATH, { ...ALL, community: { list: ['what'] } }]],
  ])('makes its prefix unknown: %s', (_name, entry) => {
    expect(new RetainedPaths().of(entry)).toBeUndefined();
  });
});

it('attributes come back from the feed as they were decided, but for the number that was prepended', () => {
  const communities = fc.uniqueArray(
    fc.constantFrom('no-export', 'blackhole', '65000:1', '65535:65281', 'large:1:2:3', 'accept-own'),
  );
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 31 }), communities, (prepends, texts) => {
      const own = texts.map(community).concat(exportTag(7));
      const asPath = (asn: number): number[] => Array.from({ length: prepends }, () => asn);
      const sent = feedAttributes(decided({ asPath: asPath(64_512) }, own));
      expect(decidedAttributes(sent).key).toBe(decided({ asPath: asPath(0) }, own).key);
    }),
  );
});
