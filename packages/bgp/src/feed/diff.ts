// What has to be said so that a peer who holds one table holds another: for some prefixes, their entries in
// both tables in, announcements and withdrawals out. Pure.
//
// Paths are compared by reference, as net/route.ts promises. With ADD-PATH a path is known by its identifier:
// an equal identifier is replaced without a withdrawal (RFC 7911 section 5). Without it a prefix has one path,
// the first. In which order things are sent is blocks.ts and pack.ts.

import type { Family, Path, PathAttributes, Prefix, PrefixRoutes, RouteTable } from '@herald/net';

export interface Change {
  readonly prefix: Prefix;
  readonly announced: readonly Path[];
  /** Identifiers of the paths that go; a single 0 where paths have none. */
  readonly withdrawn: readonly number[];
  /** A router that has some of `announced` prefers them to the paths that it had, or the reverse, until it has all. */
  readonly isReranked: boolean;
}

export interface DiffOptions {
  /** Families that the session carries: prefixes of others are left out. */
  readonly families: readonly Family[];
  /** Of these, those with path identifiers. */
  readonly addPath: readonly Family[];
}

/** `keys` are prefix texts; those that do not differ give no change. */
export function diff(
  before: RouteTable,
  after: RouteTable,
  keys: readonly string[],
  options: DiffOptions,
): Change[] {
  const changes: Change[] = [];
  for (const key of keys) {
    const change = prefixChange(before.get(key), after.get(key), options);
    if (change !== undefined && (change.announced.length > 0 || change.withdrawn.length > 0)) {
      changes.push(change);
    }
  }
  return changes;
}

function prefixChange(
  before: PrefixRoutes | undefined,
  after: PrefixRoutes | undefined,
  { families, addPath }: DiffOptions,
): Change | undefined {
  const prefix = (after ?? before)?.prefix;
  if (prefix === undefined || before === after || !families.includes(prefix.family)) {
    return undefined;
  }
  const old = before?.paths ?? [];
  const wanted = after?.paths ?? [];
  return addPath.includes(prefix.family)
    ? severalPaths(prefix, old, wanted)
    : onePath(prefix, old[0], wanted[0]);
}

function severalPaths(prefix: Prefix, old: readonly Path[], wanted: readonly Path[]): Change {
  if (old.length === 0) {
    return { prefix, announced: wanted, withdrawn: [], isReranked: false };
  }
  const held = new Map(old.map((path) => [path.pathId, path]));
  const announced = wanted.filter((path) => held.get(path.pathId) !== path);
  for (const { pathId } of wanted) {
    held.delete(pathId);
  }
  return { prefix, announced, withdrawn: [...held.keys()], isReranked: isReranked(old, announced) };
}

function isReranked(old: readonly Path[], announced: readonly Path[]): boolean {
  return announced.some(
    ({ attributes }) => !old.some((path) => isPreferredAlike(path.attributes, attributes)),
  );
}

function isPreferredAlike(a: PathAttributes, b: PathAttributes): boolean {
  return a === b || (a.localPref === b.localPref && a.med === b.med);
}

function onePath(prefix: Prefix, old: Path | undefined, wanted: Path | undefined): Change {
  if (wanted === undefined) {
    return { prefix, announced: [], withdrawn: old === undefined ? [] : [0], isReranked: false };
  }
  return { prefix, announced: old === wanted ? [] : [wanted], withdrawn: [], isReranked: false };
}

/** The same table with other references for one family: whoever holds it has to be sent that family again. */
export function forgotten(table: RouteTable, family: Family): RouteTable {
  const copies: [string, PrefixRoutes][] = [];
  for (const [key, { prefix, paths }] of table) {
    if (prefix.family === family) {
      copies.push([key, { prefix, paths: paths.map(copyOf) }]);
    }
  }
  return table.with(copies);
}

function copyOf({ pathId, nextHop, attributes }: Path): Path {
  return { pathId, nextHop, attributes };
}
