// Two plans -> Services whose verdict or addresses differ, and pools that differ. Sorted by name.

import { sameProjected } from '@herald/api';
import type { Decision, PoolVerdict, ServiceVerdict, World } from '@herald/decision';

import type { Offline } from './decide-offline.ts';
import { reasonSentence } from './planned-services.ts';
import { compareText } from './sorted-entries.ts';

export interface VerdictChange {
  /** namespace/name */
  readonly service: string;
  /** `Absent` where there is no such Service. */
  readonly before: ServiceVerdict['reason'] | 'Absent';
  readonly after: ServiceVerdict['reason'] | 'Absent';
  /** The sentence of the reason afterwards. */
  readonly message: string;
}

export interface AddressChange {
  readonly service: string;
  readonly before: readonly string[];
  readonly after: readonly string[];
}

export interface PoolChange {
  readonly pool: string;
  readonly change: 'added' | 'removed' | 'changed';
  /** Its ranges. */
  readonly before: readonly string[];
  readonly after: readonly string[];
  readonly reason: PoolVerdict['reason'] | 'Absent';
}

interface Keyed {
  keys(): Iterable<string>;
}

export function verdictChanges(before: Decision, after: Decision): VerdictChange[] {
  return keysOfBoth(before.services, after.services).flatMap((service) => {
    const was = reasonOf(before, service);
    const is = reasonOf(after, service);
    const message = is === 'Absent' ? 'There is no such Service.' : reasonSentence(is);
    return was === is || (isNone(was) && isNone(is)) ? [] : [{ service, before: was, after: is, message }];
  });
}

function reasonOf({ services }: Decision, service: string): VerdictChange['after'] {
  return services.get(service)?.reason ?? 'Absent';
}

/** No Service that Herald has to do with. */
function isNone(reason: VerdictChange['after']): boolean {
  return reason === 'Absent' || reason === 'NotLoadBalancer';
}

export function addressChanges(before: World, after: World): AddressChange[] {
  return keysOfBoth(before.services, after.services).flatMap((service) => {
    const was = addressesOf(before, service);
    const is = addressesOf(after, service);
    return was.join() === is.join() ? [] : [{ service, before: was, after: is }];
  });
}

function addressesOf({ services }: World, service: string): string[] {
  return services.get(service)?.ingress.map(({ text }) => text) ?? [];
}

export function poolChanges(before: Offline, after: Offline): PoolChange[] {
  return keysOfBoth(before.world.pools, after.world.pools).flatMap((pool) => {
    const was = before.world.pools.get(pool);
    const is = after.world.pools.get(pool);
    const reason = reasonOfPool(after, pool);
    if (sameProjected(was, is) && reasonOfPool(before, pool) === reason) {
      return [];
    }
    return [{ pool, change: changeWord(was, is), before: rangesOf(was), after: rangesOf(is), reason }];
  });
}

function reasonOfPool({ decision }: Offline, pool: string): PoolChange['reason'] {
  return decision.pools.get(pool)?.reason ?? 'Absent';
}

function changeWord(before: unknown, after: unknown): PoolChange['change'] {
  if (before === undefined) {
    return 'added';
  }
  return after === undefined ? 'removed' : 'changed';
}

function rangesOf(pool: { readonly ranges: readonly { readonly text: string }[] } | undefined): string[] {
  return pool?.ranges.map(({ text }) => text) ?? [];
}

function keysOfBoth(before: Keyed, after: Keyed): string[] {
  return [...new Set([...before.keys(), ...after.keys()])].sort(compareText);
}
