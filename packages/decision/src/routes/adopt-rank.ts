// Which ranks the first decision of a process takes over: (content, what bgpd retained of the prefix) -> the rank with
// which bgpd holds just this content, or undefined. Announced again with that rank, the route is what bgpd has
// already, and no router hears of the restart.
//
// A rank belongs to a content. If any peer of the group was told something else - other next hops, a community, a
// weight - the content is of now, and so is its rank: the old one would let a stale replica pass for newer. Path ids
// are no content; bgpd gives routers its own.

import { EVERY_PEER, isExportTag } from '@herald/net';
import type { Asn } from '@herald/net';
import type { RetainedPath, RetainedTables } from '../world.ts';
import type { FinalRoute } from './apply-limits.ts';
import type { Hop } from './hop.ts';
import { linkBandwidth } from './link-bandwidth.ts';
import { dressed, keyWithoutAsns } from './path-class.ts';
import type { PathClass } from './path-class.ts';
import { SHARED } from './peer-group.ts';
import type { PeerGroup } from './peer-group.ts';
import { retainedRank } from './rank.ts';

export class RetainedRanks {
  readonly #tables: RetainedTables;
  readonly #asn: Asn;
  /** What retained attributes must be, by class and then by what is put into it. */
  readonly #keys = new Map<PathClass, Map<string, string>>();

  constructor(tables: RetainedTables, asn: Asn) {
    this.#tables = tables;
    this.#asn = asn;
  }

  rankOf({ group, hops }: FinalRoute, prefix: string): number | undefined {
    const paths = this.#tables.get(group.fields.table)?.get(prefix);
    if (paths === undefined) {
      return undefined;
    }
    let adopted: number | undefined;
    for (const told of toldToEach(group, paths)) {
      const rank = this.#rankIn(told, hops);
      if (rank === undefined) {
        return undefined;
      }
      adopted = Math.min(adopted ?? rank, rank);
    }
    return adopted;
  }

  /** The one rank that makes these hops these paths. */
  #rankIn(paths: readonly RetainedPath[], hops: readonly Hop[]): number | undefined {
    const [first] = paths;
    const rule = hops[0]?.class.rank;
    const rank = first && rule && retainedRank(rule, first.attributes);
    if (rank === undefined || paths.length !== hops.length) {
      return undefined;
    }
    const byHop = new Map(paths.map((path) => [path.nextHop, path]));
    const isSame = hops.every((hop) => {
      const path = byHop.get(hop.nextHop.text);
      return path !== undefined && path.attributes.key === this.#keyOf(hop, rank, path);
    });
    return isSame ? rank : undefined;
  }

  #keyOf(hop: Hop, rank: number, path: RetainedPath): string {
    const keys = this.#keys.get(hop.class) ?? new Map<string, string>();
    this.#keys.set(hop.class, keys);
    const tags = path.attributes.largeCommunities.filter(isExportTag);
    const dressing = `${rank} ${hop.weight} ${tags.map(({ local2 }) => local2).join()}`;
    const key =
      keys.get(dressing) ??
      keyWithoutAsns(dressed(hop.class, { rank, tags, linkBandwidth: linkBandwidth(hop.weight, this.#asn) }));
    keys.set(dressing, key);
    return key;
  }
}

/** What each peer of the group was told, where it was told anything; peers that were told the same count once. */
function toldToEach(group: PeerGroup, paths: readonly RetainedPath[]): (readonly RetainedPath[])[] {
  if (group.fields.table !== SHARED || paths.every((path) => isFor(path, EVERY_PEER))) {
    return [paths];
  }
  const told = group.numbers.map((number) =>
    paths.filter((path) => isFor(path, EVERY_PEER) || isFor(path, number)),
  );
  return told.filter(({ length }) => length > 0);
}

function isFor({ attributes }: RetainedPath, number: number): boolean {
  return attributes.largeCommunities.some((each) => isExportTag(each) && each.local2 === number);
}
