// What this replica says of its session with one peer: the state as bgpd has it, since when, what was negotiated,
// how many paths it should have and has been sent, and one word on what is not as configured.
//
// A session that is down goes round through several states while it is tried, each of which would be a write;
// they are all shown as Active, and Idle is what nobody tries to open. bgpd's own time of establishment may
// differ by a second from one reading to the next, so a time stays while the session does.

import type { Peer, Reason } from '@herald/api';
import type { PeerVerdict, PlannedPeer, PeerSession, SessionState } from '@herald/decision';
import type { PeerTraffic } from '@herald/frr';
import type { Family } from '@herald/net';

import { timeText } from './condition.ts';
import { desiredPaths, type Tally } from './desired-paths.ts';
import type { PeerState } from './peer-status.ts';

export interface PeerFacts {
  readonly planned: PeerSession;
  readonly peer: Peer | undefined;
  readonly verdict: PeerVerdict | undefined;
  readonly session: SessionState | undefined;
  readonly traffic: PeerTraffic | undefined;
  readonly tally: Tally;
  readonly nowMs: number;
}

type FamilyState = NonNullable<PeerState['families']>[number];

const NEVER_SEEN: SessionState = {
  state: 'Idle',
  sinceMs: undefined,
  families: [],
  addPathReceive: undefined,
  localAddress: undefined,
  authenticated: false,
  lastError: '',
  connectionsDropped: 0,
  remoteAs: undefined,
};

/** What the schema allows. */
const ERROR_LENGTH = 512;

/** bgpd's words for the end of a session (RFC 4271 section 4.5, RFC 4486) that have a reason of their own. */
const ERRORS: readonly (readonly [RegExp, Reason])[] = [
  [/Maximum Number of Prefixes Reached/i, 'RouteLimitReached'],
  [/Bad Peer AS/i, 'AsnMismatch'],
  [/Connection collision/i, 'SessionCollision'],
];

export function peerState(facts: PeerFacts, before: PeerState | undefined): PeerState {
  const { planned, peer, session } = facts;
  const state = stateWord(planned, session);
  const reason = reasonOf(facts, state);
  return {
    name: planned.name,
    address: planned.address.text,
    state,
    ...sessionFields(session ?? NEVER_SEEN, facts.nowMs, before?.state === state ? before : undefined),
    fenced: fencedBy(planned, peer),
    families: planned.families.map((family) => familyState(family, facts)),
    ...(reason === undefined ? {} : { reason }),
  };
}

/** `same` is what was said last if the session was in the same state. */
function sessionFields(
  session: SessionState,
  nowMs: number,
  same: PeerState | undefined,
): Pick<PeerState, 'since' | 'localAddress' | 'authenticated' | 'lastError' | 'flaps'> {
  const { sinceMs = nowMs, localAddress, authenticated, lastError, connectionsDropped } = session;
  const isSame = same?.flaps === connectionsDropped;
  return {
    since: (isSame ? same.since : undefined) ?? timeText(sinceMs),
    ...(localAddress === undefined ? {} : { localAddress }),
    authenticated: authenticated ? 'MD5' : 'No',
    ...(lastError === '' ? {} : { lastError: lastError.slice(0, ERROR_LENGTH) }),
    flaps: connectionsDropped,
  };
}

function stateWord(planned: PeerSession, session: SessionState | undefined): PeerState['state'] {
  if (session?.state === 'Established') {
    return 'Established';
  }
  return planned.shutdown || session === undefined || isUnresolved(planned) ? 'Idle' : 'Active';
}

function isUnresolved(planned: PeerSession): boolean {
  return (planned as Partial<PlannedPeer>).unresolved === true;
}

function reasonOf({ planned, verdict, session }: PeerFacts, state: PeerState['state']): Reason | undefined {
  if (verdict !== undefined && verdict.reason !== 'Accepted' && verdict.reason !== 'NoAddPath') {
    return verdict.reason;
  }
  if (state !== 'Established') {
    return ERRORS.find(([words]) => words.test(session?.lastError ?? ''))?.[1] ?? 'SessionDown';
  }
  const isWhole = planned.families.every((family) => session?.families.includes(family));
  if (!isWhole) {
    return 'FamilyNotNegotiated';
  }
  return verdict?.reason === 'NoAddPath' ? 'NoAddPath' : undefined;
}

/** MED decides only at a router that keeps it, which cannot be seen from here; LOCAL_PREF decides within an AS. */
function fencedBy({ internal }: PeerSession, peer: Peer | undefined): 'Yes' | 'No' | 'Unknown' {
  if (peer?.rank.mode === 'MED') {
    return 'Unknown';
  }
  return peer?.rank.mode === 'LocalPref' && internal ? 'Yes' : 'No';
}

function familyState(family: Family, facts: PeerFacts): FamilyState {
  const { planned, session, traffic, tally } = facts;
  return {
    family: family === 4 ? 'IPv4' : 'IPv6',
    addPath: planned.addPath[family] && session?.addPathReceive?.[family] === true,
    gracefulRestart: traffic?.gracefulRestartNegotiated ?? false,
    pathsDesired: desiredPaths(planned, family, tally),
    pathsAdvertised: session?.state === 'Established' ? (traffic?.pathsSent[family] ?? 0) : 0,
  };
}
