// The text of a kept table -> what is in it, or why it is not used. What is torn, of another format, pod, build or
// settings is refused as a whole; behind a checksum that is right stands what encode-kept.ts wrote. In steps, since a
// table may be large.

import { createHash } from 'node:crypto';

import type { PlannedPeer, Steps } from '@herald/decision';
import {
  address,
  largeCommunity,
  pathAttributes,
  PersistentMap,
  prefix,
  standardCommunity,
  type Path,
  type PathAttributes,
  type PrefixRoutes,
} from '@herald/net';

import { KEPT_FORMAT } from './encode-kept.ts';
import type { Kept, KeptOwner } from './kept-content.ts';

export type KeptReading =
  | { readonly kind: 'kept'; readonly kept: Kept }
  | { readonly kind: 'refused'; readonly why: string };

interface Header {
  readonly format: string;
  readonly owner: KeptOwner;
  readonly keptAtMs: number;
  readonly others: readonly string[];
  readonly peers: readonly PeerFields[];
}

type PeerFields = Omit<PlannedPeer, 'address' | 'sourceAddress' | 'instance' | 'password'> & {
  readonly address: string;
  readonly sourceAddress?: string;
  readonly instance: { kind: 'shared' } | { kind: 'view'; name: string; feedAddress: string };
};

export function* parseKept(text: string, owner: KeptOwner): Steps<KeptReading> {
  try {
    const why = whyRefused(text, owner);
    return why === undefined ? { kind: 'kept', kept: yield* read(text, owner) } : { kind: 'refused', why };
  } catch (error) {
    return { kind: 'refused', why: `it cannot be read: ${(error as Error).message}` };
  }
}

function whyRefused(text: string, owner: KeptOwner): string | undefined {
  const header = JSON.parse(text.slice(0, text.indexOf('\n'))) as Partial<Header>;
  if (header.format !== KEPT_FORMAT) {
    return 'it is of another format';
  }
  const end = text.lastIndexOf('\n', text.length - 2) + 1;
  const sha256 = createHash('sha256').update(text.slice(0, end)).digest('hex');
  if (text.slice(end) !== `${JSON.stringify({ sha256 })}\n`) {
    return 'it is torn or was changed';
  }
  const { uid, asn, routerId, build } = { ...header.owner };
  const rows: readonly (readonly [boolean, string])[] = [
    [uid === owner.uid, 'it is of another pod'],
    [build === owner.build, 'it is of another build'],
    [asn === owner.asn && routerId === owner.routerId, 'the AS number or the router id is another one'],
  ];
  return rows.find(([isSame]) => !isSame)?.[1];
}

function* read(text: string, owner: KeptOwner): Steps<Kept> {
  const tables = new TableReader();
  const first = text.indexOf('\n') + 1;
  const header = JSON.parse(text.slice(0, first)) as Header;
  let [at, end] = [first, text.indexOf('\n', first)];
  while (text[at] === '[') {
    tables.take(JSON.parse(text.slice(at, end)) as [string, ...never[]]);
    [at, end] = [end + 1, text.indexOf('\n', end + 1)];
    yield;
  }
  const { keptAtMs, others, peers } = header;
  const sessions = { asn: owner.asn, routerId: address(owner.routerId), peers: peers.map(peerOf) };
  return { keptAtMs, content: { sessions, tables: tables.tables(), others } };
}

function peerOf({ address: text, sourceAddress, instance, ...fields }: PeerFields): PlannedPeer {
  return {
    ...ABSENT,
    ...fields,
    address: address(text),
    sourceAddress: sourceAddress === undefined ? undefined : address(sourceAddress),
    instance:
      instance.kind === 'view' ? { ...instance, feedAddress: address(instance.feedAddress) } : instance,
  };
}

/** JSON has no word for what is undefined. */
const ABSENT = {
  localAs: undefined,
  ebgpMultiHop: undefined,
  ttlSecurityHops: undefined,
  password: undefined,
  gracefulRestart: undefined,
};

type Line =
  | [kind: 't', name: string]
  | [kind: 'r', prefix: string, ...paths: number[]]
  | [kind: 'p', pathId: number, nextHop: string, attributes: number]
  | [kind: 'a', number[], number, number, number[], [number, number, number][], [number, number] | null];

class TableReader {
  readonly #attributes: PathAttributes[] = [];
  readonly #paths: Path[] = [];
  readonly #tables = new Map<string, [string, PrefixRoutes][]>();
  #entries: [string, PrefixRoutes][] = [];

  take(words: readonly unknown[]): void {
    const line = words as unknown as Line;
    switch (line[0]) {
      case 'a':
        this.#attributes.push(attributesOf(line));
        break;
      case 'p':
        this.#paths.push(this.#pathOf(line));
        break;
      case 't':
        this.#entries = [];
        this.#tables.set(line[1], this.#entries);
        break;
      case 'r':
        this.#entries.push(this.#routesOf(line));
        break;
    }
  }

  tables(): Kept['content']['tables'] {
    const made = Array.from(this.#tables, ([name, entries]) => [name, PersistentMap.from(entries)] as const);
    const views = new Map(made.filter(([name]) => name !== ''));
    return { shared: new Map(made).get('') ?? PersistentMap.empty(), views };
  }

  #pathOf([, pathId, nextHop, index]: Extract<Line, { 0: 'p' }>): Path {
    return { pathId, nextHop: address(nextHop), attributes: numbered(this.#attributes, index) };
  }

  #routesOf([, text, ...indices]: Extract<Line, { 0: 'r' }>): [string, PrefixRoutes] {
    return [text, { prefix: prefix(text), paths: indices.map((index) => numbered(this.#paths, index)) }];
  }
}

function attributesOf([, asPath, localPref, med, standard, large, bandwidth]: Extract<Line, { 0: 'a' }>) {
  return pathAttributes({
    asPath,
    localPref,
    med,
    communities: standard.map(standardCommunity),
    largeCommunities: large.map((numbers) => largeCommunity(...numbers)),
    linkBandwidth: bandwidth === null ? undefined : { asn: bandwidth[0], bytesPerSecond: bandwidth[1] },
  });
}

function numbered<T>(items: readonly T[], index: number): T {
  const item = items[index];
  if (item === undefined) {
    throw new RangeError(`number ${index} was not written`);
  }
  return item;
}
