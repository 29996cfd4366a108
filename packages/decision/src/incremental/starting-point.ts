// Where a decision starts from: the memory of the last one, or - when something changed that all routes read
// (peers, pools, advertisements, settings) - an empty one under the new policy. Results of before stay at
// hand in either case, because what comes out the same must stay the same object.

import { sameProjected } from '@herald/api';
import { Policy } from '../routes/policy.ts';
import { emptyRouteMemory, readInputs } from '../routes/route-memory.ts';
import type { ReadInputs, RouteInputs, RouteMemory } from '../routes/route-memory.ts';

export interface StartingPoint {
  readonly read: ReadInputs;
  readonly base: RouteMemory;
  readonly kind: 'continued' | 'fresh';
  /** Prefixes of before, all to be looked at because nothing of `base` knows them. */
  readonly forgotten: readonly string[];
}

export function startingPoint(inputs: RouteInputs, memory: RouteMemory | undefined): StartingPoint {
  const read = readInputs(inputs);
  if (memory && samePolicy(memory.read, read)) {
    return { read, base: memory, kind: 'continued', forgotten: [] };
  }
  const fresh = emptyRouteMemory(new Policy(read));
  return memory
    ? { read, base: keepingResults(fresh, memory), kind: 'fresh', forgotten: [...memory.members.keys()] }
    : { read, base: fresh, kind: 'fresh', forgotten: [] };
}

/** The slice index and the node checks' inputs do not depend on policy; results and interned paths stay. */
function keepingResults(
  fresh: RouteMemory,
  { slices, interner, tables, outcome, read }: RouteMemory,
): RouteMemory {
  return {
    ...fresh,
    slices,
    interner,
    tables,
    outcome,
    read: { ...fresh.read, endpointSlices: read.endpointSlices },
  };
}

function samePolicy(before: ReadInputs, now: ReadInputs): boolean {
  return (
    before.pools === now.pools &&
    before.advertisements === now.advertisements &&
    sameProjected(before.settings, now.settings) &&
    samePeers(before.peers, now.peers)
  );
}

function samePeers(before: ReadInputs['peers'], now: ReadInputs['peers']): boolean {
  return before === now || (before.length === now.length && before.every((peer, i) => peer === now[i]));
}
