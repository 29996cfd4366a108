// The tables that are kept for a start without live data: those of the last decision at the rank of content that
// nobody has confirmed (rank.ts). Memory of the last decision, tables of before -> tables. Only what changed since then
// is written anew; where they go and when they are announced is the controller's business.
//
// While a replica only stands ready its tables are kept as it announces them: empty.

import { PersistentMap } from '@herald/net';
import type { Tables } from '../decision.ts';
import type { Memory } from '../memory.ts';
import type { Steps } from '../steps.ts';
import { Interner } from './interner.ts';
import type { Policy } from './policy.ts';
import { unconfirmedRank } from './rank.ts';
import type { RankChange } from './rank-routes.ts';
import type { RankMemory } from './route-memory.ts';
import { emptied, writeTables } from './write-tables.ts';

export interface KeptTables {
  readonly tables: Tables;
  /** What they were made from. */
  readonly made: {
    readonly written: Tables;
    readonly routes: RankMemory['routes'];
    readonly policy: Policy;
    readonly ordinal: number;
  };
  readonly interner: Interner;
}

const NO_TABLES: Tables = { shared: PersistentMap.empty(), views: new Map() };

/** undefined as long as nothing was decided. */
export function* keptTables(
  { ranks, routes }: Pick<Memory, 'ranks' | 'routes'>,
  ordinal: number,
  before: KeptTables | undefined,
): Steps<KeptTables | undefined> {
  if (ranks === undefined || routes === undefined) {
    return undefined;
  }
  const { policy, prefixes } = routes;
  const base =
    before?.made.policy === policy && before.made.ordinal === ordinal
      ? before.made
      : { written: NO_TABLES, routes: PersistentMap.empty<never>() };
  const changes = lowered(ranks.routes, base.routes, unconfirmedRank(ordinal));
  const interner = before?.interner ?? new Interner();
  const written = yield* writeTables(base.written, changes, prefixes, policy, interner);
  return {
    tables: ranks.announced ? written : emptied(written, NO_TABLES),
    made: { written, routes: ranks.routes, policy, ordinal },
    interner: interner.compacted([written.shared, ...written.views.values()]),
  };
}

function lowered(
  routes: RankMemory['routes'],
  before: RankMemory['routes'],
  rank: number,
): readonly RankChange[] {
  return routes.changedKeys(before).map((text) => ({
    text,
    after: (routes.get(text) ?? []).map((route) => ({ ...route, rank })),
  }));
}
