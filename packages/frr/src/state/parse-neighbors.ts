// What bgpd says of its neighbours: the answer to `show bgp vrf all neighbors json` (views are in it) ->
// the state of every router's session and of the feeds. Pure.
//
// A neighbour is recognised by the description that the plan gave it, so that a session which is left as
// it runs keeps its name although no plan lists it. Neighbours without such a description are not ours.
//
// ADD-PATH is reported as the router's OPEN offered it (RFC 7911): whether the router receives several
// paths. bgpd forgets what was negotiated when a session goes down; then it is undefined, not false.

import type { SessionState } from '@herald/decision';
import { PersistentMap } from '@herald/net';
import type { Family } from '@herald/net';
import { FEED_DESCRIPTION } from '../plan/feed-neighbor.ts';
import { PEER_DESCRIPTION } from '../plan/peer-neighbor.ts';
import { asObject, isObject, isTrue, numberField, objectField, textField } from './json-fields.ts';
import type { JsonObject } from './json-fields.ts';
import { sessionError } from './session-error.ts';

export interface BgpdSessions {
  /** By peer name; what `decide` reads. */
  readonly sessions: PersistentMap<SessionState>;
  /** By peer name; what is only shown. */
  readonly traffic: ReadonlyMap<string, PeerTraffic>;
  /** By instance: `default` or the name of the view. */
  readonly feeds: ReadonlyMap<string, FeedNeighbor>;
}

export interface PeerTraffic {
  /** `default` or the name of the view. */
  readonly instance: string;
  /** Paths sent; several per prefix with ADD-PATH. */
  readonly pathsSent: PerFamily<number>;
  readonly gracefulRestartNegotiated: boolean;
  /** Seconds; what both sides agreed on. */
  readonly holdTimeSeconds: number;
  readonly connectionsEstablished: number;
}

export interface FeedNeighbor {
  readonly established: boolean;
  /** Neither established nor on the way: bgpd waits to dial again, or to be called. */
  readonly waiting: boolean;
  readonly connectionsDropped: number;
  /** Paths that bgpd holds of it. */
  readonly paths: PerFamily<number>;
}

interface PerFamily<T> {
  readonly 4: T;
  readonly 6: T;
}

interface Found {
  readonly instance: string;
  readonly description: string;
  readonly neighbor: JsonObject;
}

const FAMILY_KEYS = { 4: 'ipv4Unicast', 6: 'ipv6Unicast' } as const;
const FAMILIES: readonly Family[] = [4, 6];
const STATES = ['Idle', 'Connect', 'Active', 'OpenSent', 'OpenConfirm', 'Established'] as const;

export function parseNeighbors(json: unknown): BgpdSessions {
  const found = Object.entries(asObject(json)).flatMap(([instance, neighbors]) =>
    neighborsOf(instance, asObject(neighbors)),
  );
  const named = found.flatMap((peer): [string, Found][] => {
    const name = peerName(peer.description);
    return name === undefined ? [] : [[name, peer]];
  });
  const feeds = found.filter(({ description }) => description === FEED_DESCRIPTION);
  return {
    sessions: PersistentMap.from(named.map(([name, { neighbor }]) => [name, sessionState(neighbor)])),
    traffic: new Map(named.map(([name, peer]) => [name, peerTraffic(peer)])),
    feeds: new Map(feeds.map((feed) => [feed.instance, feedNeighbor(feed.neighbor)])),
  };
}

function peerName(description: string): string | undefined {
  return description.startsWith(PEER_DESCRIPTION) ? description.slice(PEER_DESCRIPTION.length) : undefined;
}

function neighborsOf(instance: string, neighbors: JsonObject): Found[] {
  return Object.values(neighbors)
    .filter(isObject)
    .map((neighbor) => ({
      instance,
      description: textField(neighbor, 'nbrDesc') ?? '',
      neighbor,
    }));
}

function sessionState(neighbor: JsonObject): SessionState {
  const state = STATES.find((known) => known === neighbor['bgpState']) ?? 'Idle';
  const established = state === 'Established';
  const sinceSeconds = numberField(neighbor, 'bgpTimerUpEstablishedEpoch');
  const remoteAs = numberField(neighbor, 'remoteAs');
  return {
    state,
    sinceMs: established && sinceSeconds !== undefined ? sinceSeconds * 1000 : undefined,
    families: established ? negotiatedFamilies(neighbor) : [],
    addPathReceive: established ? perFamily((family) => receivesAddPath(neighbor, family)) : undefined,
    localAddress: hostAddress(textField(neighbor, 'hostLocal')),
    authenticated: numberField(neighbor, 'authenticationEnabled') === 1,
    lastError: sessionError(neighbor),
    connectionsDropped: numberField(neighbor, 'connectionsDropped') ?? 0,
    remoteAs: remoteAs === 0 ? undefined : remoteAs,
  };
}

function hostAddress(text: string | undefined): string | undefined {
  return text === 'Unknown' ? undefined : text;
}

function capability(neighbor: JsonObject, name: string, family: Family): JsonObject {
  const capabilities = objectField(neighbor, 'neighborCapabilities');
  return objectField(objectField(capabilities, name), FAMILY_KEYS[family]);
}

function negotiatedFamilies(neighbor: JsonObject): Family[] {
  return FAMILIES.filter((family) =>
    isTrue(capability(neighbor, 'multiprotocolExtensions', family), 'advertisedAndReceived'),
  );
}

function receivesAddPath(neighbor: JsonObject, family: Family): boolean {
  return isTrue(capability(neighbor, 'addPath', family), 'rxReceived');
}

function familyCounter(neighbor: JsonObject, family: Family, counter: string): number {
  const families = objectField(neighbor, 'addressFamilyInfo');
  return numberField(objectField(families, FAMILY_KEYS[family]), counter) ?? 0;
}

function peerTraffic({ instance, neighbor }: Found): PeerTraffic {
  const capabilities = objectField(neighbor, 'neighborCapabilities');
  return {
    instance,
    pathsSent: perFamily((family) => familyCounter(neighbor, family, 'sentPrefixCounter')),
    gracefulRestartNegotiated: textField(capabilities, 'gracefulRestart') === 'advertisedAndReceived',
    holdTimeSeconds: (numberField(neighbor, 'bgpTimerHoldTimeMsecs') ?? 0) / 1000,
    connectionsEstablished: numberField(neighbor, 'connectionsEstablished') ?? 0,
  };
}

function feedNeighbor(neighbor: JsonObject): FeedNeighbor {
  return {
    established: textField(neighbor, 'bgpState') === 'Established',
    waiting: textField(neighbor, 'bgpState') === 'Active',
    connectionsDropped: numberField(neighbor, 'connectionsDropped') ?? 0,
    paths: perFamily((family) => familyCounter(neighbor, family, 'acceptedPrefixCounter')),
  };
}

function perFamily<T>(value: (family: Family) => T): PerFamily<T> {
  return { 4: value(4), 6: value(6) };
}
