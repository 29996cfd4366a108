// Gives the finished routes of touched prefixes their ranks: unchanged content keeps its rank, changed
// content takes the current one. -> the new rank memory and the prefixes whose routes are not as they were.

import { PersistentMap } from '@herald/net';
import { RetainedRanks } from './adopt-rank.ts';
import type { FinalRoute } from './apply-limits.ts';
import { currentRank, keptRank } from './rank.ts';
import type { RankedRoute } from './rank.ts';
import type { RankMemory, RouteInputs } from './route-memory.ts';
import type { Steps } from '../steps.ts';

export interface RankChange {
  readonly text: string;
  readonly after: readonly RankedRoute[];
}

export interface RankedRoutes {
  readonly ranks: RankMemory;
  /** Only prefixes whose routes are not just those of before. */
  readonly changes: readonly RankChange[];
}

const NONE: readonly RankedRoute[] = [];

export function* rankRoutes(
  touched: Iterable<string>,
  finals: (text: string) => readonly FinalRoute[],
  memory: RankMemory | undefined,
  { world, announces: announced }: RouteInputs,
): Steps<RankedRoutes> {
  const known = keptRoutes(memory, announced);
  const rank = currentRank(world.leadership, world.replica);
  // What bgpd holds from before a restart is adopted once; later it would be somebody else's past.
  const retained = memory === undefined ? new RetainedRanks(world.retained, world.settings.asn) : undefined;
  const changes: RankChange[] = [];
  for (const text of new Set([...touched, ...droppedWith(memory, known)])) {
    const before = known.get(text) ?? NONE;
    const after = finals(text).map((route) => ranked(route, before, retained?.rankOf(route, text) ?? rank));
    if (!same(memory?.routes.get(text) ?? NONE, after)) {
      changes.push({ text, after });
    }
    yield;
  }
  return { changes, ranks: { announced, routes: applied(known, changes) } };
}

function keptRoutes(memory: RankMemory | undefined, announced: boolean): RankMemory['routes'] {
  const startsToAnnounce = announced && memory?.announced === false;
  return memory && !startsToAnnounce ? memory.routes : PersistentMap.empty();
}

/** Routes whose ranks were dropped all need new ones. */
function droppedWith(memory: RankMemory | undefined, known: RankMemory['routes']): Iterable<string> {
  return memory && memory.routes !== known ? memory.routes.keys() : [];
}

function ranked({ group, hops }: FinalRoute, before: readonly RankedRoute[], fresh: number): RankedRoute {
  const unchanged = before.find((route) => route.group === group && route.hops === hops);
  return unchanged ?? { group, hops, rank: keptRank(group, hops, before) ?? fresh };
}

function same(a: readonly RankedRoute[], b: readonly RankedRoute[]): boolean {
  return a.length === b.length && a.every((route, i) => route === b[i]);
}

function applied(routes: RankMemory['routes'], changes: readonly RankChange[]): RankMemory['routes'] {
  return routes.with(
    changes.filter(({ after }) => after.length > 0).map(({ text, after }) => [text, after] as const),
    changes.filter(({ after }) => after.length === 0).map(({ text }) => text),
  );
}
