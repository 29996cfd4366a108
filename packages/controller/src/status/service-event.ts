// The Event that there is to write about a Service: it was given or lost addresses, or it cannot have what it asks
// for. Known only by comparing what the API server showed before with what it shows now, so that an address
// is spoken of when it is there and not when it is wanted.

import { REASONS, type Pool, type Reason, type Service } from '@herald/api';
import type { Allocation, ServiceVerdict } from '@herald/decision';
import { rangeContains, type Address, type PersistentMap } from '@herald/net';

import type { WantedEvent } from './wanted-status.ts';

export type Said = Pick<WantedEvent, 'type' | 'reason' | 'message'>;

/** Why a Service is not announced, where somebody has to do something; one without endpoints is everyday life. */
const WARNED: ReadonlySet<string> = new Set<Reason>([
  'AddressConflict',
  'AddressNotOurs',
  'CoversInfrastructure',
]);

/** Written beside the addresses that Herald gave. */
const ALLOCATED = 'heraldbgp.io/allocated-addresses';

/** `unmet`: why the Service lacks addresses that it asks for. */
export function warning(verdict: ServiceVerdict | undefined, unmet: Reason | undefined): Said | undefined {
  const reasons = verdict === undefined ? [] : [verdict.reason, ...verdict.remarks];
  const reason = reasons.find((each): each is Reason => WARNED.has(each)) ?? unmet;
  return reason === undefined ? undefined : { type: 'Warning', reason, message: REASONS[reason] };
}

/** `before` is undefined for a Service that is new. */
export function given(
  before: Service | undefined,
  after: Service,
  pools: PersistentMap<Pool>,
): Said | undefined {
  const texts = onlyOf(after, before).map((address) => `${address.text}${poolPhrase(address, pools)}`);
  if (texts.length === 0) {
    return undefined;
  }
  const lost = lostTexts(before, after);
  const message = `The Service was given ${texts.join(' and ')}`;
  return lost.length === 0
    ? { type: 'Normal', reason: 'AddressGiven', message: `${message}.` }
    : { type: 'Normal', reason: 'AddressChanged', message: `${message} instead of ${lost.join(' and ')}.` };
}

export function taken(before: Service, after: Service, wanted: Allocation | undefined): Said | undefined {
  const lost = lostTexts(before, after);
  const why = wanted?.kind === 'take' ? ` ${REASONS[wanted.reason]}` : '';
  const message = `The Service no longer has ${lost.join(' and ')}.${why}`;
  return lost.length === 0 ? undefined : { type: 'Normal', reason: 'AddressTaken', message };
}

function lostTexts(before: Service | undefined, after: Service): string[] {
  return before === undefined ? [] : onlyOf(before, after).map(({ text }) => text);
}

/** Addresses that Herald gave to the Service and that it does not have in the other state. */
function onlyOf(service: Service, other: Service | undefined): Address[] {
  const allocated = allocatedTo(service);
  const held = textsOf(other?.ingress ?? []);
  return service.ingress.filter(({ text }) => allocated.has(text) && !held.has(text));
}

function textsOf(addresses: readonly Address[]): ReadonlySet<string> {
  return new Set(addresses.map(({ text }) => text));
}

function allocatedTo({ annotations }: Service): ReadonlySet<string> {
  return new Set((annotations[ALLOCATED] ?? '').split(',').map((text) => text.trim()));
}

function poolPhrase(address: Address, pools: PersistentMap<Pool>): string {
  const pool = Array.from(pools.values()).find(({ ranges }) =>
    ranges.some((range) => rangeContains(range, address)),
  );
  return pool === undefined ? '' : ` from pool ${pool.name}`;
}
