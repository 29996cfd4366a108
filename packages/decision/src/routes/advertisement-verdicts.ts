// What people are told of a BGPAdvertisement: whether it is in force, whether it contradicts another one
// anywhere, how many Services it selects and how many prefixes come from it. Services and prefixes are counted up and down as they change.

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
  readonly prefixes: number;
  /** Prefixes and groups of peers where it contradicts another one. */
  readonly conflicts: number;
}

/** By advertisement name. */
export type AdvertisementCounts = ReadonlyMap<string, Count>;

export interface PrefixChange {
  readonly before: PrefixState | undefined;
  readonly after: PrefixState | undefined;
}

const NONE: Count = { services: 0, prefixes: 0, conflicts: 0 };

export function countAdvertisements(
  counts: AdvertisementCounts,
  services: readonly ServiceChange[],
  prefixes: readonly PrefixChange[],
): AdvertisementCounts {
  const next = new Map(counts);
  const add = (names: Iterable<string>, field: keyof Count, delta: number): void => {
    for (const name of names) {
      const count = next.get(name) ?? NONE;
      next.set(name, { ...count, [field]: count[field] + delta });
    }
  };
  for (const { before, after } of services) {
    add(advertisementsOf(before), 'services', -1);
    add(advertisementsOf(after), 'services', 1);
  }
  for (const { before, after } of prefixes.filter((change) => change.before !== change.after)) {
    add(conflictsOf(before), 'conflicts', -1);
    add(conflictsOf(after), 'conflicts', 1);
    add(announcersOf(before), 'prefixes', -1);
    add(announcersOf(after), 'prefixes', 1);
  }
  return next;
}

/** Those that have no endpoint for the moment are selected as well. */
function advertisementsOf(service: ServiceRoutes | undefined): Set<string> {
  const sets = [
    ...(service?.memberships ?? []).map(({ advertisements }) => advertisements),
    ...(service?.idleIn ?? []),
  ];
  return new Set(sets.flatMap(({ members }) => members.map(({ name }) => name)));
}

function conflictsOf(state: PrefixState | undefined): string[] {
  return (state?.refusals ?? [])
    .filter(({ reason }) => reason === 'AdvertisementConflict')
    .flatMap(({ advertisements }) => advertisements);
}

function announcersOf(state: PrefixState | undefined): Set<string> {
  const names = new Set<string>();
  for (const { hops } of state?.routes ?? []) {
    hops.forEach((hop) => hop.class.advertisements.forEach((name) => names.add(name)));
  }
  return names;
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
    if (known === undefined || !saysTheSame(known, verdict)) {
      verdicts.push([name, verdict]);
    }
  }
  return before.with(verdicts, gone);
}

function saysTheSame(one: AdvertisementVerdict, other: AdvertisementVerdict): boolean {
  return one.reason === other.reason && one.services === other.services && one.prefixes === other.prefixes;
}

function verdictOf(
  advertisement: Advertisement,
  peers: readonly ResolvedPeer[],
  { services, prefixes, conflicts }: Count,
): AdvertisementVerdict {
  const reason = reasonFor(advertisement, peers, services, conflicts);
  return {
    accepted: reason !== 'ReservedCommunity',
    reason,
    message: reason === 'Accepted' ? '' : REASONS[reason],
    services,
    prefixes,
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
