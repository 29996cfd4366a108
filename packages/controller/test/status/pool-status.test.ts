import type { PoolVerdict } from '@herald/decision';
import { describe, expect, test } from 'vitest';

import { NO_MEMORY, wantedStatus } from '../../src/status/status.ts';
import { LATER, advertisementVerdict, byName, inputs, mapOf, pool, poolVerdict } from './status-inputs.ts';

const V4 = '198.51.100.0/24';
const V6 = '2001:db8::/64';

function statusOf(ranges: readonly string[], verdict: PoolVerdict) {
  const changes = {
    world: { pools: byName(pool('p', ...ranges)) },
    decision: { pools: mapOf({ p: verdict }) },
  };
  return wantedStatus(inputs(changes), NO_MEMORY).wanted.pools.get('p');
}

describe('a pool', () => {
  test.for<[string, readonly string[], PoolVerdict, object]>([
    ['IPv4', [V4], poolVerdict([3, 253]), { assignedIPv4: 3, availableIPv4: 253 }],
    ['IPv6', [V6], poolVerdict([0, 0], [1, 9]), { assignedIPv6: 1, availableIPv6: 9 }],
    [
      'both families',
      [V4, V6],
      poolVerdict([3, 253], [0, 9]),
      { assignedIPv4: 3, availableIPv4: 253, assignedIPv6: 0, availableIPv6: 9 },
    ],
    ['none in use', [V4], poolVerdict([0, 256]), { assignedIPv4: 0, availableIPv4: 256 }],
    [
      'addresses of a range that was taken out',
      [V6],
      poolVerdict([2, 0], [0, 9]),
      { assignedIPv4: 2, availableIPv4: 0, assignedIPv6: 0, availableIPv6: 9 },
    ],
    ['no range', [], poolVerdict([0, 0]), {}],
  ])('of %s is counted', ([, ranges, verdict, counts]) => {
    const { conditions: _conditions, ...counted } = statusOf(ranges, verdict) ?? {};
    expect(counted).toEqual(counts);
  });

  const exhausted = { reason: 'PoolExhausted', message: 'The pool has no free IPv4 address.' } as const;
  const overlapping = { accepted: false, reason: 'PoolOverlaps', message: 'The older pool a …' } as const;
  test.for<[string, PoolVerdict, object[]]>([
    [
      'with free addresses',
      poolVerdict([3, 253]),
      [
        { type: 'Valid', status: 'True', reason: 'Accepted' },
        { type: 'Available', status: 'True', reason: 'AddressesFree' },
      ],
    ],
    [
      'without',
      poolVerdict([256, 0], [0, 0], exhausted),
      [
        { type: 'Valid', status: 'True', reason: 'Accepted' },
        { type: 'Available', status: 'False', reason: 'PoolExhausted', message: exhausted.message },
      ],
    ],
    [
      'without those of one family',
      poolVerdict([256, 0], [0, 9], exhausted),
      [
        { type: 'Valid', status: 'True', reason: 'Accepted' },
        { type: 'Available', status: 'True', reason: 'PoolExhausted', message: exhausted.message },
      ],
    ],
    [
      'that lost to an older one',
      poolVerdict([3, 0], [0, 0], overlapping),
      [
        { type: 'Valid', status: 'False', reason: 'PoolOverlaps', message: overlapping.message },
        { type: 'Available', status: 'False', reason: 'PoolOverlaps' },
      ],
    ],
  ])('%s', ([, verdict, conditions]) => {
    expect(statusOf([V4, V6], verdict)?.conditions).toMatchObject(conditions);
  });

  test('keeps its status as the same reference while nothing changes', () => {
    const pools = byName(pool('p', V4), pool('q', V6));
    const verdicts = mapOf({ p: poolVerdict([3, 253]), q: poolVerdict([0, 0], [0, 9]) });
    const first = wantedStatus(inputs({ world: { pools }, decision: { pools: verdicts } }), NO_MEMORY);
    const next = verdicts.set('p', poolVerdict([4, 252]));
    const after = wantedStatus(inputs({ world: { pools, now: LATER }, decision: { pools: next } }), first);
    expect(after.wanted.pools.changedKeys(first.wanted.pools)).toEqual(['p']);
    expect(after.wanted.pools.get('p')?.conditions).toEqual(first.wanted.pools.get('p')?.conditions);
  });

  test('that is gone has no status', () => {
    const before = wantedStatus(
      inputs({
        world: { pools: byName(pool('p', V4)) },
        decision: { pools: mapOf({ p: poolVerdict([0, 256]) }) },
      }),
      NO_MEMORY,
    );
    expect(before.wanted.pools.size).toBe(1);
    expect(wantedStatus(inputs(), before).wanted.pools.size).toBe(0);
  });
});

describe('an advertisement', () => {
  test.for([
    {
      verdict: advertisementVerdict('Accepted', 12),
      valid: ['True', 'Accepted', 'The advertisement is in use.'],
      effective: ['True', 'Accepted', 'All of the advertisement takes effect.'],
    },
    {
      verdict: advertisementVerdict('SelectsNothing', 0),
      valid: ['True', 'Accepted', 'The advertisement is in use.'],
      effective: ['False', 'SelectsNothing', 'about SelectsNothing'],
    },
    {
      verdict: advertisementVerdict('AdvertisementConflict', 3),
      valid: ['True', 'Accepted', 'The advertisement is in use.'],
      effective: ['False', 'AdvertisementConflict', 'about AdvertisementConflict'],
    },
    {
      verdict: advertisementVerdict('ReservedCommunity', 3, false),
      valid: ['False', 'ReservedCommunity', 'about ReservedCommunity'],
      effective: ['False', 'ReservedCommunity', 'about ReservedCommunity'],
    },
  ])('$verdict.reason', ({ verdict, valid, effective }) => {
    const advertisements = byName({ name: 'default' }) as never;
    const changes = { world: { advertisements }, decision: { advertisements: mapOf({ default: verdict }) } };
    const status = wantedStatus(inputs(changes), NO_MEMORY).wanted.advertisements.get('default');
    expect([status?.services, status?.prefixes]).toEqual([verdict.services, verdict.prefixes]);
    const shown = status?.conditions?.map((each) => [each.status, each.reason, each.message]);
    expect(shown).toEqual([valid, effective]);
  });
});
