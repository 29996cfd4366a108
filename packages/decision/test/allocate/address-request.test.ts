// What a Service asks for, read from every spelling: each alone, each pair that agrees, each pair that does
// not, with compatibility and without.

import { describe, expect, test } from 'vitest';
import { readRequest, readSharingKey } from '../../src/allocate/address-request.ts';
import type { Spellings } from '../../src/allocate/address-request.ts';
import { service } from './simulated-cluster.ts';
import type { ServiceSpec } from './simulated-cluster.ts';

const ADDRESS_SPELLINGS = [
  'heraldbgp.io/load-balancer-ips',
  'metallb.io/loadBalancerIPs',
  'metallb.universe.tf/loadBalancerIPs',
] as const;
const POOL_SPELLINGS = [
  'heraldbgp.io/address-pool',
  'metallb.io/address-pool',
  'metallb.universe.tf/address-pool',
] as const;
const SHARING_SPELLINGS = [
  'heraldbgp.io/allow-shared-ip',
  'metallb.io/allow-shared-ip',
  'metallb.universe.tf/allow-shared-ip',
] as const;
const BOTH: readonly Spellings[] = ['herald', 'compatible'];

/** 'addresses @pool', or the reason. */
function asked(spec: ServiceSpec, spellings: Spellings = 'herald'): string {
  const request = readRequest(service('web', spec), spellings);
  return request.ok
    ? [request.addresses.map(({ text }) => text).join(), request.pool && `@${request.pool}`]
        .filter(Boolean)
        .join(' ')
    : request.reason;
}

const annotated = (...entries: readonly (readonly [string, string])[]): ServiceSpec => ({
  annotations: Object.fromEntries(entries),
});

const pairsOf = (names: readonly string[]) =>
  names.flatMap((one, i) => names.slice(i + 1).map((two) => [one, two] as const));

describe('addresses', () => {
  test.each(ADDRESS_SPELLINGS)('%s', (name) => {
    const ours = name === ADDRESS_SPELLINGS[0];
    expect(asked(annotated([name, '192.0.2.1']), 'compatible')).toBe('192.0.2.1');
    expect(asked(annotated([name, '192.0.2.1']), 'herald')).toBe(ours ? '192.0.2.1' : '');
  });

  test.each(pairsOf(ADDRESS_SPELLINGS))('%s and %s that agree', (one, two) => {
    expect(asked(annotated([one, '192.0.2.1'], [two, '192.0.2.1']), 'compatible')).toBe('192.0.2.1');
  });

  test.each(pairsOf(ADDRESS_SPELLINGS))('%s and %s that differ', (one, two) => {
    const spec = annotated([one, '192.0.2.1'], [two, '192.0.2.2']);
    expect(asked(spec, 'compatible')).toBe('RequestConflict');
    expect(asked(spec, 'herald')).toBe(one === ADDRESS_SPELLINGS[0] ? '192.0.2.1' : '');
  });

  test.each(ADDRESS_SPELLINGS)('spec.loadBalancerIP beside %s', (name) => {
    const same = { ...annotated([name, '192.0.2.1']), loadBalancerIP: '192.0.2.1' };
    const other = { ...annotated([name, '192.0.2.1']), loadBalancerIP: '192.0.2.2' };
    expect(asked(same, 'compatible')).toBe('192.0.2.1');
    expect(asked(other, 'compatible')).toBe('RequestConflict');
    expect(asked(other, 'herald')).toBe(name === ADDRESS_SPELLINGS[0] ? 'RequestConflict' : '192.0.2.2');
  });

  test.each(BOTH)('the same two in another order and spelling are the same (%s)', (spellings) => {
    const spec = {
      ...annotated([ADDRESS_SPELLINGS[0], '192.0.2.1,2001:db8::1']),
      loadBalancerIP: '2001:DB8:0::1, 192.0.2.1',
    };
    expect(asked(spec, spellings).split(',').sort()).toEqual(['192.0.2.1', '2001:db8::1']);
  });

  test('one of two in another place is not the same', () => {
    const spec = {
      ...annotated([ADDRESS_SPELLINGS[0], '192.0.2.1,2001:db8::1']),
      loadBalancerIP: '192.0.2.1',
    };
    expect(asked(spec)).toBe('RequestConflict');
  });

  const texts: (readonly [string, string])[] = [
    ['192.0.2.1', '192.0.2.1'],
    [' 192.0.2.1 ', '192.0.2.1'],
    ['2001:db8::1', '2001:db8::1'],
    ['2001:0DB8:0:0::0001', '2001:db8::1'],
    ['192.0.2.1,2001:db8::1', '192.0.2.1,2001:db8::1'],
    ['2001:db8::1,192.0.2.1', '2001:db8::1,192.0.2.1'],
    ['192.0.2.1 , 2001:db8::1', '192.0.2.1,2001:db8::1'],
    ['', ''],
    ['   ', ''],
    [',', 'RequestInvalid'],
    ['192.0.2.1,', 'RequestInvalid'],
    [',192.0.2.1', 'RequestInvalid'],
    ['192.0.2.1 2001:db8::1', 'RequestInvalid'],
    ['192.0.2.1,192.0.2.2', 'RequestInvalid'],
    ['192.0.2.1,192.0.2.1', 'RequestInvalid'],
    ['2001:db8::1,2001:db8::2', 'RequestInvalid'],
    ['192.0.2.1,2001:db8::1,192.0.2.3', 'RequestInvalid'],
    ['192.0.2.1/32', 'RequestInvalid'],
    ['192.0.2.1-192.0.2.9', 'RequestInvalid'],
    ['192.0.2', 'RequestInvalid'],
    ['192.0.2.256', 'RequestInvalid'],
    ['192.0.2.01', 'RequestInvalid'],
    ['::ffff:192.0.2.1', 'RequestInvalid'],
    ['fe80::1%eth0', 'RequestInvalid'],
    ['web.example', 'RequestInvalid'],
    ['auto', 'RequestInvalid'],
  ];
  test.each(texts)('%j by annotation', (text, expected) => {
    expect(asked(annotated([ADDRESS_SPELLINGS[0], text]))).toBe(expected);
  });

  test.each(texts.filter(([text]) => text.trim() !== ''))('%j by spec.loadBalancerIP', (text, expected) => {
    expect(asked({ loadBalancerIP: text })).toBe(expected);
  });

  test.each(ADDRESS_SPELLINGS)('one that cannot be read beside a good one refuses both (%s)', (name) => {
    const spec = { ...annotated([name, 'nonsense']), loadBalancerIP: '192.0.2.1' };
    expect(asked(spec, 'compatible')).toBe('RequestInvalid');
  });

  test('a fault is said before a contradiction', () => {
    const spec = annotated(
      [ADDRESS_SPELLINGS[0], '192.0.2.1'],
      [ADDRESS_SPELLINGS[1], '192.0.2.2'],
      [ADDRESS_SPELLINGS[2], 'nonsense'],
    );
    expect(asked(spec, 'compatible')).toBe('RequestInvalid');
  });

  test.each(['', undefined])('spec.loadBalancerIP %j asks for nothing', (loadBalancerIP) => {
    expect(asked(loadBalancerIP === undefined ? {} : { loadBalancerIP })).toBe('');
  });
});

