// World, peers and memory -> route tables and verdicts. Reads like the list of its steps: what changed, which
// Services that concerns, which prefixes, what peers' limits make of them, ranks, tables, verdicts. Every step
// works on what the step before found changed and shares the rest.

import type { Tables } from '../decision.ts';
import type { Memory } from '../memory.ts';
import { startingPoint } from '../incremental/starting-point.ts';
import type { StartingPoint } from '../incremental/starting-point.ts';
import { applyLimits, finalRoutes } from './apply-limits.ts';
import { evaluate } from './evaluate.ts';
import type { Joins } from './evaluate-nodes.ts';
import { NO_JOINS, joinClock } from './join-memory.ts';
import type { JoinMemory } from './join-memory.ts';
import { judge } from './judge.ts';
import { rankRoutes } from './rank-routes.ts';
import type { RankChange } from './rank-routes.ts';
import type { RankMemory, RouteInputs, RouteMemory, RouteOutcome } from './route-memory.ts';
import { counted } from './tally.ts';
import type { Steps } from '../steps.ts';
import type { Tallies } from './tally.ts';
import { emptied, writeTables } from './write-tables.ts';

export interface DecidedRoutes {
  readonly outcome: RouteOutcome;
  readonly memory: RouteMemory;
  readonly ranks: RankMemory;
  readonly joins: JoinMemory;
}

/**
 * Without ranks and joins it is the first decision of a process: ranks that bgpd holds are adopted, and no node
 * has to wait.
 */
export function* decideRoutes(
  inputs: RouteInputs,
  memory: Pick<Memory, 'routes' | 'ranks' | 'joins'>,
): Steps<DecidedRoutes> {
  const { ranks: rankMemory } = memory;
  const start = startingPoint(inputs, memory.routes);
  yield;
  const { base, read } = start;
  const evaluated = yield* evaluate(start, joinsOf(inputs, memory));
  const { prefixes, context, everyNodeReaders } = evaluated.prefixes;
  const { limits, touched } = applyLimits(base.limits, prefixes, evaluated.prefixes.touched, context);
  yield;
  const { ranks, changes } = yield* rankRoutes(
    withRemembered(touched, start, rankMemory),
    (text) => finalRoutes(prefixes.get(text), limits, context),
    rankMemory,
    inputs,
  );
  const tables = yield* writeTables(base.tables, changes, prefixes, context.policy, context.interner);
  yield;
  const tallies = tallied(start, changes, rankMemory);
  yield;
  const judged = { start, evaluated, touched, routes: ranks.routes, limits, tallies };
  const { verdicts, counts } = yield* judge(judged);
  const outcome = { ...verdicts, tables: announcedTables(inputs, tables, base.outcome) };
  yield;
  const interner = context.interner.compacted([tables.shared, ...tables.views.values()]);
  const results = { prefixes, everyNodeReaders, limits, tallies, counts, interner, tables, outcome };
  const { joins, indexes } = evaluated;
  return { outcome, ranks, joins, memory: { ...indexes, ...results, read, policy: context.policy } };
}

function joinsOf({ world }: RouteInputs, { joins }: Pick<Memory, 'joins'>): Joins {
  return { memory: joins ?? NO_JOINS, clock: joinClock(world, joins) };
}

function announcedTables({ announces }: RouteInputs, tables: Tables, before: RouteOutcome): Tables {
  return announces ? tables : emptied(tables, before.tables);
}

/** A fresh start knows no prefix that ranks were remembered for; those that are gone have to be forgotten. */
function withRemembered(
  touched: ReadonlySet<string>,
  { kind }: StartingPoint,
  ranks: RankMemory | undefined,
): Iterable<string> {
  return kind === 'fresh' && ranks ? [...touched, ...ranks.routes.keys()] : touched;
}

function tallied(
  { kind, base }: StartingPoint,
  changes: readonly RankChange[],
  ranks: RankMemory | undefined,
): Tallies {
  const before = kind === 'fresh' ? undefined : ranks?.routes;
  return counted(
    base.tallies,
    changes.map(({ text, after }) => ({ before: before?.get(text) ?? [], after })),
  );
}
