// From changed objects to the Services and prefixes that they touch, all worked out again: the first half of
// a decision on routes, before limits, ranks and tables. Starting point -> indexes, Services, prefixes.

import type { ServiceChange } from '../incremental/index-change.ts';
import { indexMembers } from '../incremental/member-index.ts';
import { indexReaders } from '../incremental/reader-index.ts';
import { indexSlices } from '../incremental/slice-index.ts';
import type { StartingPoint } from '../incremental/starting-point.ts';
import { coverageChanges, evaluatePrefixes } from './evaluate-prefixes.ts';
import type { EvaluatedPrefixes } from './evaluate-prefixes.ts';
import { evaluateServices } from './evaluate-services.ts';
import { refreshedInfrastructure } from './infrastructure.ts';
import { refreshedNodes } from './node-view.ts';
import type { RouteMemory } from './route-memory.ts';
import type { Steps } from '../steps.ts';

export interface Evaluated {
  /** Services whose part in prefixes is not as it was. */
  readonly changes: readonly ServiceChange[];
  readonly indexes: Pick<
    RouteMemory,
    'slices' | 'view' | 'readers' | 'infrastructure' | 'services' | 'members'
  >;
  readonly prefixes: EvaluatedPrefixes;
}

export function* evaluate({ read, base, forgotten }: StartingPoint): Steps<Evaluated> {
  const { policy, interner, prefixes, everyNodeReaders } = base;
  const slices = indexSlices(base.slices, base.read.endpointSlices, read.endpointSlices);
  yield;
  const nodes = refreshedNodes(base.view, read.nodes, read.nodes.changedKeys(base.read.nodes), policy);
  const { view, changed: changedNodes } = nodes;
  const infrastructure = refreshedInfrastructure(base, read, view, changedNodes);
  yield;
  const services = yield* evaluateServices({
    read,
    before: base.read,
    services: base.services,
    readers: base.readers,
    slices,
    view,
    changedNodes,
    policy,
  });
  yield;
  const members = indexMembers(base.members, services.changes);
  const dirty = [
    ...forgotten,
    ...members.prefixes,
    ...(changedNodes.length > 0 ? readersOfEveryNode(base) : []),
    ...coverageChanges(base.prefixes, base.infrastructure, infrastructure),
  ];
  const context = { policy, view, infrastructure, interner };
  return {
    changes: services.changes,
    indexes: {
      slices: slices.index,
      view,
      readers: indexReaders(base.readers, services.changes),
      infrastructure,
      services: services.services,
      members: members.index,
    },
    prefixes: yield* evaluatePrefixes({ prefixes, everyNodeReaders, members: members.index, dirty, context }),
  };
}

/** The shared set that a peer's limit puts in place of another is one of all nodes too. */
function readersOfEveryNode({ everyNodeReaders, limits }: RouteMemory): string[] {
  return [...everyNodeReaders.keys(), ...[...limits.values()].flatMap(({ shared }) => [...shared])];
}
