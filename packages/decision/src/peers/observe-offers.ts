// What each router was seen to receive: the ADD-PATH offer (RFC 7911) in the OPEN of an established session,
// kept while the session is down. It belongs to one router and one set of families: a peer that points
// elsewhere starts anew.
//
// Session states are known by the peer's name only, so for a moment a changed peer still shows the session
// of the router that it pointed to before. Such an inherited session says nothing and is passed over.

import type { Peer } from '@herald/api';
import type { Family, PersistentMap } from '@herald/net';
import type { PerFamily, SessionState } from '../world.ts';
import { identityOf } from './peer-order.ts';

export interface Sighting {
  /** undefined until a session has shown it. */
  readonly offer: PerFamily<boolean> | undefined;
  /** The session that was there before this router could have had one. */
  readonly inherited: SessionState | undefined;
}

/** By router and families, of live peers. */
export type Sightings = ReadonlyMap<string, Sighting>;

export const EVERYTHING: PerFamily<boolean> = { 4: true, 6: true };

export function sightingKey(peer: Peer): string {
  return [identityOf(peer), peer.address.text, peer.port, peer.families.join('+')].join('|');
}

/** `before` is undefined at the start of a process: then every session that runs was there rightly. */
export function observeOffers(
  peers: readonly Peer[],
  sessions: PersistentMap<SessionState>,
  before: Sightings | undefined,
): Sightings {
  const sightings = new Map<string, Sighting>();
  for (const peer of peers) {
    const key = sightingKey(peer);
    const session = sessions.get(peer.name);
    const known = before?.get(key) ?? { offer: undefined, inherited: before && session };
    sightings.set(key, observe(peer, session, known));
  }
  return sightings;
}

function observe(peer: Peer, session: SessionState | undefined, known: Sighting): Sighting {
  if (session === undefined || isSameSession(session, known.inherited)) {
    return known;
  }
  return { offer: offerOf(peer, session, known.offer), inherited: undefined };
}

function isSameSession(session: SessionState, inherited: SessionState | undefined): boolean {
  return (
    inherited !== undefined &&
    session.state === inherited.state &&
    session.sinceMs === inherited.sinceMs &&
    session.connectionsDropped === inherited.connectionsDropped
  );
}

function offerOf(
  peer: Peer,
  session: SessionState,
  known: PerFamily<boolean> | undefined,
): PerFamily<boolean> | undefined {
  const receive = session.addPathReceive;
  if (session.state !== 'Established' || receive === undefined) {
    return known;
  }
  const before = known ?? EVERYTHING;
  // A family that the session does not carry shows nothing about ADD-PATH for it.
  const offered = (family: Family): boolean =>
    peer.families.includes(family) && session.families.includes(family) ? receive[family] : before[family];
  return { 4: offered(4), 6: offered(6) };
}
