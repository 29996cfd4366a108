// The HeraldReplica of this replica: its role, how much it announces and how its sessions are. (World, Decision,
// facts from bgpd and the source, what was said last) -> status, the same object while nothing has changed.
//
// The time of the last contact with the API server alone is no change: it would be a write of its own every
// few seconds. It is brought up to date with whatever else there is to say.

import { sameProjected, type HeraldReplicaStatus } from '@herald/api';
import type { Decision, World } from '@herald/decision';
import type { PeerTraffic } from '@herald/frr';

import { conditions, timed, timeText } from './condition.ts';
import { EMPTY_TALLY, routesIn, tallyPaths, type Tally } from './desired-paths.ts';
import { peerState } from './peer-state.ts';
import type { PeerState } from './peer-status.ts';
import type { WantedCondition } from './wanted-status.ts';

export interface ReplicaFacts {
  readonly world: World;
  readonly decision: Decision;
  /** By peer name: what bgpd has sent. */
  readonly traffic: ReadonlyMap<string, PeerTraffic>;
  /** The node that the pod runs on. */
  readonly node: string;
  readonly version: string;
  /** Where other replicas ask this one; undefined where they cannot. */
  readonly exchange: string | undefined;
  /** When the API server last answered; 0 before it did. */
  readonly freshAtMs: number;
  /** Empty when the replica is ready. */
  readonly notReady: readonly { readonly reason: string; readonly message: string }[];
}

export interface OwnStatus {
  readonly status: HeraldReplicaStatus;
  readonly tally: Tally;
}

export const NO_STATUS: OwnStatus = { status: {}, tally: EMPTY_TALLY };

/** What the schema allows. */
const PEERS = 256;

export function replicaStatus(facts: ReplicaFacts, before: OwnStatus): OwnStatus {
  const tally = tallyPaths(facts.decision.tables, before.tally);
  const status = statusOf(facts, tally, before.status);
  return { status: sameProjected(status, before.status) ? before.status : contacted(status, facts), tally };
}

function contacted(status: HeraldReplicaStatus, { freshAtMs }: ReplicaFacts): HeraldReplicaStatus {
  return freshAtMs === 0 ? status : { ...status, lastContact: timeText(freshAtMs) };
}

/** With the last contact as it was said before, in a form that compares field by field. */
function statusOf(facts: ReplicaFacts, tally: Tally, before: HeraldReplicaStatus): HeraldReplicaStatus {
  const { world, decision, node, version, exchange } = facts;
  const peers = peersOf(facts, tally, before.peers ?? []);
  const wanted = peers.filter(({ reason }) => reason !== 'PeerShutdown');
  const established = wanted.filter(({ state }) => state === 'Established');
  const judgements = [readiness(facts), establishment(wanted.length - established.length)];
  return {
    role: world.leadership.leading ? 'Leader' : 'Standby',
    term: world.leadership.term,
    node,
    ordinal: world.replica.ordinal,
    version,
    sessions: `${established.length}/${wanted.length}`,
    prefixes: tally.prefixes.size,
    routes: routesIn(tally),
    nextHopSets: mostNextHopSets(decision),
    ...(exchange === undefined ? {} : { exchange }),
    ...(before.lastContact === undefined ? {} : { lastContact: before.lastContact }),
    peers,
    conditions: timed(conditions(judgements), before.conditions, world.now),
  };
}

function peersOf(facts: ReplicaFacts, tally: Tally, before: readonly PeerState[]): PeerState[] {
  const { world, decision, traffic } = facts;
  const known = new Map(before.map((state) => [state.name, state]));
  return decision.sessions.peers.slice(0, PEERS).map((planned) => {
    const { name } = planned;
    const peerFacts = {
      planned,
      peer: world.peers.get(name),
      verdict: decision.peers.get(name),
      session: world.sessions.get(name),
      traffic: traffic.get(name),
      tally,
      nowMs: world.now,
    };
    return peerState(peerFacts, known.get(name));
  });
}

/** Sets are counted for each peer; the peer with most of them has seen all that the others have. */
function mostNextHopSets({ peerRoutes }: Decision): number {
  return Math.max(0, ...Array.from(peerRoutes.values(), ({ nextHopSets }) => nextHopSets));
}

function readiness({ notReady: [first] }: ReplicaFacts): WantedCondition {
  return first === undefined
    ? { type: 'Ready', status: 'True', reason: 'Ready', message: 'The replica announces its whole table.' }
    : { type: 'Ready', status: 'False', reason: first.reason, message: first.message };
}

function establishment(down: number): WantedCondition {
  const type = 'Established';
  return down === 0
    ? { type, status: 'True', reason: 'Established', message: 'Every session is established.' }
    : { type, status: 'False', reason: 'SessionDown', message: 'Not every session is established.' };
}
