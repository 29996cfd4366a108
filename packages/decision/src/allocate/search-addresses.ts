// Addresses for the families that a Service still lacks: the ones it asks for if it may have them, else the
// best that its pools have. For each family an address or why there is none, and whether an address given up
// by somebody else could change that.
//
// It looks in the ledger and writes nothing; two families never get in each other's way.

import type { Namespace, Reason, Service } from '@herald/api';
import type { Address, Family, PersistentMap } from '@herald/net';
import type { AcceptedRequest, Spellings } from './address-request.ts';
import type { AddressLedger } from './address-ledger.ts';
import { allowsService, candidatePools } from './candidate-pools.ts';
import { holdsAddress, poolOwning } from './pool-layout.ts';
import type { LaidPool, PoolLayout } from './pool-layout.ts';
import type { SharingTerms } from './sharing.ts';

export interface SearchContext {
  readonly ledger: AddressLedger;
  readonly layout: PoolLayout;
  readonly namespaces: PersistentMap<Namespace>;
  readonly spellings: Spellings;
}

export interface Claimant {
  readonly service: Service;
  readonly terms: SharingTerms;
  /** What it has or is about to have and does not have to leave to another Service; the wanted first. */
  readonly held: readonly Address[];
}

export interface Failure {
  readonly found: undefined;
  readonly reason: Reason;
  readonly retry: 'never' | 'when-eased';
}

export type Search = { readonly found: Address } | Failure;

export function searchAddresses(
  claimant: Claimant,
  request: AcceptedRequest,
  missing: readonly Family[],
  kept: ReadonlyMap<Family, Address>,
  context: SearchContext,
): ReadonlyMap<Family, Search> {
  const results = new Map<Family, Search>();
  const open: Family[] = [];
  for (const family of missing) {
    const asked = requestedOf(family, request);
    if (asked === undefined) {
      open.push(family);
    } else {
      results.set(family, searchRequested(claimant, asked, request.pool, context));
    }
  }
  if (open.length > 0) {
    const beside = [...kept.values(), ...foundIn(results).map(([, address]) => address)];
    searchPools(claimant, request.pool, open, beside, context).forEach((result, family) =>
      results.set(family, result),
    );
  }
  return results;
}

function searchRequested(
  { service, terms }: Claimant,
  asked: Address,
  poolName: string | undefined,
  { ledger, layout, namespaces }: SearchContext,
): Search {
  const owner = poolOwning(layout, asked);
  if (owner === undefined) {
    return failure('AddressNotInPool');
  }
  if (poolName !== undefined && poolName !== owner.name) {
    return failure('RequestConflict');
  }
  const barred = barrier(owner, service, namespaces);
  if (barred !== undefined) {
    return failure(barred);
  }
  const problem = ledger.problemWith(asked, service.key, terms);
  return problem === undefined
    ? { found: asked }
    : { found: undefined, reason: problem, retry: 'when-eased' };
}

/** Why a pool that was asked for gives the Service nothing. */
function barrier(laid: LaidPool, service: Service, namespaces: PersistentMap<Namespace>): Reason | undefined {
  if (laid.loserTo !== undefined) {
    return 'PoolOverlaps';
  }
  return allowsService(laid, service, namespaces) ? undefined : 'PoolNotAllowed';
}

function failure(reason: Reason): Search {
  return { found: undefined, reason, retry: 'never' };
}

/** From one pool if one can give all, the pool of the other family's address first; else each from its own. */
function searchPools(
  claimant: Claimant,
  poolName: string | undefined,
  families: readonly Family[],
  beside: readonly Address[],
  context: SearchContext,
): ReadonlyMap<Family, Search> {
  const pools =
    poolName === undefined
      ? candidatesBeside(claimant, beside, context)
      : namedPool(claimant, poolName, context);
  if (typeof pools === 'string') {
    return new Map(families.map((family) => [family, failure(pools)]));
  }
  const find = (laid: LaidPool, family: Family): Address | undefined =>
    context.ledger.find(laid, family, claimant.service.key, claimant.terms);
  const together = pools.find((laid) => families.every((family) => find(laid, family) !== undefined));
  return new Map(
    families.map((family) => [family, searchFamily(family, together ? [together] : pools, find)]),
  );
}

function searchFamily(
  family: Family,
  pools: readonly LaidPool[],
  find: (laid: LaidPool, family: Family) => Address | undefined,
): Search {
  for (const laid of pools) {
    const found = find(laid, family);
    if (found !== undefined) {
      return { found };
    }
  }
  const exists = pools.some(({ spans }) => spans[family].length > 0);
  return exists
    ? { found: undefined, reason: 'PoolExhausted', retry: 'when-eased' }
    : failure(pools.length === 0 ? 'NoPool' : 'NoAddressOfServiceFamily');
}

function candidatesBeside(
  { service }: Claimant,
  beside: readonly Address[],
  { layout, namespaces }: SearchContext,
): readonly LaidPool[] {
  const pools = candidatePools(service, layout, namespaces);
  const near = (laid: LaidPool): boolean => beside.some((address) => holdsAddress(laid, address));
  return beside.length === 0 ? pools : [...pools.filter(near), ...pools.filter((laid) => !near(laid))];
}

function namedPool(
  { service }: Claimant,
  name: string,
  { layout, namespaces }: SearchContext,
): readonly LaidPool[] | Reason {
  const laid = layout.byName.get(name);
  if (laid === undefined) {
    return 'PoolUnknown';
  }
  return barrier(laid, service, namespaces) ?? [laid];
}

export function requestedOf(family: Family, request: AcceptedRequest): Address | undefined {
  return request.addresses.find((address) => address.family === family);
}

export function foundIn(searches: ReadonlyMap<Family, Search>): [Family, Address][] {
  return [...searches].flatMap(([family, { found }]) => (found === undefined ? [] : [[family, found]]));
}
