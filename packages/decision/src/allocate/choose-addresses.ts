// One Service -> the addresses it should have: what it holds and may keep, what it asks for, and for families
// that are still missing what a search finds. It writes nothing.
//
// What worked is not given up for a wish that cannot be fulfilled: a Service whose request is refused keeps
// what it has, with the reason. Pins, autoAssign, avoidBuggyIPs and overlap decide about new addresses only.

import type { Reason, Service } from '@herald/api';
import type { Address, Family } from '@herald/net';
import { readRequest } from './address-request.ts';
import type { AcceptedRequest, AddressRequest } from './address-request.ts';
import { holdsAddress, poolOwning } from './pool-layout.ts';
import type { PoolLayout } from './pool-layout.ts';
import { foundIn, requestedOf, searchAddresses } from './search-addresses.ts';
import type { Claimant, Failure, Search, SearchContext } from './search-addresses.ts';

export interface Choice {
  /** In the order of the Service's families; at most one of each. */
  readonly addresses: readonly Address[];
  /** Why the Service does not have all that it asks for. */
  readonly unmet: Reason | undefined;
  /** Families in which it would take a better address as soon as there is one. */
  readonly lacking: readonly Family[];
}

/** What a Service that only prefers two families need not be told. */
const TOLERATED: ReadonlySet<Reason> = new Set(['PoolExhausted', 'NoPool', 'NoAddressOfServiceFamily']);

export function chooseAddresses(claimant: Claimant, context: SearchContext): Choice {
  const { service } = claimant;
  const request = readRequest(service, context.spellings);
  const usable = claimant.held.filter((address) => poolOwning(context.layout, address) !== undefined);
  const retained = byFamily(usable);
  const families = wantedFamilies(service);
  const refusal = requestRefusal(request, families);
  if (!request.ok || refusal !== undefined) {
    return { addresses: inOrder(families, retained), unmet: refusal, lacking: [] };
  }
  const kept = byFamily(usable.filter((address) => complies(address, request, context.layout)));
  const missing = families.filter((family) => !kept.has(family));
  const searches = searchAddresses(claimant, request, missing, kept, context);
  return compose(service, kept, searches, retained);
}

function wantedFamilies({ ipFamilies, ipFamilyPolicy }: Service): readonly Family[] {
  return ipFamilyPolicy === 'SingleStack' ? ipFamilies.slice(0, 1) : ipFamilies;
}

function byFamily(addresses: readonly Address[]): Map<Family, Address> {
  // Reversed, because the first of a family is to win.
  return new Map(addresses.toReversed().map((address) => [address.family, address]));
}

function inOrder(families: readonly Family[], addresses: ReadonlyMap<Family, Address>): Address[] {
  return families.flatMap((family) => addresses.get(family) ?? []);
}

function requestRefusal(request: AddressRequest, families: readonly Family[]): Reason | undefined {
  if (!request.ok) {
    return request.reason;
  }
  return request.addresses.every(({ family }) => families.includes(family)) ? undefined : 'WrongFamily';
}

function complies(address: Address, request: AcceptedRequest, layout: PoolLayout): boolean {
  const asked = requestedOf(address.family, request);
  const pool = request.pool === undefined ? undefined : layout.byName.get(request.pool);
  return (
    (asked === undefined || asked.text === address.text) &&
    (request.pool === undefined || (pool !== undefined && holdsAddress(pool, address)))
  );
}

/** A family that could not be had falls back on what the Service has now, if it has anything. */
function compose(
  service: Service,
  kept: ReadonlyMap<Family, Address>,
  searches: ReadonlyMap<Family, Search>,
  retained: ReadonlyMap<Family, Address>,
): Choice {
  const families = wantedFamilies(service);
  const failed = families.flatMap((family) => {
    const result = searches.get(family);
    return result === undefined || result.found !== undefined ? [] : [{ family, ...result }];
  });
  const best = new Map([...retained, ...foundIn(searches), ...kept]);
  const full = inOrder(families, best);
  const tolerant = service.ipFamilyPolicy === 'PreferDualStack' && full.length > 0;
  const complete = tolerant || (full.length === families.length && full.length > 0);
  const grave = tolerant ? failed.filter(({ reason }) => !TOLERATED.has(reason)) : failed;
  return {
    addresses: complete ? full : inOrder(families, retained),
    unmet: gravest(grave) ?? (complete ? undefined : 'NoAddressOfServiceFamily'),
    lacking: failed.filter(({ retry }) => retry === 'when-eased').map(({ family }) => family),
  };
}

/** What waiting cannot help comes first, exhaustion last: the word must not depend on who came in between. */
function gravest(failed: readonly Failure[]): Reason | undefined {
  const lasting = failed.find(({ retry }) => retry === 'never');
  const specific = failed.find(({ reason }) => reason !== 'PoolExhausted');
  return (lasting ?? specific ?? failed.at(0))?.reason;
}
