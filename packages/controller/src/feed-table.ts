// A table as its feed sends it: attributes that bgpd would act on itself are packed away (see @herald/frr), all
// else is the table as decided. Table in, table out; only what changed since the last one is looked at, and equal
// paths stay one object, so that nothing is sent twice.

import { feedAttributes } from '@herald/frr';
import { PersistentMap, type Path, type PrefixRoutes, type RouteTable } from '@herald/net';

export class FeedTable {
  readonly #paths = new WeakMap<Path, Path>();
  #decided: RouteTable = PersistentMap.empty();
  #sent: RouteTable = this.#decided;

  of(table: RouteTable): RouteTable {
    const changed = table.changedKeys(this.#decided);
    const present = changed.flatMap((key) => table.get(key) ?? []);
    const routes = present.map((each) => this.#packed(each));
    const isPlain = this.#sent === this.#decided && routes.every((each, index) => each === present[index]);
    const gone = changed.filter((key) => !table.has(key));
    this.#sent = isPlain
      ? table
      : this.#sent.with(
          routes.map((each) => [each.prefix.text, each] as const),
          gone,
        );
    this.#decided = table;
    return this.#sent;
  }

  #packed(routes: PrefixRoutes): PrefixRoutes {
    const paths = routes.paths.map((path) => this.#packedPath(path));
    return paths.every((path, index) => path === routes.paths[index]) ? routes : { ...routes, paths };
  }

  #packedPath(path: Path): Path {
    const known = this.#paths.get(path);
    if (known !== undefined) {
      return known;
    }
    const attributes = feedAttributes(path.attributes);
    const packed = attributes === path.attributes ? path : { ...path, attributes };
    this.#paths.set(path, packed);
    return packed;
  }
}
