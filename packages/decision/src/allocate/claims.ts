// What one Service lays claim to: the addresses that the API says it has, and those that a write still wanted
// would give it. Also which of them are Herald's to take away again.
//
// An address is ours if it is in one of our pools, is marked as given beside the addresses, or was in one of
// our pools while this process watched: for that last one the objects say nothing once the pool is gone, and
// a Service whose address nobody marked would keep one that no pool has. It decides what may be taken away,
// never what is announced. A Service that has any other address, or a host instead of one, belongs to somebody else: hands off. With
// IPAM off nothing is ours to judge, so nothing is foreign.

import type { Service } from '@herald/api';
import type { Address } from '@herald/net';
import type { Spellings } from './address-request.ts';
import type { Allocation } from './allocation.ts';
import { poolOwning } from './pool-layout.ts';
import type { PoolLayout } from './pool-layout.ts';
import { sharingTerms } from './sharing.ts';
import type { Holder, SharingTerms, Standing } from './sharing.ts';
import { isMarked, isMarkedGiven, writtenTerm } from './written-marks.ts';

export interface Claim {
  readonly uid: string;
  readonly terms: SharingTerms;
  /** What the API says first: an address that is there already is not given up for one that is only wanted. */
  readonly addresses: readonly Address[];
  /** Texts of the addresses that are Herald's to take away. */
  readonly ours: readonly string[];
}

export interface ClaimContext {
  readonly layout: PoolLayout;
  readonly spellings: Spellings;
}

/** undefined when the Service claims nothing. */
export function claimOf(
  service: Service,
  wanted: Allocation | undefined,
  before: Claim | undefined,
  { layout, spellings }: ClaimContext,
): Claim | undefined {
  const addresses = distinct([...service.ingress, ...(wanted?.addresses ?? [])]);
  if (addresses.length === 0) {
    return undefined;
  }
  const known = before?.uid === service.uid ? before.ours : [];
  const ours = addresses.filter(
    (address) =>
      known.includes(address.text) ||
      poolOwning(layout, address) !== undefined ||
      isMarkedGiven(service, address, spellings),
  );
  return {
    uid: service.uid,
    terms: sharingTerms(service, spellings),
    addresses,
    ours: ours.map(({ text }) => text),
  };
}

function distinct(addresses: readonly Address[]): Address[] {
  return [...new Map(addresses.map((address) => [address.text, address])).values()];
}

/** Whether everything that the API says the Service has is Herald's; a host never is. */
export function isAllOurs(service: Service, claim: Claim | undefined): boolean {
  const areOurs = service.ingress.every(({ text }) => claim?.ours.includes(text) ?? false);
  return areOurs && !service.ingressNamesHost;
}

export function holderOf(service: Service, claim: Claim, address: Address): Holder {
  return {
    serviceKey: service.key,
    uid: service.uid,
    createdAt: service.createdAt,
    term: writtenTerm(service, address),
    terms: claim.terms,
    standing: standingOf(service, address),
  };
}

function standingOf({ type, ingress }: Service, address: Address): Standing {
  if (!ingress.some(({ text }) => text === address.text)) {
    return 'wanted';
  }
  return type === 'LoadBalancer' ? 'served' : 'shown';
}

/** Whether the API says what the write would have said. */
export function isWritten(service: Service, wanted: Allocation): boolean {
  const isLeftOver = wanted.kind === 'take' && isMarked(service);
  return service.uid === wanted.uid && sameAddresses(service.ingress, wanted.addresses) && !isLeftOver;
}

/** In any order. */
export function sameAddresses(a: readonly Address[], b: readonly Address[]): boolean {
  return a.length === b.length && a.every(({ text }) => b.some((other) => other.text === text));
}
