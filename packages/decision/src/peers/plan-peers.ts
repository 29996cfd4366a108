// BGPPeers, Secrets, this replica and what sessions have shown -> the peers that routes are computed for, the
// session plan and a verdict for each peer. Validity depends on nothing but the objects, ordered by age.
//
// A peer whose password cannot be read stays among the resolved ones: its session may be running, and its
// routes must go on. Whatever equals the last outcome is the same reference. A peer that this
// replica stands by for has a session without routes (Warm) or none (Cold).

import type { Peer } from '@herald/api';
import { PersistentMap } from '@herald/net';
import type { World } from '../world.ts';
import { keepEqual, kept } from '../incremental/keep-equal.ts';
import { placeFeeds } from './feed-addresses.ts';
import type { FeedAddresses } from './feed-addresses.ts';
import { DUPLICATE, NOT_SELECTED, judgePeer } from './judge-peer.ts';
import type { PeerPart } from './judge-peer.ts';
import { observeOffers, sightingKey } from './observe-offers.ts';
import type { Sightings } from './observe-offers.ts';
import { numberPeers } from './peer-numbers.ts';
import type { PeerNumbers } from './peer-numbers.ts';
import { compareByAge, compareText, identityOf } from './peer-order.ts';
import { placePeer } from './place-peer.ts';
import type { Place } from './place-peer.ts';
import { readPassword } from './read-password.ts';
import type { PeerOutcome, PeerVerdict, ResolvedPeer } from './resolved-peer.ts';
import { selectsReplica, standsByFor } from './standing-by.ts';
import { sessionOfPeer } from './session-of-peer.ts';
import type { PlannedPeer, PlannedSessions } from './session-of-peer.ts';

type Inputs = Pick<
  World,
  | 'peers'
  | 'secrets'
  | 'sessions'
  | 'settings'
  | 'replica'
  | 'leadership'
  | 'freshness'
  | 'replicas'
  | 'nodes'
>;

export interface PeerMemory {
  readonly numbers: PeerNumbers;
  readonly feeds: FeedAddresses;
  readonly sightings: Sightings;
  readonly last: { readonly inputs: Inputs; readonly planned: Planned } | undefined;
}

interface Planned {
  readonly peers: readonly ResolvedPeer[];
  readonly plan: PlannedSessions;
  readonly verdicts: PersistentMap<PeerVerdict>;
  /** Whether any router is told anything; a replica that only stands by has its tables ready and keeps them. */
  readonly announces: boolean;
}

export interface PlannedPeers extends PeerOutcome<PeerMemory> {
  readonly plan: PlannedSessions;
  readonly announces: boolean;
}

/** One peer's part of the outcome; without `resolved` this replica does not speak to it. */
interface PeerPlan {
  readonly name: string;
  readonly verdict: PeerVerdict;
  readonly resolved?: ResolvedPeer;
  readonly session?: PlannedPeer;
}

export function emptyPeerMemory(): PeerMemory {
  return { numbers: new Map(), feeds: new Map(), sightings: new Map(), last: undefined };
}

export function planPeers(world: World, memory: PeerMemory): PlannedPeers {
  const { last } = memory;
  if (last !== undefined && sameInputs(last.inputs, world)) {
    return { ...last.planned, memory };
  }
  const byAge = [...world.peers.values()].sort(compareByAge);
  const numbers = numberPeers(byAge, memory.numbers);
  const feeds = placeFeeds(byAge, numbers, memory.feeds);
  const sightings = observeOffers(byAge, world.sessions, last && memory.sightings);
  const losers = duplicates(byAge);
  const own = byAge.filter((peer) => !losers.has(peer.name) && selectsReplica(peer, world.replica.labels));
  const others = standsByFor(own, world);
  const announces = others.size === 0 || others.size < own.length;
  const plans = byAge.map((peer): PeerPlan => {
    if (!own.includes(peer)) {
      return { name: peer.name, verdict: losers.has(peer.name) ? DUPLICATE : NOT_SELECTED };
    }
    const part = partOf(peer, others, world);
    const told = part === 'speaks' || !announces ? 'routes' : 'nothing';
    return planPeer(peer, world, { ...placeOf(peer, numbers, feeds, sightings), part, told });
  });
  const planned = keepPlanned({ ...assemble(plans, world), announces }, last?.planned);
  return { ...planned, memory: { numbers, feeds, sightings, last: { inputs: inputsOf(world), planned } } };
}

