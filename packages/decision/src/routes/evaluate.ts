// From changed objects to the Services and prefixes that they touch, all worked out again: the first half of
// a decision on routes, before limits, ranks and tables. Starting point -> indexes, Services, prefixes.

import type { ServiceChange } from '../incremental/index-change.ts';
import { indexMembers } from '../incremental/member-index.ts';
import { indexReaders } from '../incremental/reader-index.ts';
import { indexSlices } from '../incremental/slice-index.ts';
import type { StartingPoint } from '../incremental/starting-point.ts';
import { evaluateNodes } from './evaluate-nodes.ts';
import type { Joins } from './evaluate-nodes.ts';
import { coverageChanges, evaluatePrefixes } from './evaluate-prefixes.ts';
import type { EvaluatedPrefixes, PrefixRequest } from './evaluate-prefixes.ts';
import { evaluateServices } from './evaluate-services.ts';
import { refreshedInfrastructure } from './infrastructure.ts';
import type { JoinMemory } from './join-memory.ts';
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
  readonly joins: JoinMemory;
}

export function* evaluate(start: StartingPoint, joins: Joins): Steps<Evaluated> {
  const { read, base } = start;
  const slices = indexSlices(base.slices, base.read.endpointSlices, read.endpointSlices);
  yield;
  const nodes = evaluateNodes(start, joins);
  const infrastructure = refreshedInfrastructure(base, read, nodes.view, nodes.changed);
  yield;
  const services = yield* evaluateServices({ start, slices, nodes, joins });
  yield;
  const members = indexMembers(base.members, services.changes);
  const indexes = {
    slices: slices.index,
    view: nodes.view,
    readers: indexReaders(base.readers, services.changes),
    infrastructure,
    services: services.services,
    members: members.index,
  };
  const dirty = [
    ...start.forgotten,
    ...members.prefixes,
    ...(nodes.changed.length > 0 ? readersOfEveryNode(base) : []),
    ...coverageChanges(base.prefixes, base.infrastructure, infrastructure),
  ];
  return {
    changes: services.changes,
    indexes,
    prefixes: yield* evaluatePrefixes(prefixRequest(base, indexes, dirty)),
    joins: { ...services.joins, ...nodes.joins },
  };
}

function prefixRequest(
  { policy, interner, prefixes, everyNodeReaders }: RouteMemory,
  { view, infrastructure, members }: Evaluated['indexes'],
  dirty: readonly string[],
): PrefixRequest {
  const context = { policy, view, infrastructure, interner };
  return { prefixes, everyNodeReaders, members, dirty, context };
}

/** The shared set that a peer's limit puts in place of another is one of all nodes too. */
function readersOfEveryNode({ everyNodeReaders, limits }: RouteMemory): string[] {
  return [...everyNodeReaders.keys(), ...[...limits.values()].flatMap(({ shared }) => [...shared])];
}