describe('pools', () => {
  test.each(POOL_SPELLINGS)('%s', (name) => {
    const ours = name === POOL_SPELLINGS[0];
    expect(asked(annotated([name, 'edge']), 'compatible')).toBe('@edge');
    expect(asked(annotated([name, 'edge']), 'herald')).toBe(ours ? '@edge' : '');
  });

  test.each(pairsOf(POOL_SPELLINGS))('%s and %s', (one, two) => {
    expect(asked(annotated([one, 'edge'], [two, 'edge']), 'compatible')).toBe('@edge');
    expect(asked(annotated([one, 'edge'], [two, 'core']), 'compatible')).toBe('RequestConflict');
  });

  test.each([
    [' edge ', '@edge'],
    ['', ''],
    ['  ', ''],
    ['no-such-pool', '@no-such-pool'],
  ])('%j', (text, expected) => {
    expect(asked(annotated([POOL_SPELLINGS[0], text]))).toBe(expected);
  });

  test('beside an address', () => {
    const spec = annotated([POOL_SPELLINGS[0], 'edge'], [ADDRESS_SPELLINGS[0], '192.0.2.1']);
    expect(asked(spec)).toBe('192.0.2.1 @edge');
  });
});

const sharingKeyOf = (spec: ServiceSpec, spellings: Spellings) =>
  readSharingKey(service('web', spec), spellings);

describe('sharing keys', () => {
  test.each(SHARING_SPELLINGS)('%s', (name) => {
    expect(sharingKeyOf(annotated([name, 'k']), 'compatible')).toBe('k');
    expect(sharingKeyOf(annotated([name, 'k']), 'herald')).toBe(name === SHARING_SPELLINGS[0] ? 'k' : '');
  });

  test.each(pairsOf(SHARING_SPELLINGS))('%s goes before %s', (one, two) => {
    expect(sharingKeyOf(annotated([two, 'second'], [one, 'first']), 'compatible')).toBe('first');
  });

  test.each(BOTH)('an empty one shares nothing (%s)', (spellings) => {
    expect(sharingKeyOf({}, spellings)).toBe('');
    expect(sharingKeyOf(annotated([SHARING_SPELLINGS[0], '']), spellings)).toBe('');
    expect(sharingKeyOf(annotated([SHARING_SPELLINGS[0], '  ']), spellings)).toBe('');
    expect(sharingKeyOf(annotated([SHARING_SPELLINGS[0], ' k ']), spellings)).toBe('k');
  });
});
