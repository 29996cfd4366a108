// What one Service lays claim to: the addresses that the API says it has, and those that a write still wanted
// would give it. Also which of them are Herald's to take away again.
//
// An address is ours if it is in one of our pools, was in one while this process watched, or is listed in the
// annotation that is written beside the addresses. A Service that has any other address belongs to somebody
// else: hands off. With IPAM off nothing is ours to judge, so nothing is foreign.

import type { Service } from '@herald/api';
import type { Address } from '@herald/net';
import type { Spellings } from './address-request.ts';
import type { Allocation } from './allocation.ts';
import { poolOwning } from './pool-layout.ts';
import type { PoolLayout } from './pool-layout.ts';
import { sharingTerms } from './sharing.ts';
import type { Holder, SharingTerms } from './sharing.ts';

/** Beside the addresses in a Service: the ones that Herald wrote, separated by commas. */
const ALLOCATED_ADDRESSES = 'heraldbgp.io/allocated-addresses';

/** What MetalLB leaves on a Service whose addresses it gave. */
const METALLB_MARKS: readonly string[] = [
  'metallb.io/ip-allocated-from-pool',
  'metallb.universe.tf/ip-allocated-from-pool',
];

export interface Claim {
  readonly uid: string;
  readonly terms: SharingTerms;
  /** Wanted ones first, then the rest of what the API says; without duplicates. */
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
  const addresses = distinct([...(wanted?.addresses ?? []), ...service.ingress]);
  if (addresses.length === 0) {
    return undefined;
  }
  const known = before?.uid === service.uid ? before.ours : [];
  const ours = addresses.filter(
    (address) =>
      known.includes(address.text) ||
      poolOwning(layout, address) !== undefined ||
      isMarked(service, address, spellings),
  );
  return {
    uid: service.uid,
    terms: sharingTerms(service, spellings),
    addresses,
    ours: ours.map(({ text }) => text),
  };
}

function isMarked({ annotations }: Service, { text }: Address, spellings: Spellings): boolean {
  const listed = Object.hasOwn(annotations, ALLOCATED_ADDRESSES) ? annotations[ALLOCATED_ADDRESSES] : '';
  return (
    (listed ?? '').split(',').includes(text) ||
    (spellings === 'compatible' && METALLB_MARKS.some((mark) => Object.hasOwn(annotations, mark)))
  );
}

function distinct(addresses: readonly Address[]): Address[] {
  return [...new Map(addresses.map((address) => [address.text, address])).values()];
}

/** Whether everything that the API says the Service has is Herald's. */
export function isAllOurs(service: Service, claim: Claim | undefined): boolean {
  return service.ingress.every(({ text }) => claim?.ours.includes(text) ?? false);
}

export function holderOf(service: Service, claim: Claim, address: Address): Holder {
  return {
    serviceKey: service.key,
    uid: service.uid,
    createdAt: service.createdAt,
    terms: claim.terms,
    firm: service.type === 'LoadBalancer' && service.ingress.some(({ text }) => text === address.text),
  };
}

/** Whether the API says what the write would have said. */
export function isWritten(service: Service, wanted: Allocation): boolean {
  return service.uid === wanted.uid && sameAddresses(service.ingress, wanted.addresses);
}

/** In any order. */
export function sameAddresses(a: readonly Address[], b: readonly Address[]): boolean {
  return a.length === b.length && a.every(({ text }) => b.some((other) => other.text === text));
}
