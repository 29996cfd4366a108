// World -> the address writes that are wanted, a verdict on each pool, and which Services may not be
// announced or do not have what they ask for. Which addresses are in use is read from the Services; the
// memory only saves reading all of them again, and keeps what was decided and not yet written.
//
// Every replica keeps the books; only a leader with IPAM on gives addresses. Losing the lead forgets what
// was not written. A start with an empty memory finds the same addresses, because they are in the Services.

import type { Reason } from '@herald/api';
import { PersistentMap } from '@herald/net';
import { compareText } from '../peers/peer-order.ts';
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
  readonly gives: boolean;
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
    allocations: updated(before.allocations, tick.wanted.writes()),
    pools: verdicts,
    refusals: state.refusals,
    unmet: state.unmet,
  };
  return { ...results, memory: { inputs, state, results } };
}

function inputsOf({ services, pools, namespaces, settings, leadership }: World): Inputs {
  const { ipam, compatibilityAnnotations, loadBalancerClass } = settings;
  const mode = JSON.stringify([ipam, compatibilityAnnotations, loadBalancerClass]);
  return { services, pools, namespaces, mode, gives: ipam && leadership.leading };
}

function sameInputs(a: Inputs, b: Inputs): boolean {
  return sameRules(a, b) && a.services === b.services && a.namespaces === b.namespaces && a.gives === b.gives;
}

/** Whether what holds for one unchanged Service cannot have changed. */
function sameRules(a: Inputs, b: Inputs): boolean {
  return a.pools === b.pools && a.mode === b.mode;
}

function* run(tick: Tick, inputs: Inputs, last: Inputs | undefined): Steps<void> {
  const everything = last === undefined || !sameRules(last, inputs);
  const changed = everything ? allKeys(tick) : inputs.services.changedKeys(last.services);
  const forgotten = inputs.gives ? [] : forgetWanted(tick);
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
  if (inputs.gives) {
    const takesOver = last?.gives !== true;
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

/** The sorted list with some entries replaced, added or removed. */
function updated(
  before: readonly Allocation[],
  writes: ReadonlyMap<string, Allocation | undefined>,
): readonly Allocation[] {
  if (writes.size === 0) {
    return before;
  }
  const kept = before.filter(({ serviceKey }) => !writes.has(serviceKey));
  const added = [...writes.values()]
    .filter((write) => write !== undefined)
    .sort((a, b) => compareText(a.serviceKey, b.serviceKey));
  return merged(kept, added);
}

function merged(a: readonly Allocation[], b: readonly Allocation[]): readonly Allocation[] {
  const all: Allocation[] = [];
  let next = 0;
  for (const item of a) {
    for (let other = b[next]; other && other.serviceKey < item.serviceKey; other = b[++next]) {
      all.push(other);
    }
    all.push(item);
  }
  return [...all, ...b.slice(next)];
}
