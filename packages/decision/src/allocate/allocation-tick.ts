// One tick of allocation while it is under way: the World, what the last tick left, and the drafts that the
// steps write to. The steps: note what Services claim, judge who may keep what, refuse, settle.
//
// This file has the steps that every replica takes, leading or not; giving addresses is another file's.

import type { Reason, Service } from '@herald/api';
import { PersistentMap } from '@herald/net';
import type { Family } from '@herald/net';
import type { World } from '../world.ts';
import { AddressLedger, EMPTY_LEDGER, recounted } from './address-ledger.ts';
import type { LedgerState } from './address-ledger.ts';
import type { Spellings } from './address-request.ts';
import type { Allocation } from './allocation.ts';
import { claimOf, holderOf, isAllOurs, isWritten } from './claims.ts';
import type { Claim } from './claims.ts';
import { MapDraft } from './map-draft.ts';
import { EMPTY_LAYOUT, layPools } from './pool-layout.ts';
import type { PoolLayout } from './pool-layout.ts';

/** What a tick leaves for the next one. All maps are by Service key. */
export interface TickState {
  readonly layout: PoolLayout;
  readonly ledger: LedgerState;
  readonly claims: PersistentMap<Claim>;
  /** Writes that are wanted until the API shows them. */
  readonly wanted: PersistentMap<Allocation>;
  readonly refusals: PersistentMap<Reason>;
  readonly unmet: PersistentMap<Reason>;
  /** Services without all they ask for, and the families in which a freed address would help. */
  readonly waiting: PersistentMap<readonly Family[]>;
}

export const EMPTY_TICK: TickState = {
  layout: EMPTY_LAYOUT,
  ledger: EMPTY_LEDGER,
  claims: PersistentMap.empty(),
  wanted: PersistentMap.empty(),
  refusals: PersistentMap.empty(),
  unmet: PersistentMap.empty(),
  waiting: PersistentMap.empty(),
};

export interface Tick {
  readonly world: World;
  readonly spellings: Spellings;
  readonly layout: PoolLayout;
  readonly ledger: AddressLedger;
  readonly claims: MapDraft<Claim>;
  readonly wanted: MapDraft<Allocation>;
  readonly refusals: MapDraft<Reason>;
  readonly unmet: MapDraft<Reason>;
  readonly waiting: MapDraft<readonly Family[]>;
}

export function openTick(world: World, before: TickState, pools: 'same' | 'changed'): Tick {
  const layout = pools === 'same' ? before.layout : layPools(world.pools);
  const ledger = pools === 'same' ? before.ledger : recounted(before.ledger, layout);
  return {
    world,
    spellings: world.settings.compatibilityAnnotations ? 'compatible' : 'herald',
    layout,
    ledger: new AddressLedger(ledger, layout),
    claims: new MapDraft(before.claims),
    wanted: new MapDraft(before.wanted),
    refusals: new MapDraft(before.refusals),
    unmet: new MapDraft(before.unmet),
    waiting: new MapDraft(before.waiting),
  };
}

export function closeTick(tick: Tick): TickState {
  return {
    layout: tick.layout,
    ledger: tick.ledger.commit(),
    claims: tick.claims.commit(),
    wanted: tick.wanted.commit(),
    refusals: tick.refusals.commit(),
    unmet: tick.unmet.commit(),
    waiting: tick.waiting.commit(),
  };
}

/** Enters in the ledger what the Service claims now, instead of what it claimed before. */
export function noteClaim(tick: Tick, key: string): void {
  const service = tick.world.services.get(key);
  dropWritten(tick, key, service);
  const before = tick.claims.get(key);
  const claim = service && claimOf(service, tick.wanted.get(key), before, tick);
  for (const address of before?.addresses ?? []) {
    if (!claim?.addresses.some(({ text }) => text === address.text)) {
      tick.ledger.release(address, key);
    }
  }
  if (service !== undefined && claim !== undefined) {
    claim.addresses.forEach((address) => tick.ledger.hold(address, holderOf(service, claim, address)));
  }
  tick.claims.set(key, claim);
  if (service === undefined) {
    tick.unmet.set(key, undefined);
    tick.waiting.set(key, undefined);
  }
}

/** A write that the API shows, or whose Service is gone, is wanted no longer. */
function dropWritten(tick: Tick, key: string, service: Service | undefined): void {
  const wanted = tick.wanted.get(key);
  if (wanted !== undefined && (service?.uid !== wanted.uid || isWritten(service, wanted))) {
    tick.wanted.set(key, undefined);
  }
}

/** Notes whether what the Service has may not be announced; `judge` of the ledger has been called. */
export function noteRefusal(tick: Tick, key: string): void {
  const service = tick.world.services.get(key);
  tick.refusals.set(key, service && refusalOf(tick, service));
}

function refusalOf(tick: Tick, service: Service): Reason | undefined {
  if (service.ingress.some((address) => tick.ledger.isLoser(address, service.key))) {
    return 'AddressConflict';
  }
  const foreign =
    !service.deleting && isServed(tick, service) && !isAllOurs(service, tick.claims.get(service.key));
  return foreign && tick.world.settings.ipam ? 'AddressNotOurs' : undefined;
}

/** Whether Herald is the one to look after the Service's addresses. */
export function isServed({ world }: Tick, service: Service): boolean {
  return service.type === 'LoadBalancer' && service.loadBalancerClass === world.settings.loadBalancerClass;
}
