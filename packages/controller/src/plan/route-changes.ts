// Two decisions -> what each peer would be told differently, prefix by prefix. Peers with the same change of
// a prefix stand together. Path ids and ranks are no content: a route is what the peer does with it.

import type { Decision } from '@herald/decision';
import { compareAddresses, address } from '@herald/net';

import { groupPeers, PeerPaths } from './peer-paths.ts';
import type { PlannedPath } from './peer-paths.ts';
import { prefixesIn } from './plan-notes.ts';
import { comparedPrefixes } from './planned-services.ts';
import { compareText } from './sorted-entries.ts';

export interface RouteChange extends PrefixChange {
  readonly prefix: string;
  readonly peers: readonly string[];
}

interface PrefixChange {
  readonly change: 'added' | 'removed' | 'changed';
  readonly addedNextHops: readonly string[];
  readonly removedNextHops: readonly string[];
  /** Of next hops that stay. */
  readonly attributes: readonly AttributeChange[];
}

export interface AttributeChange {
  readonly field: AttributeField;
  readonly before: string;
  readonly after: string;
  readonly nextHops: readonly string[];
}

type AttributeField = Exclude<keyof PlannedPath, 'nextHop'>;
type Paths = readonly PlannedPath[];

const FIELDS: readonly AttributeField[] = [
  'asPath',
  'communities',
  'linkBandwidthBytesPerSecond',
  'localPref',
  'med',
];

export function routeChanges(before: Decision, after: Decision): RouteChange[] {
  const was = new PeerPaths(before);
  const is = new PeerPaths(after);
  const prefixes = new Set([...prefixesIn(before.tables).keys(), ...prefixesIn(after.tables).keys()]);
  return comparedPrefixes(prefixes).flatMap((prefix) => {
    const changes = changesByPeer(was.toPeers(prefix), is.toPeers(prefix));
    return groupPeers(changes).map(({ peers, value }) => ({ prefix, peers, ...value }));
  });
}

function changesByPeer(
  before: ReadonlyMap<string, Paths>,
  after: ReadonlyMap<string, Paths>,
): Map<string, PrefixChange> {
  const peers = [...new Set([...before.keys(), ...after.keys()])].sort(compareText);
  return new Map(
    peers.flatMap((peer) => {
      const change = prefixChange(before.get(peer) ?? [], after.get(peer) ?? []);
      return change ? [[peer, change] as const] : [];
    }),
  );
}

function prefixChange(before: Paths, after: Paths): PrefixChange | undefined {
  const addedNextHops = nextHopsBeside(after, before);
  const removedNextHops = nextHopsBeside(before, after);
  const attributes = attributeChanges(before, after);
  const isSame = addedNextHops.length + removedNextHops.length + attributes.length === 0;
  return isSame ? undefined : { change: wordFor(before, after), addedNextHops, removedNextHops, attributes };
}

function wordFor(before: Paths, after: Paths): PrefixChange['change'] {
  if (before.length === 0) {
    return 'added';
  }
  return after.length === 0 ? 'removed' : 'changed';
}

function nextHopsBeside(paths: Paths, others: Paths): string[] {
  const known = new Set(others.map(({ nextHop }) => nextHop));
  return paths.map(({ nextHop }) => nextHop).filter((nextHop) => !known.has(nextHop));
}

function attributeChanges(before: Paths, after: Paths): AttributeChange[] {
  const old = new Map(before.map((path) => [path.nextHop, path]));
  const changes = new Map<
    string,
    { field: AttributeField; before: string; after: string; nextHops: string[] }
  >();
  for (const path of after) {
    const was = old.get(path.nextHop);
    for (const field of was ? FIELDS : []) {
      const change = { field, before: valueText(was?.[field]), after: valueText(path[field]), nextHops: [] };
      const known = changes.get(JSON.stringify(change)) ?? change;
      if (change.before !== change.after) {
        changes.set(JSON.stringify(change), { ...known, nextHops: [...known.nextHops, path.nextHop] });
      }
    }
  }
  return [...changes.values()].map((change) => ({ ...change, nextHops: sortedAddresses(change.nextHops) }));
}

function valueText(value: PlannedPath[AttributeField] | undefined): string {
  const text = typeof value === 'object' && value !== null ? value.join(' ') : String(value ?? '');
  return text === '' ? 'none' : text;
}

function sortedAddresses(texts: readonly string[]): string[] {
  return texts.toSorted((a, b) => compareAddresses(address(a), address(b)));
}
