// The pools and advertisements of a plan, with what is thought of them. Sorted by name.

import type { AdvertisementVerdict, FamilyCount, PoolVerdict } from '@herald/decision';

import type { Offline } from './decide-offline.ts';
import { sortedEntries } from './sorted-entries.ts';

export interface PlannedPool {
  readonly name: string;
  readonly addresses: readonly string[];
  readonly accepted: boolean;
  readonly reason: PoolVerdict['reason'];
  readonly message: string;
  readonly ipv4: FamilyCount;
  readonly ipv6: FamilyCount;
}

export interface PlannedAdvertisement {
  readonly name: string;
  readonly accepted: boolean;
  readonly reason: AdvertisementVerdict['reason'];
  readonly message: string;
  /** Services of which it selects at least one address. */
  readonly services: number;
}

export function plannedPools({ world, decision }: Offline): PlannedPool[] {
  return sortedEntries(decision.pools).map(([name, { accepted, reason, message, counts }]) => {
    const addresses = world.pools.get(name)?.ranges.map(({ text }) => text) ?? [];
    return { name, addresses, accepted, reason, message, ipv4: counts[4], ipv6: counts[6] };
  });
}

export function plannedAdvertisements({ decision }: Offline): PlannedAdvertisement[] {
  return sortedEntries(decision.advertisements).map(([name, { accepted, reason, message, services }]) => {
    return { name, accepted, reason, message, services };
  });
}
