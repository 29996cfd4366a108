// How much each peer gets, in the words of status and metrics. Tallies of groups -> PeerRoutes by peer name.

import type { PersistentMap } from '@herald/net';
import type { PeerRoutes } from '../decision.ts';
import type { LimitsByGroup } from './apply-limits.ts';
import type { PeerGroup } from './peer-group.ts';
import { NO_TALLY } from './tally.ts';
import type { Tallies } from './tally.ts';

export function peerRoutes(
  before: PersistentMap<PeerRoutes>,
  groups: readonly PeerGroup[],
  tallies: Tallies,
  limits: LimitsByGroup,
): PersistentMap<PeerRoutes> {
  const entries: [string, PeerRoutes][] = [];
  for (const group of groups) {
    const { prefixes, paths, sets } = tallies.get(group.key) ?? NO_TALLY;
    const trimmedPaths = limits.get(group.key)?.trimmedPaths ?? 0;
    const now = { prefixes, paths, nextHopSets: sets.size, trimmedPaths };
    for (const { peer } of group.peers) {
      const known = before.get(peer.name);
      entries.push([peer.name, known && sameCounts(known, now) ? known : now]);
    }
  }
  const present = new Set(entries.map(([name]) => name));
  return before.with(
    entries,
    [...before.keys()].filter((name) => !present.has(name)),
  );
}

function sameCounts(a: PeerRoutes, b: PeerRoutes): boolean {
  return (
    a.prefixes === b.prefixes &&
    a.paths === b.paths &&
    a.nextHopSets === b.nextHopSets &&
    a.trimmedPaths === b.trimmedPaths
  );
}
