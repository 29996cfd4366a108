// A peer that holds routes, as simple as can be: what a reader of UPDATEs knows. Path identifier -> what was
// said, per prefix; without identifiers everything is path 0. Compared with a RouteTable as text.

import type { Family, PathAttributes, RouteTable } from '@herald/net';
import type { Attributes, Nlri, UpdateMessage } from '../src/index.ts';

export class ModelTable {
  readonly #prefixes = new Map<string, Map<number, string>>();
  /** The prefixes that at some moment had no path although they had one before. */
  readonly everGone = new Set<string>();
  size = 0;

  apply(message: UpdateMessage): void {
    const { attributes, reach, unreach } = message;
    this.#withdraw(message.withdrawn);
    this.#withdraw(unreach?.nlri ?? []);
    this.#announce(message.announced, attributes.nextHop?.text, attributes);
    this.#announce(reach?.nlri ?? [], reach?.nextHop.text, attributes);
  }

  /** Lines "prefix id nextHop attributes", sorted. */
  get lines(): string[] {
    const lines = [...this.#prefixes].flatMap(([prefix, paths]) =>
      Array.from(paths, ([pathId, said]) => `${prefix} ${pathId} ${said}`),
    );
    return lines.sort();
  }

  #announce(run: readonly Nlri[], nextHop: string | undefined, attributes: Attributes): void {
    const said = `${nextHop} ${attributesLine(attributes)}`;
    for (const { prefix, pathId } of run) {
      const paths = this.#prefixes.get(prefix.text) ?? new Map<number, string>();
      this.size += paths.has(pathId) ? 0 : 1;
      this.#prefixes.set(prefix.text, paths.set(pathId, said));
    }
  }

  #withdraw(run: readonly Nlri[]): void {
    for (const { prefix, pathId } of run) {
      const paths = this.#prefixes.get(prefix.text);
      this.size -= paths?.delete(pathId) === true ? 1 : 0;
      if (paths?.size === 0) {
        this.everGone.add(prefix.text);
      }
    }
  }
}

function attributesLine(attributes: Attributes): string {
  const { origin, asPath, med, localPref, communities, largeCommunities, extendedCommunities } = attributes;
  const bandwidth = extendedCommunities?.map((each) => (each.kind === 'other' ? '?' : each.bytesPerSecond));
  return [
    origin,
    asPath?.flatMap(({ asns }) => asns).join('-'),
    med,
    localPref,
    communities?.map(({ value }) => value).join('-') ?? '',
    largeCommunities?.map(({ text }) => text).join('-') ?? '',
    bandwidth?.join('-') ?? '',
  ].join(' ');
}

function expectedAttributes(attributes: PathAttributes): string {
  return [
    'igp',
    attributes.asPath.join('-'),
    attributes.med,
    attributes.localPref,
    attributes.communities.map(({ value }) => value).join('-'),
    attributes.largeCommunities.map(({ text }) => text).join('-'),
    attributes.linkBandwidth?.bytesPerSecond ?? '',
  ].join(' ');
}

/** What a peer has to hold; `addPath` lists the families with path identifiers, `families` all of them. */
export function expectedLines(
  table: RouteTable,
  addPath: readonly Family[] = [4, 6],
  families: readonly Family[] = [4, 6],
): string[] {
  const lines: string[] = [];
  for (const { prefix, paths } of table.values()) {
    const several = addPath.includes(prefix.family);
    for (const path of families.includes(prefix.family) ? paths.slice(0, several ? undefined : 1) : []) {
      const id = several ? path.pathId : 0;
      lines.push(`${prefix.text} ${id} ${path.nextHop.text} ${expectedAttributes(path.attributes)}`);
    }
  }
  return lines.sort();
}
