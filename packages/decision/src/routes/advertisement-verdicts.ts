// What people are told of a BGPAdvertisement: whether it is in force, whether it contradicts another one
// anywhere, and how many Services it selects. Services and prefixes are counted up and down as they change.

import { REASONS } from '@herald/api';
import type { Advertisement, Reason } from '@herald/api';
import type { PersistentMap } from '@herald/net';
import type { AdvertisementVerdict } from '../decision.ts';
import type { ServiceChange } from '../incremental/index-change.ts';
import type { ResolvedPeer } from '../peers/resolved-peer.ts';
import { aggregatesUnsafely } from './advertisement-set.ts';
import { reaches } from './peer-group.ts';
import { usesReservedCommunity } from './policy.ts';
import type { PrefixState } from './prefix-state.ts';
import type { ServiceRoutes } from './service-routes.ts';

interface Count {
  readonly services: number;
  /** Prefixes and groups of peers where it contradicts another one. */
  readonly conflicts: number;
}

/** By advertisement name. */
export type AdvertisementCounts = ReadonlyMap<string, Count>;

export interface PrefixChange {
  readonly before: PrefixState | undefined;
  readonly after: PrefixState | undefined;
}

const NONE: Count = { services: 0, conflicts: 0 };

export function countAdvertisements(
  counts: AdvertisementCounts,
  services: readonly ServiceChange[],
  prefixes: readonly PrefixChange[],
): AdvertisementCounts {
  const next = new Map(counts);
  const add = (name: string, serviceDelta: number, conflictDelta: number): void => {
    const { services: selected, conflicts } = next.get(name) ?? NONE;
    next.set(name, { services: selected + serviceDelta, conflicts: conflicts + conflictDelta });
  };
  for (const { before, after } of services) {
    advertisementsOf(before).forEach((name) => add(name, -1, 0));
    advertisementsOf(after).forEach((name) => add(name, 1, 0));
  }
  for (const { before, after } of prefixes) {
    conflictsOf(before).forEach((name) => add(name, 0, -1));
    conflictsOf(after).forEach((name) => add(name, 0, 1));
  }
  return next;
}

function advertisementsOf(service: ServiceRoutes | undefined): Set<string> {
  const names = new Set<string>();
  for (const { advertisements } of service?.memberships ?? []) {
    advertisements.members.forEach(({ name }) => names.add(name));
  }
  return names;
}

function conflictsOf(state: PrefixState | undefined): string[] {
  return (state?.refusals ?? [])
    .filter(({ reason }) => reason === 'AdvertisementConflict')
    .flatMap(({ advertisements }) => advertisements);
}

export function advertisementVerdicts(
  before: PersistentMap<AdvertisementVerdict>,
  advertisements: PersistentMap<Advertisement>,
  peers: readonly ResolvedPeer[],
  counts: AdvertisementCounts,
): PersistentMap<AdvertisementVerdict> {
  const gone = [...before.keys()].filter((name) => !advertisements.has(name));
  const verdicts: [string, AdvertisementVerdict][] = [];
  for (const [name, advertisement] of advertisements) {
    const verdict = verdictOf(advertisement, peers, counts.get(name) ?? NONE);
    const known = before.get(name);
    if (known?.reason !== verdict.reason || known.services !== verdict.services) {
      verdicts.push([name, verdict]);
    }
  }
  return before.with(verdicts, gone);
}

function verdictOf(
  advertisement: Advertisement,
  peers: readonly ResolvedPeer[],
  { services, conflicts }: Count,
): AdvertisementVerdict {
  const reason = reasonFor(advertisement, peers, services, conflicts);
  return {
    accepted: reason !== 'ReservedCommunity',
    reason,
    message: reason === 'Accepted' ? '' : REASONS[reason],
    services,
  };
}

function reasonFor(
  advertisement: Advertisement,
  peers: readonly ResolvedPeer[],
  services: number,
  conflicts: number,
): Reason | 'Accepted' {
  if (usesReservedCommunity(advertisement)) {
    return 'ReservedCommunity';
  }
  if (conflicts > 0) {
    return 'AdvertisementConflict';
  }
  if (aggregatesUnsafely(advertisement)) {
    return 'AggregateUnsafe';
  }
  const reached = peers.filter((peer) => reaches(advertisement, peer));
  if (services === 0 || reached.length === 0) {
    return 'SelectsNothing';
  }
  const external = reached.every(({ internal }) => !internal);
  return advertisement.localPref !== undefined && external ? 'LocalPrefNotSent' : 'Accepted';
}
