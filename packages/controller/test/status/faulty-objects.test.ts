// Objects that cannot be used as they stand say so themselves.

import { fault, type Pool } from '@herald/api';
import { range } from '@herald/net';
import { expect, test } from 'vitest';

import { NO_MEMORY, wantedStatus } from '../../src/status/status.ts';
import { byName, inputs, mapOf, poolVerdict } from './status-inputs.ts';

const OVERLAP = fault('IPAddressPool p', 'spec.addresses[1]', 'must not overlap spec.addresses[0]');
const SECOND = fault('IPAddressPool p', 'spec.addresses[2]', 'must not overlap spec.addresses[0]');
const INVALID = { type: 'Valid', status: 'False', reason: 'Invalid', message: OVERLAP.message };

const pool: Pool = {
  kind: 'IPAddressPool',
  name: 'p',
  uid: 'u',
  createdAt: 0,
  labels: {},
  ranges: [range('192.0.2.0/24')],
  autoAssign: true,
  avoidBuggyIPs: false,
  serviceAllocation: undefined,
};
const used = { world: { pools: byName(pool) }, decision: { pools: mapOf({ p: poolVerdict([1, 255]) }) } };

test.for([
  { kind: 'IPAddressPool', map: 'pools' },
  { kind: 'BGPPeer', map: 'peers' },
  { kind: 'BGPAdvertisement', map: 'advertisements' },
] as const)('a $kind that was never usable has nothing but that', ({ kind, map }) => {
  const wrong = fault(`${kind} p`, 'spec', 'is wrong');
  const { wanted } = wantedStatus(inputs({ faults: [wrong] }), NO_MEMORY);
  expect(wanted[map].get('p')).toEqual({ conditions: [{ ...INVALID, message: wrong.message }] });
});

test('one that was usable keeps its counts, and says what is wrong with it first', () => {
  const { wanted } = wantedStatus(inputs({ ...used, faults: [OVERLAP, SECOND] }), NO_MEMORY);
  expect(wanted.pools.get('p')).toMatchObject({
    assignedIPv4: 1,
    conditions: [INVALID, { type: 'Available', status: 'True' }],
  });
});

test('it is valid again as soon as nothing is wrong, and the same faults are the same status', () => {
  const first = wantedStatus(inputs({ ...used, faults: [OVERLAP] }), NO_MEMORY);
  const same = wantedStatus(inputs({ ...used, faults: [{ ...OVERLAP }] }), first);
  expect(same.wanted).toBe(first.wanted);
  const mended = wantedStatus(inputs(used), same);
  expect(mended.wanted.pools.get('p')?.conditions?.[0]).toMatchObject({ type: 'Valid', status: 'True' });
});

test.for(['IPAddressPools', 'Service shop/p', 'IPAddressPool'])('%s is no object of ours', (object) => {
  const { wanted } = wantedStatus(inputs({ faults: [fault(object, '', 'is wrong')] }), NO_MEMORY);
  expect([wanted.pools.size, wanted.peers.size, wanted.advertisements.size]).toEqual([0, 0, 0]);
});
