// World -> the address writes that are wanted, a verdict on each pool, and which Services may not be
// announced or do not have what they ask for. Which addresses are in use is read from the Services; the
// memory only saves reading all of them again, and keeps what was decided and not yet written.
//
// Every replica keeps the books; only a leader with IPAM on gives addresses. Another term forgets what was
// not written. A start with an empty memory finds the same addresses, because they are in the Services.

import type { Reason } from '@herald/api';
import { PersistentMap } from '@herald/net';
import { withServiceItems } from '../incremental/service-list.ts';
import type { World } from '../world.ts';
import type { Allocation, AllocationOutcome, PoolVerdict } from './allocation.ts';
import { EMPTY_TICK, closeTick, noteClaim, noteRefusal, openTick } from './allocation-tick.ts';
import type { Tick, TickState } from './allocation-tick.ts';
import { judgePools } from './judge-pools.ts';
import { settleServices } from './settle-services.ts';
import { finished } from '../steps.ts';
import type { Steps } from '../steps.ts';

type Inputs = Pick<World, 'services' | 'pools' | 'namespaces'> & {
  /** The settings that allocation reads, as text. */
  readonly mode: string;
  /** The term of the leadership that gives addresses; undefined for a replica that gives none. */
  readonly givesInTerm: number | undefined;
};

interface Results {
  readonly allocations: readonly Allocation[];
  readonly pools: PersistentMap<PoolVerdict>;
  readonly refusals: PersistentMap<Reason>;
  /** By Service key: why a Service does not have (all) the addresses that it asks for; leader only. */
  readonly unmet: PersistentMap<Reason>;
}

export interface AllocationMemory {
  readonly inputs: Inputs | undefined;
  readonly state: TickState;
  readonly results: Results;
}

export type AddressAllocation = AllocationOutcome<AllocationMemory> & Results;

export function emptyAllocationMemory(): AllocationMemory {
  const { refusals, unmet } = EMPTY_TICK;
  const results = { allocations: [], pools: PersistentMap.empty<PoolVerdict>(), refusals, unmet };
  return { inputs: undefined, state: EMPTY_TICK, results };
}

export function allocate(world: World, memory: AllocationMemory): AddressAllocation {
  return finished(allocating(world, memory));
}

/** The same, in steps. */
export function* allocating(world: World, memory: AllocationMemory): Steps<AddressAllocation> {
  const inputs = inputsOf(world);
  const { inputs: last, results: before } = memory;
  if (last !== undefined && sameInputs(last, inputs)) {
    return { ...before, memory };
  }
  const pools = last?.pools === inputs.pools ? 'same' : 'changed';
  const tick = openTick(world, memory.state, pools);
  yield* run(tick, inputs, last);
  const judged = pools === 'changed' || tick.ledger.touched;
  const verdicts = judged ? judgePools(tick.layout, tick.ledger, before.pools) : before.pools;
  yield;
  const state = closeTick(tick);
  yield;
  const results: Results = {
    allocations: withServiceItems(before.allocations, writesOf(tick)),
    pools: verdicts,
    refusals: state.refusals,
    unmet: state.unmet,
  };
  return { ...results, memory: { inputs, state, results } };
}

function inputsOf({ services, pools, namespaces, settings, leadership }: World): Inputs {
  const { ipam, compatibilityAnnotations, loadBalancerClass } = settings;
  const mode = JSON.stringify([ipam, compatibilityAnnotations, loadBalancerClass]);
  const givesInTerm = ipam && leadership.leading ? leadership.term : undefined;
  return { services, pools, namespaces, mode, givesInTerm };
}

function sameInputs(a: Inputs, b: Inputs): boolean {
  return (
    sameRules(a, b) &&
    a.services === b.services &&
    a.namespaces === b.namespaces &&
    a.givesInTerm === b.givesInTerm
  );
}

/** Whether what holds for one unchanged Service cannot have changed. */
function sameRules(a: Inputs, b: Inputs): boolean {
  return a.pools === b.pools && a.mode === b.mode;
}

function* run(tick: Tick, inputs: Inputs, last: Inputs | undefined): Steps<void> {
  const everything = last === undefined || !sameRules(last, inputs);
  const changed = everything ? allKeys(tick) : inputs.services.changedKeys(last.services);
  const takesOver = last?.givesInTerm !== inputs.givesInTerm;
  // Also from term to term: in between another leader may have given away what this one wanted to give.
  const forgotten = takesOver ? forgetWanted(tick) : [];
  const due = new Set([...changed, ...forgotten]);
  for (const key of due) {
    noteClaim(tick, key);
    yield;
  }
  tick.ledger.judge().forEach((key) => due.add(key));
  for (const key of due) {
    noteRefusal(tick, key);
    yield;
  }
  if (inputs.givesInTerm !== undefined) {
    const repinned = last?.namespaces === inputs.namespaces ? [] : tick.waiting.base.keys();
    yield* settleServices(tick, takesOver ? allKeys(tick) : [...due, ...repinned]);
  }
}

function allKeys({ world, claims, waiting }: Tick): string[] {
  return [...new Set([...world.services.keys(), ...claims.base.keys(), ...waiting.base.keys()])];
}

/** A replica that does not lead wants no writes; answers whose claims are smaller for it. */
function forgetWanted({ wanted, unmet, waiting }: Tick): string[] {
  const keys = [...wanted.base.keys()];
  keys.forEach((key) => wanted.set(key, undefined));
  [...unmet.base.keys()].forEach((key) => unmet.set(key, undefined));
  [...waiting.base.keys()].forEach((key) => waiting.set(key, undefined));
  return keys;
}

function writesOf({ wanted }: Tick): ReadonlyMap<string, readonly Allocation[]> {
  return new Map(Array.from(wanted.writes(), ([key, write]) => [key, write ? [write] : []]));
}
