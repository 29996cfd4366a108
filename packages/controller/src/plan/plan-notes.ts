// What is no fault and may still surprise. Above all the loop that nobody sees before it happens: routers
// that are all given the same next hops and announce them to each other with next-hop-self send packets for
// a node behind one of them back and forth. Whether they do so cannot be known offline, so it is a note,
// and only where nothing restricts such routers to the nodes behind them.

import { matchesAny } from '@herald/api';
import type { Advertisement, Peer } from '@herald/api';
import type { PeerSession, Tables } from '@herald/decision';
import type { Family } from '@herald/net';

import type { Offline } from './decide-offline.ts';
import { PeerPaths } from './peer-paths.ts';
import { compareText, sortedEntries } from './sorted-entries.ts';

const FAMILIES: readonly Family[] = [4, 6];

/** More names than this tell a reader nothing more. */
const MAX_NAMES = 6;

interface Candidate {
  readonly name: string;
  readonly asn: string;
  /** By family: the distinct next hops that it is given. */
  readonly nextHops: ReadonlyMap<Family, string>;
}

export function planNotes(offline: Offline): string[] {
  return [...unsettledNote(offline), ...loopNotes(offline)];
}

function unsettledNote({ settled }: Offline): string[] {
  return settled ? [] : ['The addresses of Services did not settle; the last state is shown.'];
}

function loopNotes(offline: Offline): string[] {
  const candidates = unrestricted(offline);
  const notes = FAMILIES.flatMap((family) => {
    const given = candidates.filter(({ nextHops }) => nextHops.has(family));
    const groups = Map.groupBy(given, ({ nextHops }) => nextHops.get(family)).values();
    return [...groups].filter(ofSeveralAsns).map(loopNote);
  });
  return [...new Set(notes)];
}

function ofSeveralAsns(peers: readonly Candidate[]): boolean {
  return new Set(peers.map(({ asn }) => asn)).size > 1;
}

function loopNote(peers: readonly Candidate[]): string {
  const names = peers.slice(0, MAX_NAMES).map(({ name, asn }) => `${name} (AS ${asn})`);
  const rest = peers.length > MAX_NAMES ? ` and ${peers.length - MAX_NAMES} more` : '';
  return (
    `${names.join(', ')}${rest} are given the same next hops: ` +
    'routers that re-advertise with next-hop-self into other routers loop packets; ' +
    'see docs/where-it-may-be-used.md.'
  );
}

/** External peers that get routes and that nothing keeps to some of the nodes. */
function unrestricted({ world, decision }: Offline): Candidate[] {
  const advertisements = [...world.advertisements.values()];
  const nextHops = nextHopsByPeer(decision);
  return decision.sessions.peers.flatMap((session) => {
    const peer = world.peers.get(session.name);
    const given = nextHops.get(session.name);
    const counts =
      peer && given && !session.internal && !session.shutdown && !isRestricted(peer, advertisements);
    return counts ? [{ name: session.name, asn: asnOf(session), nextHops: given }] : [];
  });
}

function isRestricted(peer: Peer, advertisements: readonly Advertisement[]): boolean {
  const applies = advertisements.filter((each) => selectsPeer(each, peer));
  return peer.nextHop.cidrs.length > 0 || applies.some(({ nodeSelectors }) => nodeSelectors.length > 0);
}

function selectsPeer({ peers, peerSelectors }: Advertisement, { name, labels }: Peer): boolean {
  const isNamed = peers.includes(name);
  return isNamed || (peerSelectors.length > 0 ? matchesAny(peerSelectors, labels) : peers.length === 0);
}

/** Routers that say their number themselves may each have another one. */
function asnOf({ remoteAs, address }: PeerSession): string {
  return typeof remoteAs === 'number' ? String(remoteAs) : `of ${address.text}`;
}

function nextHopsByPeer(decision: Offline['decision']): Map<string, ReadonlyMap<Family, string>> {
  const sets = new Map<string, Map<Family, Set<string>>>();
  const paths = new PeerPaths(decision);
  for (const [prefix, family] of prefixesIn(decision.tables)) {
    for (const [peer, told] of paths.toPeers(prefix)) {
      const families = getOrMake(sets, peer, () => new Map<Family, Set<string>>());
      const set = getOrMake(families, family, () => new Set<string>());
      told.forEach(({ nextHop }) => set.add(nextHop));
    }
  }
  return new Map(sortedEntries(sets).map(([peer, families]) => [peer, withKeys(families)]));
}

function withKeys(families: ReadonlyMap<Family, ReadonlySet<string>>): Map<Family, string> {
  return new Map(Array.from(families, ([family, set]) => [family, [...set].sort(compareText).join(' ')]));
}

/** Every prefix that anybody is told, with its family. */
export function prefixesIn({ shared, views }: Tables): Map<string, Family> {
  const tables = [shared, ...views.values()];
  return new Map(
    tables.flatMap((table) => [...table].map(([text, { prefix }]) => [text, prefix.family] as const)),
  );
}

function getOrMake<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const known = map.get(key);
  if (known !== undefined) {
    return known;
  }
  const made = make();
  map.set(key, made);
  return made;
}
