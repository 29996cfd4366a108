// From which peers this replica withdraws. A rank cannot fence what is absent: a replica that has lost the API server
// would go on announcing a Service that is gone. So once it is stale it is silent towards every router that a
// fresh replica serves with a complete table, and fail-static towards all others.
//
//   stale and served by a fresh one   withdrawn, if that one has served the router for long enough
//   fresh again, or nobody serves     announced again, at once
//
// Who came back stays for a while, so that a session or an API server that comes and goes moves no routes each time.
// (World, resolved peers, memory) -> peers of which some are withdrawn, their verdicts, when to look again. The
// session stays up: a router that is told nothing has nothing to learn when this replica is fresh again.

import type { PersistentMap } from '@herald/net';
import { earliest } from '../earliest.ts';
import { keepEqual } from '../incremental/keep-equal.ts';
import type { World } from '../world.ts';
import type { PeerVerdict, ResolvedPeer } from './resolved-peer.ts';

/**
 * How long a fresh replica must have served the router, in milliseconds. A session that flaps is not relied on; and
 * where the API server was away from all of them, they have contact again within some seconds of each other.
 */
const SETTLED_MS = 10_000;
/** How long a peer stays announced after it was withdrawn, in milliseconds. */
const RESTLESS_MS = 30_000;

export interface Cover {
  /** Since when some fresh replica has served the router without a gap; undefined: none does. */
  readonly sinceMs: number | undefined;
  readonly withdrawn: boolean;
  readonly notBeforeMs: number;
}

/** By the router's address. */
export type Covers = ReadonlyMap<string, Cover>;

export interface WithdrawalMemory {
  readonly covers: Covers;
  readonly wakeAtMs: number | undefined;
  readonly last: { readonly inputs: Inputs; readonly outcome: Outcome } | undefined;
}

interface Inputs {
  readonly peers: readonly ResolvedPeer[];
  readonly verdicts: PersistentMap<PeerVerdict>;
  readonly freshness: World['freshness'];
}

interface Outcome {
  readonly peers: readonly ResolvedPeer[];
  readonly verdicts: PersistentMap<PeerVerdict>;
}

export interface Withdrawals extends Outcome {
  readonly memory: WithdrawalMemory;
}

const UNKNOWN: Cover = { sinceMs: undefined, withdrawn: false, notBeforeMs: 0 };

export function emptyWithdrawalMemory(): WithdrawalMemory {
  return { covers: new Map(), wakeAtMs: undefined, last: undefined };
}

export function withdrawPeers(
  { now, freshness }: Pick<World, 'now' | 'freshness'>,
  { peers, verdicts }: Outcome,
  memory: WithdrawalMemory,
): Withdrawals {
  const inputs: Inputs = { peers, verdicts, freshness };
  if (memory.last && sameInputs(memory.last.inputs, inputs) && now < (memory.wakeAtMs ?? Infinity)) {
    return { ...memory.last.outcome, memory };
  }
  const routers = peers.map(({ peer }) => peer.address.text);
  const { covers, wakeAtMs } = nextCovers(routers, { now, freshness }, memory.covers);
  const outcome = keptOutcome(marked(inputs, covers), memory.last?.outcome);
  return { ...outcome, memory: { covers, wakeAtMs, last: { inputs, outcome } } };
}

export interface NextCovers {
  readonly covers: Covers;
  /** When one of them may be withdrawn, if nothing changes until then. */
  readonly wakeAtMs: number | undefined;
}

/** Addresses of routers, what is known of the others, covers of before -> which of the routers are left to the others. */
export function nextCovers(
  routers: Iterable<string>,
  { now, freshness: { stale, covered } }: { readonly now: number; readonly freshness: Known },
  before: Covers,
): NextCovers {
  const covers = new Map<string, Cover>();
  let wakeAtMs: number | undefined;
  for (const router of routers) {
    const next = nextCover(before.get(router) ?? UNKNOWN, covered.has(router), stale, now);
    covers.set(router, next);
    wakeAtMs = earliest(wakeAtMs, stale ? settlesAt(next) : undefined);
  }
  return { covers, wakeAtMs };
}

type Known = Pick<World['freshness'], 'stale' | 'covered'>;

function sameInputs(a: Inputs, b: Inputs): boolean {
  return a.peers === b.peers && a.verdicts === b.verdicts && a.freshness === b.freshness;
}

function nextCover(before: Cover, isServed: boolean, isStale: boolean, now: number): Cover {
  // A clock that was set back has seen nothing settle, and holds nobody for longer than it was meant to.
  const sinceMs = isServed ? Math.min(before.sinceMs ?? now, now) : undefined;
  const notBeforeMs = Math.min(before.notBeforeMs, now + RESTLESS_MS);
  if (!isStale || sinceMs === undefined) {
    return { sinceMs, withdrawn: false, notBeforeMs: before.withdrawn ? now + RESTLESS_MS : notBeforeMs };
  }
  const isDue = now >= Math.max(sinceMs + SETTLED_MS, notBeforeMs);
  return { sinceMs, withdrawn: before.withdrawn || isDue, notBeforeMs };
}

/** When the peer may be withdrawn, if nothing changes until then; undefined: it is, or nobody serves it. */
function settlesAt({ sinceMs, withdrawn, notBeforeMs }: Cover): number | undefined {
  return withdrawn || sinceMs === undefined ? undefined : Math.max(sinceMs + SETTLED_MS, notBeforeMs);
}

function marked({ peers, verdicts, freshness }: Inputs, covers: ReadonlyMap<string, Cover>): Outcome {
  const silent = peers.filter(({ peer }) => covers.get(peer.address.text)?.withdrawn === true);
  const told = silent.map(({ peer }): [string, PeerVerdict] => {
    const by = freshness.covered.get(peer.address.text) ?? '';
    return [peer.name, staleVerdict(verdicts.get(peer.name), by)];
  });
  return {
    peers: silent.length === 0 ? peers : peers.map((each) => (silent.includes(each) ? silenced(each) : each)),
    verdicts: verdicts.with(told),
  };
}

function silenced(resolved: ResolvedPeer): ResolvedPeer {
  return { ...resolved, told: 'nothing' };
}

/** `verdict`: what is said of the peer otherwise; `by`: the fresh replica. */
export function staleVerdict(
  verdict: Pick<PeerVerdict, 'accepted' | 'instance'> | undefined,
  by: string,
): PeerVerdict {
  const message = `Nothing is announced to the router, because this replica is stale; replica ${by} serves it.`;
  const instance = verdict?.instance ?? 'none';
  return { accepted: verdict?.accepted ?? true, reason: 'StaleReplica', message, instance };
}

/** A peer that goes on being withdrawn stays the same object, so that its routes are not worked out again. */
function keptOutcome(next: Outcome, before: Outcome | undefined): Outcome {
  const known = new Map(before?.peers.map((each) => [each.peer, each]));
  const peers = next.peers.map((each) => sameOrNext(known.get(each.peer), each));
  const isSame = peers.length === before?.peers.length && peers.every((each, i) => each === before.peers[i]);
  return {
    peers: before && isSame ? before.peers : peers,
    verdicts: before ? keepEqual(next.verdicts, before.verdicts) : next.verdicts,
  };
}

function sameOrNext(before: ResolvedPeer | undefined, next: ResolvedPeer): ResolvedPeer {
  const isSame =
    before?.told === 'nothing' &&
    next.told === 'nothing' &&
    before.number === next.number &&
    before.instance === next.instance &&
    before.addPath === next.addPath;
  return isSame ? before : next;
}
