// The leader's part: for each Service that may need something, oldest first, choose its addresses and want a
// write if the API says otherwise. An address chosen is held at once, so no other Service gets it, in this
// tick or before the API shows it.
//
// A Service that could not have what it asks for waits, and is looked at again when an address of a family
// that it lacks was given up.

import type { Reason, Service } from '@herald/api';
import type { Address, Family } from '@herald/net';
import { compareText } from '../peers/peer-order.ts';
import type { Steps } from '../steps.ts';
import type { Allocation } from './allocation.ts';
import { isServed, noteClaim } from './allocation-tick.ts';
import type { Tick } from './allocation-tick.ts';
import { chooseAddresses } from './choose-addresses.ts';
import type { Choice } from './choose-addresses.ts';
import { isAllOurs, sameAddresses } from './claims.ts';
import { poolOwning } from './pool-layout.ts';
import { sharingTerms } from './sharing.ts';
import { isMarked, writtenTerm } from './written-marks.ts';

/** Settling may itself give up a wanted address; after so many rounds the rest is left to the next tick. */
const ROUNDS = 3;

export function* settleServices(tick: Tick, keys: Iterable<string>): Steps<void> {
  let due = servicesOf(tick, new Set([...keys, ...waitingFor(tick, tick.ledger.eased)]));
  for (let round = 0; round < ROUNDS && due.length > 0; round++) {
    tick.ledger.eased.clear();
    for (const service of due) {
      settle(tick, service);
      yield;
    }
    due = servicesOf(tick, new Set(waitingFor(tick, tick.ledger.eased)));
  }
}

function servicesOf({ world }: Tick, keys: ReadonlySet<string>): Service[] {
  return [...keys]
    .flatMap((key) => world.services.get(key) ?? [])
    .sort((a, b) => a.createdAt - b.createdAt || compareText(a.key, b.key));
}

function waitingFor({ waiting }: Tick, eased: ReadonlySet<Family>): string[] {
  if (eased.size === 0) {
    return [];
  }
  const keys = new Set([...waiting.base.keys(), ...waiting.writes().keys()]);
  return [...keys].filter((key) => waiting.get(key)?.some((family) => eased.has(family)));
}

function settle(tick: Tick, service: Service): void {
  const choice = isSettled(tick, service) ? undefined : choose(tick, service);
  const write = choice === undefined ? leftover(tick, service) : writeFor(tick, service, choice);
  want(tick, service.key, write);
  tick.unmet.set(service.key, choice?.unmet);
  const waits = choice !== undefined && (choice.unmet !== undefined || choice.lacking.length > 0);
  tick.waiting.set(service.key, waits ? choice.lacking : undefined);
}

/** Not Herald's to give anything to: another's, on its way out, or written by somebody else. */
function isSettled(tick: Tick, service: Service): boolean {
  return service.deleting || !isServed(tick, service) || !isAllOurs(service, tick.claims.get(service.key));
}

/**
 * A Service that stopped being a LoadBalancer gives back what it still has from us. The API server takes the addresses
 * away with the type, and leaves what stands beside them.
 */
function leftover(tick: Tick, service: Service): Allocation | undefined {
  const stays = service.deleting || service.type === 'LoadBalancer';
  const has = service.ingress.length > 0 || isMarked(service);
  return stays || !has || !isAllOurs(service, tick.claims.get(service.key))
    ? undefined
    : taking(tick, service, 'NotLoadBalancer');
}

function choose(tick: Tick, service: Service): Choice {
  const claim = tick.claims.get(service.key);
  return chooseAddresses(
    {
      service,
      terms: claim?.terms ?? sharingTerms(service, tick.spellings),
      held: claim?.addresses.filter((address) => !tick.ledger.isLoser(address, service.key)) ?? [],
    },
    {
      ledger: tick.ledger,
      layout: tick.layout,
      namespaces: tick.world.namespaces,
      spellings: tick.spellings,
    },
  );
}

function writeFor(tick: Tick, service: Service, { addresses, unmet }: Choice): Allocation | undefined {
  const [first] = addresses;
  if (sameAddresses(addresses, service.ingress)) {
    return undefined;
  }
  return first === undefined
    ? taking(tick, service, lossReason(tick, service, unmet))
    : {
        kind: 'give',
        serviceKey: service.key,
        uid: service.uid,
        term: termFor(tick, service, addresses),
        addresses,
        pool: poolOwning(tick.layout, first)?.name ?? '',
      };
}

/** A Service that gains a family must not lose its claim to the address that it has had for long. */
function termFor({ world }: Tick, service: Service, addresses: readonly Address[]): number {
  const staying = addresses.filter(({ text }) => service.ingress.some((shown) => shown.text === text));
  return Math.min(world.leadership.term, ...staying.map((address) => writtenTerm(service, address)));
}

function taking({ world }: Tick, { key, uid }: Service, reason: Reason): Allocation {
  return { kind: 'take', serviceKey: key, uid, term: world.leadership.term, addresses: [], reason };
}

function lossReason(tick: Tick, service: Service, unmet: Reason | undefined): Reason {
  if (tick.refusals.get(service.key) === 'AddressConflict') {
    return 'AddressConflict';
  }
  const inPool = service.ingress.some((address) => poolOwning(tick.layout, address) !== undefined);
  return inPool ? (unmet ?? 'WrongFamily') : 'AddressNotInPool';
}

function want(tick: Tick, key: string, write: Allocation | undefined): void {
  const before = tick.wanted.get(key);
  if (before === write || (before && write && sameWrite(before, write))) {
    return;
  }
  tick.wanted.set(key, write);
  noteClaim(tick, key);
}

function sameWrite(a: Allocation, b: Allocation): boolean {
  return (
    a.kind === b.kind &&
    a.uid === b.uid &&
    a.term === b.term &&
    sameAddresses(a.addresses, b.addresses) &&
    (a.kind === 'give' ? b.kind === 'give' && a.pool === b.pool : b.kind === 'take' && a.reason === b.reason)
  );
}
