// A kept table as text, one JSON array or object a line, in pieces, so that nothing waits for a large one:
//
//   {format, owner, keptAtMs, others, sessions}     what it is and whose
//   ["a", AS path, LOCAL_PREF, MED, communities, large communities, link bandwidth]   attributes, numbered from 0
//   ["p", path id, next hop, attributes]            paths, numbered from 0
//   ["t", name]                                     a table begins; '' is the shared one
//   ["r", prefix, path, path, ...]                  routes of a prefix
//   {"sha256": ...}                                 over all lines before: what is torn has none
//
// Attributes and paths stand before their first use. Read by parse-kept.ts; whatever changes here takes a new format.

import { createHash } from 'node:crypto';

import type { PlannedPeer } from '@herald/decision';
import type { Path, PathAttributes, RouteTable } from '@herald/net';

import type { Kept, KeptContent, KeptOwner } from './kept-content.ts';

export const KEPT_FORMAT = 'herald-kept-table/1';

export function* encodeKept({ content, keptAtMs }: Kept, owner: KeptOwner): Generator<string> {
  const hash = createHash('sha256');
  for (const line of linesOf(content, keptAtMs, owner)) {
    const text = `${JSON.stringify(line)}\n`;
    hash.update(text);
    yield text;
  }
  yield `${JSON.stringify({ sha256: hash.digest('hex') })}\n`;
}

function* linesOf({ sessions, tables, others }: KeptContent, keptAtMs: number, owner: KeptOwner) {
  const peers = sessions.peers.map(peerFields);
  yield { format: KEPT_FORMAT, owner, keptAtMs, others, peers };
  const numbers = new Numbers();
  yield* tableLines('', tables.shared, numbers);
  for (const [name, table] of tables.views) {
    yield* tableLines(name, table, numbers);
  }
}

function peerFields(peer: PlannedPeer): Record<string, unknown> {
  const { address, sourceAddress, instance } = peer;
  const place = instance.kind === 'view' ? { ...instance, feedAddress: instance.feedAddress.text } : instance;
  return { ...peer, address: address.text, sourceAddress: sourceAddress?.text, instance: place };
}

/** In the order in which they were first met. */
class Numbers {
  readonly attributes = new Map<PathAttributes, number>();
  readonly paths = new Map<Path, number>();
}

function* tableLines(name: string, table: RouteTable, numbers: Numbers): Generator<readonly unknown[]> {
  yield ['t', name];
  for (const { prefix, paths } of table.values()) {
    for (const path of paths) {
      yield* pathLines(path, numbers);
    }
    yield ['r', prefix.text, ...paths.map((path) => numbers.paths.get(path))];
  }
}

function* pathLines(path: Path, { attributes, paths }: Numbers): Generator<readonly unknown[]> {
  if (paths.has(path)) {
    return;
  }
  if (!attributes.has(path.attributes)) {
    attributes.set(path.attributes, attributes.size);
    yield attributeLine(path.attributes);
  }
  paths.set(path, paths.size);
  yield ['p', path.pathId, path.nextHop.text, attributes.get(path.attributes)];
}

function attributeLine(of: PathAttributes): readonly unknown[] {
  const large = of.largeCommunities.map(({ global, local1, local2 }) => [global, local1, local2]);
  const standard = of.communities.map(({ value }) => value);
  const bandwidth = of.linkBandwidth && [of.linkBandwidth.asn, of.linkBandwidth.bytesPerSecond];
  return ['a', of.asPath, of.localPref, of.med, standard, large, bandwidth ?? null];
}
