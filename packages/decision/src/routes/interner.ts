// Keeps one object for each distinct hop, attribute set and path, so that equal content is the same object:
// the feed compares paths by reference, and 100,000 paths cost as much memory as there are different ones.
//
// A cache that no result depends on. It only grows; `compacted` makes a new one from what tables still hold.

import type { Address, Path, PathAttributes, RouteTable } from '@herald/net';
import { makeHop } from './hop.ts';
import type { Hop } from './hop.ts';
import type { PathClass } from './path-class.ts';

/** The paths that share one set of attributes. */
export interface PathSet {
  readonly attributes: PathAttributes;
  readonly paths: Map<string, Path>;
}

interface OfClass {
  readonly hops: Map<string, Hop>;
  readonly dressed: Map<string, PathSet>;
}

/** Below this many paths it is not worth looking which of them are still in use. */
const COMPACT_ABOVE = 20_000;

export class Interner {
  readonly #classes = new WeakMap<PathClass, OfClass>();
  readonly #sets = new Map<string, PathSet>();
  #size = 0;
  #compactAbove = COMPACT_ABOVE;

  hop(nextHop: Address, pathClass: PathClass, weight: number): Hop {
    const { hops } = this.#ofClass(pathClass);
    const key = weight === 0 ? nextHop.text : `${nextHop.text} ${weight}`;
    let hop = hops.get(key);
    if (!hop) {
      hop = makeHop(nextHop, pathClass, weight);
      hops.set(key, hop);
    }
    return hop;
  }

  /** Paths of a class with rank, tags and weight put in; `dressing` names those, `make` works them out. */
  pathSet(pathClass: PathClass, dressing: string, make: () => PathAttributes): PathSet {
    const { dressed } = this.#ofClass(pathClass);
    let set = dressed.get(dressing);
    if (!set) {
      set = this.#setOf(make());
      dressed.set(dressing, set);
    }
    return set;
  }

  path({ attributes, paths }: PathSet, pathId: number, nextHop: Address): Path {
    const found = paths.get(nextHop.text);
    if (found?.pathId === pathId) {
      return found;
    }
    // The plain key belongs to the first path id seen; another one is the rare case of a clash.
    const key = found ? `${nextHop.text} ${pathId}` : nextHop.text;
    const path = paths.get(key) ?? { pathId, nextHop, attributes };
    this.#size += paths.has(key) ? 0 : 1;
    paths.set(key, path);
    return path;
  }

  /** Itself, or when much of it may be out of use a new one that holds only what the tables do. */
  compacted(tables: Iterable<RouteTable>): Interner {
    if (this.#size <= this.#compactAbove) {
      return this;
    }
    const fresh = new Interner();
    for (const table of tables) {
      for (const { paths } of table.values()) {
        paths.forEach((path) => fresh.#adopt(path));
      }
    }
    fresh.#compactAbove = Math.max(COMPACT_ABOVE, 2 * fresh.#size);
    return fresh;
  }

  #adopt(path: Path): void {
    const { paths } = this.#setOf(path.attributes);
    const taken = paths.get(path.nextHop.text);
    const key = taken && taken !== path ? `${path.nextHop.text} ${path.pathId}` : path.nextHop.text;
    this.#size += paths.has(key) ? 0 : 1;
    paths.set(key, path);
  }

  #setOf(attributes: PathAttributes): PathSet {
    let set = this.#sets.get(attributes.key);
    if (!set) {
      set = { attributes, paths: new Map() };
      this.#sets.set(attributes.key, set);
    }
    return set;
  }

  #ofClass(pathClass: PathClass): OfClass {
    let known = this.#classes.get(pathClass);
    if (!known) {
      known = { hops: new Map(), dressed: new Map() };
      this.#classes.set(pathClass, known);
    }
    return known;
  }
}
