// Ranks: of the replicas that announce a prefix, routers prefer the one with the better rank, and the rank
// says in which term the content of the prefix last changed. Lower is better, as with MED:
//
//   4_000_000_000 - term      changed while this replica led in that term
//   4_100_000_000 + ordinal   changed while it did not lead
//   4_290_000_001 + ordinal   announced from a kept table (kept-tables.ts): not known to be true any more, so below
//                             whatever any replica says that knows; the ordinal is folded into what MED has left
//
// A rank changes only together with the content that a peer is told; a take-over changes none - but of content that
// changed while this replica stood by and just before it took over: the leader of then may have been frozen or cut
// off already, its copy is of before, and it would be preferred for ever. A leader that hands over was there until then,
// and its copies go with its sessions. The same holds of any replica that is not heard any more, for what changed since:
// it may have led once, and goes on announcing (docs/adr/0008). And where two standbys had one ordinal, what the one that
// steps aside ranked by it, so that no two tie. Which content belongs to which rank is memory
// (RankedRoute), and an explicit input of a decision.

import type { Peer } from '@herald/api';
import type { PathAttributes } from '@herald/net';
import type { Leadership, Replica } from '../world.ts';
import type { Hop } from './hop.ts';
import { sameHops } from './hop.ts';
import type { PeerGroup } from './peer-group.ts';

export interface RankRule {
  readonly mode: 'MED' | 'LocalPref' | 'None';
  readonly base: number;
}

/** What one group of peers is told of a prefix, and since which term. */
export interface RankedRoute {
  readonly group: PeerGroup;
  readonly hops: readonly Hop[];
  readonly rank: number;
  /** When it got the rank of a standby, by World.now, -Infinity for what was so at first; undefined for any other rank. */
  readonly stoodBySinceMs: number | undefined;
}

export const DEFAULT_MED_BASE = 4_000_000_000;
const STANDBY = 4_100_000_000;
/** Above every standby: ordinals end at 190_000_000 (the controller's standby-order.ts). */
const UNCONFIRMED = 4_290_000_001;
/** What unsigned 32 bits leave above that, in round numbers. */
const UNCONFIRMED_PLACES = 4_900_000;
/** Terms count up from it; below there is room for every standby and every kept table, so that none of them tie. */
const DEFAULT_LOCAL_PREF_BASE = 1_000_000_000;
const MAX_UNSIGNED_32 = 4_294_967_295;

export function rankRule({ mode, base }: Peer['rank']): RankRule {
  const usual = { MED: DEFAULT_MED_BASE, LocalPref: DEFAULT_LOCAL_PREF_BASE, None: 0 };
  return { mode, base: mode === 'None' ? 0 : (base ?? usual[mode]) };
}

/** Whether who has seen nothing since then cannot have seen this content. */
export function isDoubtful({ stoodBySinceMs }: RankedRoute, sinceMs: number): boolean {
  return stoodBySinceMs !== undefined && stoodBySinceMs >= sinceMs;
}

export function isStandbys(rank: number): boolean {
  return rank >= STANDBY;
}

/** The rank of content that changes now. */
export function currentRank(leadership: Leadership, replica: Replica): number {
  return leadership.leading ? DEFAULT_MED_BASE - leadership.term : standbyRank(replica.ordinal);
}

export function standbyRank(ordinal: number): number {
  return STANDBY + ordinal;
}

/** The rank of content that an earlier process decided and nobody has confirmed since. */
export function unconfirmedRank(ordinal: number): number {
  return UNCONFIRMED + (ordinal % UNCONFIRMED_PLACES);
}

export function rankedMed({ base }: RankRule, rank: number): number {
  return unsigned32(base - DEFAULT_MED_BASE + rank);
}

/** Higher is preferred here: terms count up from the base, standbys down from it. */
export function rankedLocalPref({ base }: RankRule, rank: number): number {
  return unsigned32(rank <= DEFAULT_MED_BASE ? base + (DEFAULT_MED_BASE - rank) : base - (rank - STANDBY));
}

/** The rank that was put into these attributes; undefined where none is, and none has to be kept. */
export function retainedRank(
  { mode, base }: RankRule,
  { med, localPref }: Pick<PathAttributes, 'med' | 'localPref'>,
): number | undefined {
  if (mode === 'MED') {
    return med - base + DEFAULT_MED_BASE;
  }
  const above = localPref - base;
  return mode === 'None' ? undefined : above >= 0 ? DEFAULT_MED_BASE - above : STANDBY - above;
}

function unsigned32(value: number): number {
  return Math.min(Math.max(value, 0), MAX_UNSIGNED_32);
}

/**
 * The route whose rank a group's content keeps: the best-ranked one of those before, if every peer of the group that was told something
 * of this prefix was told just this. undefined: it is new or has changed.
 */
export function keptRank(
  group: PeerGroup,
  hops: readonly Hop[],
  before: readonly RankedRoute[],
): RankedRoute | undefined {
  let kept: RankedRoute | undefined;
  for (const route of before) {
    if (route.group === group || shareNumber(route.group.numbers, group.numbers)) {
      if (!sameHops(route.hops, hops)) {
        return undefined;
      }
      kept = kept === undefined || route.rank < kept.rank ? route : kept;
    }
  }
  return kept;
}

function shareNumber(a: readonly number[], b: readonly number[]): boolean {
  return a.some((number) => b.includes(number));
}
