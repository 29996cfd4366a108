// Communities: each way to write one, well-known names by their IANA values, refusals, and our export tags.

import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import {
  INTERNAL_ADMINISTRATOR,
  community,
  compareCommunities,
  exportTag,
  largeCommunity,
  parseCommunity,
  standardCommunity,
} from '../src/index.ts';
import { communities } from './arbitraries.ts';
import { expectStableSorting, expectTotalOrder } from './laws.ts';

describe('standard communities', () => {
  const rows: [written: string, value: number, text: string][] = [
    ['0:0', 0, '0:0'],
    ['0:65000', 65000, '0:65000'],
    ['65000:100', 0xfde80064, '65000:100'],
    ['1:0', 0x10000, '1:0'],
    ['32768:1', 0x80000001, '32768:1'],
    ['65535:65535', 0xffffffff, '65535:65535'],
    ['graceful-shutdown', 0xffff0000, 'graceful-shutdown'],
    ['accept-own', 0xffff0001, 'accept-own'],
    ['llgr-stale', 0xffff0006, 'llgr-stale'],
    ['no-llgr', 0xffff0007, 'no-llgr'],
    ['blackhole', 0xffff029a, 'blackhole'],
    ['no-export', 0xffffff01, 'no-export'],
    ['no-advertise', 0xffffff02, 'no-advertise'],
    ['local-as', 0xffffff03, 'local-as'],
    ['no-export-subconfed', 0xffffff03, 'local-as'],
    ['no-peer', 0xffffff04, 'no-peer'],
    ['65535:0', 0xffff0000, 'graceful-shutdown'],
    ['65535:666', 0xffff029a, 'blackhole'],
    ['65535:65281', 0xffffff01, 'no-export'],
    ['65535:65284', 0xffffff04, 'no-peer'],
  ];
  test.each(rows)('%s', (written, value, text) => {
    expect(parseCommunity(written)).toEqual({ ok: true, value: { kind: 'standard', value, text } });
    expect(standardCommunity(value)).toEqual(community(text));
  });

  test.each([-1, 0x100000000, 0.5, Number.NaN])('%d is no value', (value) => {
    expect(() => standardCommunity(value)).toThrow(
      new RangeError(`${value} is not an unsigned 32-bit number`),
    );
  });
});

describe('large communities', () => {
  const rows: [written: string, parts: [number, number, number], text: string][] = [
    ['large:65000:1:2', [65000, 1, 2], '65000:1:2'],
    ['65000:1:2', [65000, 1, 2], '65000:1:2'],
    ['0:0:0', [0, 0, 0], '0:0:0'],
    [
      'large:4294967295:4294967295:4294967295',
      [4294967295, 4294967295, 4294967295],
      '4294967295:4294967295:4294967295',
    ],
    ['4200000000:65536:7', [4200000000, 65536, 7], '4200000000:65536:7'],
  ];
  test.each(rows)('%s', (written, [global, local1, local2], text) => {
    expect(parseCommunity(written)).toEqual({
      ok: true,
      value: { kind: 'large', global, local1, local2, text },
    });
    expect(largeCommunity(global, local1, local2)).toEqual(community(text));
  });

  const refusals: [number, number, number][] = [
    [-1, 0, 0],
    [0, 4294967296, 0],
    [0, 0, 1.5],
  ];
  test.each(refusals)('%d:%d:%d is none', (global, local1, local2) => {
    expect(() => largeCommunity(global, local1, local2)).toThrow(RangeError);
  });
});

describe('refused text', () => {
  const usage =
    'write 65000:100, large:65000:1:2, or one of graceful-shutdown, accept-own, llgr-stale, no-llgr, blackhole, no-export, no-advertise, local-as, no-peer';
  const rows: [written: string, problem: string][] = [
    ['', usage],
    ['65000', usage],
    ['4259840100', usage],
    ['65000:', usage],
    [':100', usage],
    ['65000:100:', usage],
    ['65000::100', usage],
    ['1:2:3:4', usage],
    ['large:1:2', usage],
    ['large:1', usage],
    ['large:1:2:3:4', usage],
    ['large:large:1:2:3', usage],
    ['Large:1:2:3', usage],
    ['-1:2', usage],
    ['1.5:2', usage],
    ['0x1:2', usage],
    [' 65000:100', usage],
    ['65000 :100', usage],
    ['65000:100\n', usage],
    ['No-Export', usage],
    ['no_export', usage],
    ['internet', usage],
    ['rt:65000:100', usage],
    ['65536:1', 'the numbers of a standard community end at 65535; a large community has three'],
    ['1:65536', 'the numbers of a standard community end at 65535; a large community has three'],
    [
      '1:99999999999999999999',
      'the numbers of a standard community end at 65535; a large community has three',
    ],
    ['4294967296:0:0', 'the numbers of a large community end at 4294967295'],
    ['large:0:4294967296:0', 'the numbers of a large community end at 4294967295'],
    ['0:0:4294967296', 'the numbers of a large community end at 4294967295'],
    ['065000:100', 'a number has a leading zero'],
    ['65000:00', 'a number has a leading zero'],
    ['large:1:02:3', 'a number has a leading zero'],
  ];
  test.each(rows)('%j', (written, problem) => {
    expect(parseCommunity(written)).toEqual({
      ok: false,
      problem: `${JSON.stringify(written)} is not a community: ${problem}`,
    });
  });

  it('is thrown for a literal', () => {
    expect(() => community('65536:1')).toThrow(RangeError);
  });
});

describe('canonical text', () => {
  it('reads back as the same community', () => {
    fc.assert(
      fc.property(communities, (one) => {
        expect(parseCommunity(one.text)).toEqual({ ok: true, value: one });
      }),
    );
  });
});

describe('export tags', () => {
  const rows: [peerNumber: number, text: string][] = [
    [0, '4294967295:1:0'],
    [1, '4294967295:1:1'],
    [4294967295, '4294967295:1:4294967295'],
  ];
  test.each(rows)('of peer %d', (peerNumber, text) => {
    expect(exportTag(peerNumber)).toEqual(community(text));
    expect(exportTag(peerNumber).global).toBe(INTERNAL_ADMINISTRATOR);
  });

  it('of an impossible number are refused', () => {
    expect(() => exportTag(-1)).toThrow(RangeError);
  });
});

describe('order', () => {
  it('is total', () => {
    expectTotalOrder(communities, compareCommunities);
  });

  it('does not depend on the input', () => {
    expectStableSorting(communities, compareCommunities);
  });

  it('is standard before large, then by number', () => {
    const expected = [
      '1:2',
      '10:0',
      '65000:9',
      '65000:10',
      'graceful-shutdown',
      'no-export',
      '1:0:0',
      '9:9:9',
      '10:0:5',
      '10:1:4',
      '10:1:10',
    ];
    const sorted = expected.toReversed().map(community).sort(compareCommunities);
    expect(sorted.map((each) => each.text)).toEqual(expected);
  });
});