function inputsOf(world: World): Inputs {
  const { peers, secrets, sessions, settings, replica, leadership, freshness, replicas, nodes } = world;
  return { peers, secrets, sessions, settings, replica, leadership, freshness, replicas, nodes };
}

function sameInputs(last: Inputs, world: World): boolean {
  return (
    last.peers === world.peers &&
    last.secrets === world.secrets &&
    last.sessions === world.sessions &&
    last.settings === world.settings &&
    last.replica === world.replica &&
    (world.settings.standbyMode === 'Hot' || sameCompany(last, world))
  );
}

/** Who leads and who is there: of no matter where every replica announces. */
function sameCompany(last: Inputs, { leadership, freshness, replicas, nodes }: World): boolean {
  const isSameLead =
    last.leadership.leading === leadership.leading && last.freshness.handsOver === freshness.handsOver;
  return isSameLead && last.replicas === replicas && last.nodes === nodes;
}

function partOf({ name }: Peer, others: ReadonlySet<string>, { settings }: World): PeerPart {
  return others.has(name) ? (settings.standbyMode === 'Cold' ? 'cold' : 'warm') : 'speaks';
}

/** Names of the peers that an older one with the same address keeps out: bgpd tells neighbours apart by that alone. */
function duplicates(byAge: readonly Peer[]): ReadonlySet<string> {
  const taken = new Set<string>();
  const losers = new Set<string>();
  for (const peer of byAge) {
    if (taken.has(peer.address.text)) {
      losers.add(peer.name);
    }
    taken.add(peer.address.text);
  }
  return losers;
}

function placeOf(peer: Peer, numbers: PeerNumbers, feeds: FeedAddresses, sightings: Sightings): Place {
  const identity = identityOf(peer);
  const number = numbers.get(identity);
  const feedAddress = feeds.get(identity);
  if (number === undefined || feedAddress === undefined) {
    throw new Error(`peer ${peer.name} was not numbered`);
  }
  return { number, feedAddress, offer: sightings.get(sightingKey(peer))?.offer };
}

interface Posting extends Place {
  readonly part: PeerPart;
  readonly told: ResolvedPeer['told'];
}

function planPeer(peer: Peer, world: World, place: Posting): PeerPlan {
  const placement = placePeer(peer, place);
  const reading = readPassword(peer, world.secrets);
  const resolved: ResolvedPeer = {
    peer,
    number: place.number,
    instance: placement.instance,
    internal: peer.remoteAs === 'internal' || peer.remoteAs === world.settings.asn,
    families: peer.families,
    addPath: placement.addPath,
    told: place.told,
  };
  const plan = { name: peer.name, verdict: judgePeer(peer, placement, reading, place.part), resolved };
  return place.part === 'cold'
    ? plan
    : { ...plan, session: sessionOfPeer(resolved, reading, world.settings) };
}

function assemble(plans: readonly PeerPlan[], world: World): Omit<Planned, 'announces'> {
  const byName = plans.toSorted((a, b) => compareText(a.name, b.name));
  return {
    peers: byName.flatMap(({ resolved }) => resolved ?? []),
    plan: {
      asn: world.settings.asn,
      routerId: world.settings.routerId,
      peers: byName.flatMap(({ session }) => session ?? []),
    },
    verdicts: PersistentMap.from(plans.map(({ name, verdict }) => [name, verdict])),
  };
}

/** `next` with every part that equals its predecessor replaced by it. */
function keepPlanned(next: Planned, before: Planned | undefined): Planned {
  if (before === undefined) {
    return next;
  }
  const sessions = keepList(next.plan.peers, before.plan.peers, ({ name }) => name);
  return {
    announces: next.announces,
    peers: keepList(next.peers, before.peers, ({ peer }) => peer.name),
    plan: kept({ ...next.plan, peers: sessions }, before.plan),
    verdicts: keepEqual(next.verdicts, before.verdicts),
  };
}

function keepList<T>(next: readonly T[], before: readonly T[], nameOf: (item: T) => string): readonly T[] {
  const known = new Map(before.map((item) => [nameOf(item), item]));
  const items = next.map((item) => kept(item, known.get(nameOf(item))));
  return items.length === before.length && items.every((item, i) => item === before[i]) ? before : items;
}
