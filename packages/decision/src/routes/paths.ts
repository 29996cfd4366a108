// Ranked routes of one prefix in one table -> PrefixRoutes: path ids, ranks and export tags put in, equal
// paths of several groups made one.
//
// Path id = hash of (next hop, class name), so that it survives changes of attributes, ranks, weights and
// peers; of two that clash inside a prefix the later one moves to the next free number, in the order of class name,
// next hop and group - never of rank or weight, or a change of those would look to bgpd like other paths.
//
// Export tags name the peers that a path is for. Tag 0 (everybody) only if no advertisement behind it
// restricts peers, all peers of the table that carry the family get it, and nothing about them narrows it.

import { EVERY_PEER, exportTag } from '@herald/net';
import type { Asn, Family, Path, PathAttributes, Prefix, PrefixRoutes } from '@herald/net';
import { pathIdOf } from './hop.ts';
import type { Hop } from './hop.ts';
import type { Interner } from './interner.ts';
import { linkBandwidth } from './link-bandwidth.ts';
import { dressed } from './path-class.ts';
import { SHARED } from './peer-group.ts';
import type { PeerGroup } from './peer-group.ts';
import type { RankedRoute } from './rank.ts';

export interface TableContext {
  readonly table: string;
  /** All groups of the table. */
  readonly groups: readonly PeerGroup[];
  readonly interner: Interner;
  readonly asn: Asn;
  /** Names of advertisements that are for some peers only. */
  readonly restricted: ReadonlySet<string>;
}

/** A hop, and what several groups that are told the same of it have made of it. */
interface DraftPath {
  readonly hop: Hop;
  readonly rank: number;
  readonly pathId: number;
  readonly tags: readonly number[];
}

export function prefixRoutes(
  prefix: Prefix,
  routes: readonly RankedRoute[],
  context: TableContext,
): PrefixRoutes {
  const drafts =
    routes.length === 1
      ? routes.flatMap((route) => ofOneGroup(route, prefix.family, context))
      : united(routes, prefix.family, context);
  const sorted = drafts.sort(byPathId);
  const clear = sorted[0]?.pathId !== 0 && sorted.every(({ pathId }, i) => pathId !== sorted[i + 1]?.pathId);
  const separate = clear ? sorted : withoutClashes(sorted).sort(byPathId);
  return { prefix, paths: separate.map((draft) => pathOf(draft, context)) };
}

function ofOneGroup({ hops, rank, group }: RankedRoute, family: Family, context: TableContext): DraftPath[] {
  let last: Hop | undefined;
  let tags: readonly number[] = [];
  return hops.map((hop) => {
    // Tags depend on the class, and nearly always all hops of a prefix have the same.
    tags = last?.class === hop.class ? tags : tagNumbers([{ group, hop }], family, context);
    last = hop;
    return { hop, rank, pathId: hop.pathId, tags };
  });
}

interface Audience {
  readonly group: PeerGroup;
  readonly hop: Hop;
}

/** Groups that are told the same of a next hop share the path, under the first of their class names. */
function united(routes: readonly RankedRoute[], family: Family, context: TableContext): DraftPath[] {
  const audiences = new Map<string, { rank: number; className: string; members: Audience[] }>();
  for (const { hops, rank, group } of routes) {
    for (const hop of hops) {
      const key = hop.class.rank.mode === 'None' ? hop.key : `${hop.key}|${rank}`;
      const { name } = hop.class;
      const known = audiences.get(key) ?? { rank, className: name, members: [] };
      known.members.push({ group, hop });
      known.className = name < known.className ? name : known.className;
      audiences.set(key, known);
    }
  }
  return [...audiences.values()].flatMap(({ rank, className, members }) =>
    members.slice(0, 1).map(({ hop }) => ({
      hop,
      rank,
      pathId: pathIdOf(hop.nextHop, className),
      tags: tagNumbers(members, family, context),
    })),
  );
}

function byPathId(a: DraftPath, b: DraftPath): number {
  return a.pathId - b.pathId;
}

function withoutClashes(drafts: readonly DraftPath[]): DraftPath[] {
  const taken = new Set<number>([0]);
  return drafts.toSorted(byOrigin).map(({ hop, rank, tags, pathId: wanted }) => {
    let pathId = wanted;
    while (taken.has(pathId)) {
      pathId = (pathId + 1) >>> 0;
    }
    taken.add(pathId);
    return { hop, rank, tags, pathId };
  });
}

/** Drafts come in the order of their groups, and sorting keeps it where these are the same. */
function byOrigin(a: DraftPath, b: DraftPath): number {
  return (
    compareText(a.hop.class.name, b.hop.class.name) || compareText(a.hop.nextHop.text, b.hop.nextHop.text)
  );
}

function pathOf(draft: DraftPath, context: TableContext): Path {
  const { hop, rank, pathId, tags } = draft;
  const set = context.interner.pathSet(hop.class, `${rank} ${hop.weight} ${tags.join()}`, () =>
    attributesOf(draft, context),
  );
  return context.interner.path(set, pathId, hop.nextHop);
}

function attributesOf({ hop, rank, tags }: DraftPath, { asn }: TableContext): PathAttributes {
  return dressed(hop.class, {
    rank,
    tags: tags.map(exportTag),
    linkBandwidth: linkBandwidth(hop.weight, asn),
  });
}

const NO_TAGS: readonly number[] = [];
const EVERYBODY: readonly number[] = [EVERY_PEER];

function tagNumbers(
  audience: readonly Audience[],
  family: Family,
  { table, groups, restricted }: TableContext,
): readonly number[] {
  if (table !== SHARED) {
    return NO_TAGS;
  }
  const everybody =
    audience.length === groups.filter((group) => group.carries(family)).length &&
    audience.every(
      ({ group, hop }) =>
        group.fields.open === 'open' && !hop.class.advertisements.some((name) => restricted.has(name)),
    );
  return everybody ? EVERYBODY : audience.flatMap(({ group }) => group.numbers).sort((a, b) => a - b);
}

function compareText(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1;
}
