// Gives the finished routes of touched prefixes their ranks: unchanged content keeps its rank, changed
// content takes the current one. -> the new rank memory and the prefixes whose routes are not as they were.

import { PersistentMap } from '@herald/net';
import type { World } from '../world.ts';
import { RetainedRanks } from './adopt-rank.ts';
import type { FinalRoute } from './apply-limits.ts';
import { currentRank, isDoubtful, isStandbys, keptRank, standbyRank } from './rank.ts';
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

type IsOutdated = (route: RankedRoute) => boolean;

const NONE: readonly RankedRoute[] = [];
const NO_PREFIXES: ReadonlySet<string> = new Set();

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
  const { leading } = world.leadership;
  const { ordinal } = world.replica;
  const { othersFreshUntilMs } = world.freshness;
  const isOutdated = outdated(world, memory);
  const anew = isOutdated === undefined ? NO_PREFIXES : prefixesOf(known, isOutdated);
  // What the first decision finds did not change now.
  const changedMs = memory === undefined ? -Infinity : world.now;
  for (const text of new Set([...touched, ...droppedWith(memory, known), ...anew])) {
    const all = known.get(text) ?? NONE;
    const before = isOutdated === undefined ? all : all.filter((route) => !isOutdated(route));
    const after = finals(text).map((route) => {
      const fresh = retained?.rankOf(route, text) ?? rank;
      return ranked(route, before, {
        rank: fresh,
        stoodBySinceMs: isStandbys(fresh) ? changedMs : undefined,
      });
    });
    if (!same(memory?.routes.get(text) ?? NONE, after)) {
      changes.push({ text, after });
    }
    yield;
  }
  return {
    changes,
    ranks: { announced, leading, ordinal, othersFreshUntilMs, routes: applied(known, changes) },
  };
}

function keptRoutes(memory: RankMemory | undefined, announced: boolean): RankMemory['routes'] {
  const startsToAnnounce = announced && memory?.announced === false;
  return memory && !startsToAnnounce ? memory.routes : PersistentMap.empty();
}

/** Routes whose ranks were dropped all need new ones. */
function droppedWith(memory: RankMemory | undefined, known: RankMemory['routes']): Iterable<string> {
  return memory && memory.routes !== known ? memory.routes.keys() : [];
}

/**
 * Since when a replica may announce what was true before, at a better rank than a standby's; Infinity: none does, as far
 * as is known. Told to a leader when it begins and when a replica falls silent; what it changes itself has its term.
 */
function doubtedSinceMs(
  { now, leadership, freshness, settings }: World,
  memory: RankMemory | undefined,
): number {
  const untilMs = freshness.othersFreshUntilMs;
  const takesOver = memory?.leading === false;
  if (!leadership.leading || !(takesOver || memory?.othersFreshUntilMs !== untilMs)) {
    return Infinity;
  }
  const { handedOver = false } = leadership;
  const lost = takesOver && !(handedOver && untilMs !== undefined);
  return Math.min(lost ? now : Infinity, untilMs ?? Infinity) - settings.doubtMs;
}

/** Whose ranks are given up; undefined: nobody's. */
function outdated(world: World, memory: RankMemory | undefined): IsOutdated | undefined {
  const sinceMs = doubtedSinceMs(world, memory);
  const isAside = memory !== undefined && memory.ordinal !== world.replica.ordinal;
  const left = isAside ? standbyRank(memory.ordinal) : undefined;
  return sinceMs < Infinity || isAside
    ? (route) => isDoubtful(route, sinceMs) || route.rank === left
    : undefined;
}

function prefixesOf(routes: RankMemory['routes'], isOutdated: IsOutdated): ReadonlySet<string> {
  const found = [...routes].filter(([, known]) => known.some(isOutdated));
  return new Set(found.map(([text]) => text));
}

function ranked(
  { group, hops }: FinalRoute,
  before: readonly RankedRoute[],
  fresh: Pick<RankedRoute, 'rank' | 'stoodBySinceMs'>,
): RankedRoute {
  const unchanged = before.find((route) => route.group === group && route.hops === hops);
  if (unchanged !== undefined) {
    return unchanged;
  }
  const { rank, stoodBySinceMs } = keptRank(group, hops, before) ?? fresh;
  return { group, hops, rank, stoodBySinceMs };
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
