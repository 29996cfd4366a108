// The status of an IPAddressPool: how much of it is in use and free, by family, and whether it gives addresses.
// A family that the pool has no range of and no address in use of is left out.

import { REASONS, type Pool } from '@herald/api';
import type { FamilyCount, PoolVerdict } from '@herald/decision';
import type { Family } from '@herald/net';

import { conditions } from './condition.ts';
import type { WantedCondition, WantedPoolStatus } from './wanted-status.ts';

export function poolStatus(pool: Pool, verdict: PoolVerdict): WantedPoolStatus {
  const [four, six] = [shown(pool, verdict, 4), shown(pool, verdict, 6)];
  return {
    ...(four && { assignedIPv4: four.assigned, availableIPv4: four.available }),
    ...(six && { assignedIPv6: six.assigned, availableIPv6: six.available }),
    conditions: conditions([validity(verdict), availability(verdict)]),
  };
}

function shown(pool: Pool, { counts }: PoolVerdict, family: Family): FamilyCount | undefined {
  const has = counts[family].assigned > 0 || pool.ranges.some((range) => range.family === family);
  return has ? counts[family] : undefined;
}

function validity({ accepted, reason, message }: PoolVerdict): WantedCondition {
  return accepted
    ? { type: 'Valid', status: 'True', reason: 'Accepted', message: 'The pool is in use as it stands.' }
    : { type: 'Valid', status: 'False', reason, message };
}

function availability({ accepted, reason, message, counts }: PoolVerdict): WantedCondition {
  const type = 'Available';
  if (accepted && reason === 'Accepted') {
    return { type, status: 'True', reason: 'AddressesFree', message: 'The pool has free addresses.' };
  }
  const isEmpty = counts[4].available + counts[6].available === 0;
  const why = reason === 'Accepted' ? 'PoolExhausted' : reason;
  return {
    type,
    status: isEmpty ? 'False' : 'True',
    reason: why,
    message: message === '' ? REASONS[why] : message,
  };
}
